"""The published ways to audit, by name. A protocol's module is loaded when it is asked for."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from importlib import import_module

from auditor.errors import UsageError
from auditor.protocols.base import AnyProtocol

__all__ = ["get", "names"]

_CLASSES = {
    "spatial.explicit": "auditor.protocols.spatial_explicit:SpatialExplicit",
    "stories": "auditor.protocols.stories:Stories",
}
"""Module and class by protocol name, as entry points spell it."""


def names() -> tuple[str, ...]:
    """Names of all protocols, in the order in which they are listed."""
    return tuple(_CLASSES)


@cache
def get(name: str) -> AnyProtocol:
    """The protocol of that name. Raises UsageError with the allowed names and a close one."""
    place = _CLASSES.get(name)
    if place is None:
        close = get_close_matches(name, _CLASSES, n=1)
        raise UsageError(
            f"no protocol {name!r}; allowed: {', '.join(names())}",
            hint=f"did you mean {close[0]!r}?" if close else None,
        )
    module, class_name = place.split(":")
    protocol: AnyProtocol = getattr(import_module(module), class_name)()
    return protocol
