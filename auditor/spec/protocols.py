"""The `[protocols."NAME"]` tables of a spec, each checked by its protocol."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from auditor.errors import UsageError
from auditor.protocols import get, names, refuse_clash
from auditor.protocols.base import AnyProtocol, Materials, ProtocolParams
from auditor.spec.positions import Path
from auditor.spec.problems import Problems, shown
from auditor.spec.stand_ins import ReadFile, check_agreement, with_stand_ins
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
    is_whole: bool = True
    """Whether `materials` are what the spec asks for: a file of the user's that cannot be used
    leaves the packaged one in its place."""

    @property
    def factors(self) -> frozenset[str]:
        """Names of its factors."""
        return frozenset(factor.name for factor in self.protocol.factors(self.materials))


def chosen_protocols(
    raw: Mapping[str, JSON],
    materials_of: MaterialsOf,
    problems: Problems,
    *,
    read_file: ReadFile | None = None,
) -> dict[str, ChosenProtocol]:
    """The protocols of a spec by name, in its order; unknown ones are reported and left out.

    `read_file` reads the user's files that stand in for rubric files; None: `materials_of` gives
    their texts.
    """
    chosen = {}
    for name, table in raw.items():
        if name not in names():
            _add_unknown(name, table, problems)
            continue
        try:
            refuse_clash(name)
            protocol = get(name)
        except UsageError as error:  # an outside package's, and broken
            problems.add(("protocols", name), error.message, "a protocol that can be used")
            continue
        materials = materials_of(protocol)
        params = validated(protocol.params_type, table, ("protocols", name), problems)
        chosen[name] = _chosen(protocol, params, materials, read_file, problems)
    sound_ones = ((each.protocol, each.params) for each in chosen.values() if each.params)
    check_agreement(sound_ones, problems)
    return chosen


def _chosen(
    protocol: AnyProtocol,
    params: ProtocolParams | None,
    materials: Materials,
    read_file: ReadFile | None,
    problems: Problems,
) -> ChosenProtocol:
    if params is None:
        return ChosenProtocol(protocol=protocol, materials=materials, params=None)
    own: Materials | None = materials
    if params.stand_ins and read_file is not None:
        own = with_stand_ins(protocol, params, materials, read_file, problems)
    if own is not None and _has_plan(protocol, params, own, problems):
        return ChosenProtocol(protocol=protocol, materials=own, params=params)
    is_whole = own is materials
    return ChosenProtocol(protocol=protocol, materials=materials, params=None, is_whole=is_whole)


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
