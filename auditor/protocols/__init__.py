"""The ways to audit, by name. A protocol's module is loaded when it is asked for.

Outside packages add protocols through entry points (see `auditor.protocols.outside`).
"""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from importlib import import_module

from auditor.errors import UsageError
from auditor.plugins import Group, Plugin, plugins
from auditor.protocols.base import AnyProtocol

__all__ = ["broken", "get", "names", "origin", "refuse_clash", "take_up_all"]

_CLASSES = {
    "spatial.explicit": "auditor.protocols.spatial_explicit:SpatialExplicit",
    "spatial.probability": "auditor.protocols.spatial_probability:SpatialProbability",
    "spatial.construction": "auditor.protocols.spatial_construction:SpatialConstruction",
    "spatial.tracing": "auditor.protocols.spatial_tracing:SpatialTracing",
    "spatial.planning": "auditor.protocols.spatial_planning:SpatialPlanning",
    "spatial.profiling": "auditor.protocols.spatial_profiling:SpatialProfiling",
    "stories": "auditor.protocols.stories:Stories",
    "grap": "auditor.protocols.grap:Grap",
    "regional.stereotype": "auditor.protocols.regional:RegionalStereotype",
    "regional.decision": "auditor.protocols.regional:RegionalDecision",
}
"""Module and class by protocol name, as entry points spell it."""


def names() -> tuple[str, ...]:
    """Names of all protocols, in the order in which they are listed: outside ones last.

    Nothing is loaded, so an outside one may turn out to be broken when it is asked for.
    """
    outside = plugins(Group.PROTOCOLS)
    return (*_CLASSES, *(name for name in outside if name not in _CLASSES))


def get(name: str) -> AnyProtocol:
    """The protocol of that name.

    Raises UsageError with the allowed names and a close one, and for an outside protocol that
    cannot be used, with the reason.
    """
    return _built_in(name) if name in _CLASSES else _outside(_plugin(name))


def origin(name: str) -> Plugin | None:
    """The plug-in that a protocol comes from; None for a built-in one."""
    return None if name in _CLASSES else plugins(Group.PROTOCOLS).get(name)


def refuse_clash(name: str) -> None:
    """Raise UsageError where an outside package claims the name of a built-in protocol.

    The built-in one is what `get` gives; a plan is refused until it is clear which is meant.
    """
    plugin = plugins(Group.PROTOCOLS).get(name)
    if plugin is not None and name in _CLASSES:
        raise plugin.refused("its name is a built-in protocol's")


def broken() -> list[tuple[Plugin, str]]:
    """Outside protocols that cannot be used, each with the reason. Loads all of them."""
    found = []
    for name, plugin in plugins(Group.PROTOCOLS).items():
        try:
            refuse_clash(name)
            get(name)
        except UsageError as error:
            found.append((plugin, error.message))
    return found


def take_up_all() -> None:
    """Load all outside protocols that can be used, so that their rubric files are known."""
    broken()


def _plugin(name: str) -> Plugin:
    plugin = plugins(Group.PROTOCOLS).get(name)
    if plugin is None:
        close = get_close_matches(name, names(), n=1)
        raise UsageError(
            f"no protocol {name!r}; allowed: {', '.join(names())}",
            hint=f"did you mean {close[0]!r}?" if close else None,
        )
    return plugin


@cache
def _built_in(name: str) -> AnyProtocol:
    module, class_name = _CLASSES[name].split(":")
    protocol: AnyProtocol = getattr(import_module(module), class_name)()
    return protocol


@cache
def _outside(plugin: Plugin) -> AnyProtocol:
    from auditor.protocols.outside import taken_up

    return taken_up(plugin)
