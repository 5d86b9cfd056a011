"""What outside packages add: entry points of installed distributions, loaded when asked for.

An outside package declares entry points in three groups::

    [project.entry-points."auditor.protocols"]   NAME = "module:Class"
    [project.entry-points."auditor.judges"]      "PROTOCOL.TASK.NAME" = "module:Class"
    [project.entry-points."auditor.providers"]   NAME = "module:ROW"

What each object has to have is said where it is taken up: `auditor.protocols`, `agents.judges`
and `auditor.providers`. Looking for entry points reads metadata alone and costs some 10 ms, once;
no code of an outside package runs before something of it is asked for by name, or listed.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from auditor.errors import UsageError
from auditor.harmless import harmless

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_LONGEST_REASON = 300


class Group(StrEnum):
    """The groups of entry points; each name is what `auditor list` calls its members."""

    PROTOCOLS = "auditor.protocols"
    JUDGES = "auditor.judges"
    PROVIDERS = "auditor.providers"


@dataclass(frozen=True, kw_only=True)
class Plugin:
    """One entry point of an outside package."""

    group: Group
    name: str
    """The entry point's name."""
    place: str
    """Module and object, as the entry point spells it."""
    distribution: str
    version: str
    problem: str | None = None
    """Why it cannot be used, as far as that is known before it is loaded."""
    entry: EntryPoint = field(repr=False, compare=False)

    @property
    def shown(self) -> str:
        """The distribution with its version, as lists show it."""
        return f"{self.distribution} {self.version}"

    @property
    def origin(self) -> dict[str, str]:
        """What the verdicts of its code depend on: for a judge's configuration."""
        return {"distribution": self.distribution, "version": self.version}

    def load(self) -> Any:
        """The object that the entry point names. Raises UsageError with the reason."""
        if self.problem is not None:
            raise self.refused(self.problem)
        try:
            # What a package prints while it is imported must not get into a command's data.
            with redirect_stdout(sys.stderr):
                return self.entry.load()
        except (Exception, SystemExit) as error:
            raise self.refused(described(error)) from error

    def refused(self, reason: str) -> UsageError:
        """The error for a plug-in that cannot be used."""
        return UsageError(
            f"the plug-in {self.name!r} ({self.group}) of {self.shown} cannot be used:"
            f" {harmless(reason, _LONGEST_REASON)}",
            where=self.place,
            hint=f"mend or uninstall {self.distribution}; all else works without it",
        )


def described(error: BaseException) -> str:
    """An exception in one line."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def plugins(group: Group) -> Mapping[str, Plugin]:
    """The plug-ins of a group by entry point name, sorted; none of them is loaded.

    Two distributions with one name give a plug-in with a problem: neither is preferred.
    """
    # What is installed depends on the path alone, which tests and hosts of this program change.
    return _found(group, tuple(sys.path))


@lru_cache(maxsize=16)
def _found(group: Group, _path: tuple[str, ...]) -> Mapping[str, Plugin]:
    from importlib.metadata import entry_points

    found: dict[str, Plugin] = {}
    entries = sorted(entry_points(group=group), key=lambda entry: (entry.name, entry.value))
    for entry in entries:
        plugin = _plugin(group, entry)
        other = found.get(plugin.name)
        if other is not None:
            said = f"{other.shown} ({other.place}) and {plugin.shown} ({plugin.place}) both have it"
            plugin = _plugin(group, entry, problem=said)
        found[plugin.name] = plugin
    return MappingProxyType(found)


def _plugin(group: Group, entry: EntryPoint, problem: str | None = None) -> Plugin:
    distribution = entry.dist
    return Plugin(
        group=group,
        name=entry.name,
        place=entry.value,
        distribution="unknown" if distribution is None else harmless(distribution.name, 100),
        version="unknown" if distribution is None else harmless(distribution.version, 100),
        problem=problem,
        entry=entry,
    )
