"""The `[protocols."NAME"]` tables of a spec, each checked by its protocol."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from auditor.errors import UsageError
from auditor.protocols import get, names
from auditor.protocols.base import AnyProtocol, Materials, ProtocolParams
from auditor.spec.positions import Path
from auditor.spec.problems import Problems, shown
from auditor.spec.validation import validated
from auditor.types import JSON

MaterialsOf = Callable[[AnyProtocol], Materials]
"""Gives the rubric files that a protocol reads."""


@dataclass(frozen=True, kw_only=True)
class ChosenProtocol:
    """A protocol that the spec asks for; `params` is None where its table is wrong."""

    protocol: AnyProtocol
    materials: Materials
    params: ProtocolParams | None

    @property
    def factors(self) -> frozenset[str]:
        """Names of its factors."""
        return frozenset(factor.name for factor in self.protocol.factors(self.materials))


def chosen_protocols(
    raw: Mapping[str, JSON], materials_of: MaterialsOf, problems: Problems
) -> dict[str, ChosenProtocol]:
    """The protocols of a spec by name, in its order; unknown ones are reported and left out."""
    chosen = {}
    for name, table in raw.items():
        if name not in names():
            _add_unknown(name, table, problems)
            continue
        protocol = get(name)
        materials = materials_of(protocol)
        params = validated(protocol.params_type, table, ("protocols", name), problems)
        if params is not None and not _has_plan(protocol, params, materials, problems):
            params = None
        chosen[name] = ChosenProtocol(protocol=protocol, materials=materials, params=params)
    return chosen


def _has_plan(
    protocol: AnyProtocol, params: ProtocolParams, materials: Materials, problems: Problems
) -> bool:
    # Levels that only the rubric files know (spaces, regions) show when prompts are counted.
    try:
        protocol.count(params, materials)
    except UsageError as error:
        path: Path = ("protocols", protocol.name)
        said, _, allowed = error.message.partition("; allowed: ")
        where = (*path, error.where) if error.where else path
        problems.add(where, said, allowed or "see the protocol's card")
        return False
    return True


def _add_unknown(name: str, table: JSON, problems: Problems) -> None:
    inner = [f"{name}.{key}" for key in table] if isinstance(table, Mapping) else []
    unquoted = [full for full in inner if full in names()]
    if unquoted:
        said = f'without quotes; write [protocols."{unquoted[0]}"]'
    else:
        close = get_close_matches(name, names(), n=1)
        said = "unknown protocol" + (f" (did you mean {shown(close[0])}?)" if close else "")
    problems.add(("protocols", name), said, ", ".join(f'"{known}"' for known in names()))
