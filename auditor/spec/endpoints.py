"""Endpoints of a spec: those it names, and those that a model without one implies."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

from auditor.errors import UsageError
from auditor.providers import known_provider, outside_names, refuse_clash
from auditor.spec.local_models import LOCAL, check_local_endpoint
from auditor.spec.model import SIMULATED
from auditor.spec.positions import Path
from auditor.spec.problems import Problems, shown, spelled
from auditor.spec.tables import SAFE_NAME_PATTERN, SAFE_NAME_WORDS, EndpointTable
from auditor.spec.validation import validated
from auditor.types import CALLS_AT_ONCE, JSON, EndpointConfig, Price

_SIMULATED_CALLS = 256
"""Default of `concurrency` where nothing is sent."""


class Endpoints:
    """Endpoints by name, as they are declared and as models ask for them."""

    def __init__(
        self, raw: Mapping[str, JSON], providers: Mapping[str, str], problems: Problems
    ) -> None:
        self._providers = providers
        self._problems = problems
        self._declared = tuple(raw)
        self.configs: dict[str, EndpointConfig] = {}
        """The sound ones, and those implied so far."""
        for name, table in raw.items():
            self._declare(name, table)

    def split_model(self, model: str, path: Path) -> tuple[str, str] | None:
        """Provider and model name of "provider:model"; None after reporting why there is none."""
        spelling, colon, name = model.partition(":")
        allowed = f'"provider:model", the provider one of {", ".join(self._providers)}'
        if spelling not in self._providers:
            close = get_close_matches(spelling, self._providers, n=1) if colon else []
            meant = f" (did you mean {shown(f'{close[0]}:{name}')}?)" if close else ""
            self._problems.add(path, f"value {shown(model)}{meant}", allowed)
            return None
        if not name or name != name.strip() or not name.isprintable():
            self._problems.add_value(path, model, allowed)
            return None
        if not self._is_usable(self._providers[spelling], path):
            return None
        return self._providers[spelling], name

    def of_model(self, name: str | None, provider: str, path: Path) -> str | None:
        """Name of the endpoint that a model's calls go to; None after reporting why there is none.

        `path` is the table of the target or judge. Without a name it is the endpoint that is
        named after the provider: the spec's own table of that name, or else the vendor's server.
        """
        place = (*path, "endpoint")
        if name is None:
            return self._implied(provider, path)
        if name not in self._declared:
            close = get_close_matches(name, self._declared, n=1)
            meant = f" (did you mean {shown(close[0])}?)" if close else ""
            known = ", ".join(self._declared) or "none, as there is no [endpoints.NAME] table"
            self._problems.add(place, f"value {shown(name)} is not defined{meant}", known)
            return None
        config = self.configs.get(name)
        if config is not None and config.provider != provider:
            self._problems.add(
                place,
                f"value {shown(name)} is of provider {config.provider}, the model of {provider}",
                f"an endpoint of provider {provider}",
            )
            return None
        return name

    def _implied(self, provider: str, path: Path) -> str | None:
        if provider in self._declared:
            return self.of_model(provider, provider, path)
        if provider not in self.configs:
            implied = _config(provider, provider, EndpointTable(provider=provider))
            if (twin := self._twin(implied)) is not None:
                self._problems.add(
                    (*path, "endpoint"),
                    f"missing, and {spelled(('endpoints', twin))} is the server that it would be",
                    f"endpoint = {shown(twin)}",
                )
                return None
            self.configs[provider] = implied
        return provider

    def _declare(self, name: str, raw: JSON) -> None:
        path: Path = ("endpoints", name)
        if not SAFE_NAME_PATTERN.fullmatch(name):
            self._problems.add(path, "not a name for an endpoint", SAFE_NAME_WORDS)
        table = validated(EndpointTable, raw, path, self._problems)
        if table is None:
            return
        if table.provider not in self._providers:
            allowed = ", ".join(self._providers)
            self._problems.add_value((*path, "provider"), table.provider, allowed)
            return
        if not self._is_usable(self._providers[table.provider], (*path, "provider")):
            return
        config = _config(name, self._providers[table.provider], table)
        if config.provider == LOCAL:
            check_local_endpoint(table, path, self._problems)
        if (twin := self._twin(config)) is not None:
            self._problems.add(
                path,
                f"the same provider, base_url and key as {spelled(('endpoints', twin))} in line "
                f"{self._problems.line(('endpoints', twin))}",
                "one table for a server, which holds its limits",
            )
            return
        self.configs[name] = config

    def _is_usable(self, provider: str, path: Path) -> bool:
        """Whether a provider can be used; an outside package's that is broken is reported."""
        try:
            refuse_clash(provider)
            if provider in outside_names():
                known_provider(provider)
        except UsageError as error:
            self._problems.add(path, error.message, "a provider that can be used")
            return False
        return True

    def _twin(self, config: EndpointConfig) -> str | None:
        # Limits belong to (provider, base URL, key): two names for one would double them.
        if config.provider == SIMULATED:
            return None
        for name, other in self.configs.items():
            if _identity(other) == _identity(config):
                return name
        return None


def _identity(config: EndpointConfig) -> tuple[str, str | None, str | None]:
    url = config.base_url.rstrip("/").lower() if config.base_url is not None else None
    return config.provider, url, config.api_key_env


def _calls_at_once(provider: str) -> int:
    # Nothing is sent to a simulated model, so that none can be overrun; more calls at once make
    # larger commits.
    return _SIMULATED_CALLS if provider == SIMULATED else CALLS_AT_ONCE


def _config(name: str, provider: str, table: EndpointTable) -> EndpointConfig:
    price = table.price
    return EndpointConfig(
        name=name,
        provider=provider,
        base_url=table.base_url,
        api_key_env=table.api_key_env,
        concurrency=table.concurrency or _calls_at_once(provider),
        requests_per_minute=table.requests_per_minute,
        tokens_per_minute=table.tokens_per_minute,
        timeout_seconds=table.timeout_seconds,
        client=table.client,
        price=None if price is None else Price(input=price.input, output=price.output),
    )
