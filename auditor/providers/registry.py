"""Providers by name: the built-in ones, and those that outside packages add."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import cache

from auditor.errors import UsageError
from auditor.plugins import Group, Plugin, plugins
from auditor.providers.known import LOCAL, PROVIDERS, KnownProvider

_SIMULATED = "sim"
_IN_PROCESS = (_SIMULATED, LOCAL.name)
_BUILT_IN = frozenset((*PROVIDERS, *_IN_PROCESS))


def provider_names() -> tuple[str, ...]:
    """Names of the built-in providers over HTTP."""
    return tuple(PROVIDERS)


def outside_names() -> tuple[str, ...]:
    """Names of the providers that outside packages add; none of them is loaded."""
    return tuple(name for name in plugins(Group.PROVIDERS) if name not in _BUILT_IN)


def known_provider(name: str) -> KnownProvider:
    """What a provider name stands for.

    Raises UsageError with the known names, and for an outside provider that cannot be used, with
    the reason.
    """
    provider = LOCAL if name == LOCAL.name else PROVIDERS.get(name)
    if provider is not None:
        return provider
    plugin = plugins(Group.PROVIDERS).get(name)
    if plugin is None:
        known = [*PROVIDERS, LOCAL.name, *outside_names()]
        close = get_close_matches(name, known, n=1)
        meant = f"did you mean {close[0]!r}? " if close else ""
        raise UsageError(
            f"no provider is called {name!r}",
            hint=f"{meant}known: {', '.join(known)}; "
            'a server that speaks like OpenAI\'s is "openai" with a base_url',
        )
    return _outside(plugin)


def refuse_clash(name: str) -> None:
    """Raise UsageError where an outside package claims the name of a built-in provider."""
    plugin = plugins(Group.PROVIDERS).get(name)
    if plugin is not None and name in _BUILT_IN:
        raise plugin.refused("its name is a built-in provider's")


def outside_providers() -> Iterator[tuple[Plugin, KnownProvider | str]]:
    """The providers of outside packages, or why one cannot be used. Loads all of them."""
    for name, plugin in plugins(Group.PROVIDERS).items():
        try:
            refuse_clash(name)
            yield plugin, known_provider(name)
        except UsageError as error:
            yield plugin, error.message


@cache
def _outside(plugin: Plugin) -> KnownProvider:
    from auditor.providers.outside import taken_up

    return taken_up(plugin)


class Spellings(Mapping[str, str]):
    """Providers by the names that a spec may give them; both of openai's mean the same calls.

    Outside packages are looked for when a name is none of the built-in ones, or for a list.
    """

    _BUILT_IN: Mapping[str, str] = {
        "openai": "openai",
        "openai-chat": "openai",
        "anthropic": "anthropic",
        **{name: name for name in _IN_PROCESS},
        **{name: name for name in PROVIDERS if not name.startswith("openai-")},
    }

    def __getitem__(self, name: str) -> str:
        """The provider's own name. Raises KeyError for none."""
        if name in self._BUILT_IN:
            return self._BUILT_IN[name]
        if name in outside_names():
            return name
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        """All names, outside ones last."""
        return iter((*self._BUILT_IN, *outside_names()))

    def __len__(self) -> int:
        """How many names there are."""
        return sum(1 for _ in self)


def key_variables(names: Iterable[str]) -> dict[str, str]:
    """The variables of these providers' keys, of those that have one.

    Raises UsageError as `known_provider`.
    """
    found = {name: known_provider(name).api_key_env for name in names if name != _SIMULATED}
    return {name: variable for name, variable in found.items() if variable is not None}


def providers_table() -> list[dict[str, str | None]]:
    """Name, wire, default base URL and key variable of each built-in provider over HTTP."""
    return [provider_row(provider) for provider in PROVIDERS.values()]


def provider_row(provider: KnownProvider) -> dict[str, str | None]:
    """One provider as lists show it."""
    return {
        "name": provider.name,
        "wire": provider.wire,
        "base_url": provider.base_url,
        "api_key_env": provider.api_key_env,
    }
