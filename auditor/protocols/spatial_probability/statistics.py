"""What `spatial.probability` computes from annotations. The card defines every statistic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from auditor.protocols.base import Bases, CellRecord, Materials, StatisticRow
from auditor.protocols.rows import Group, Rows, join_notes, pending_note
from auditor.protocols.spatial_explicit.prompts import DOMAINS, all_spaces
from auditor.protocols.spatial_probability._stat_across import correlation_rows
from auditor.protocols.spatial_probability._stat_headlines import headlines
from auditor.protocols.spatial_probability._stat_masses import (
    Masses,
    SpaceMass,
    collect,
    space_mass,
)
from auditor.protocols.spatial_probability._stat_prior import prior_rows
from auditor.protocols.spatial_probability.params import FLOOR
from auditor.protocols.spatial_probability.prior import NO_SPACE
from auditor.protocols.tuning_shifts import tuning_rows
from auditor.statistics import zero_settled

if TYPE_CHECKING:
    from auditor.protocols.spatial_probability.params import SpatialProbabilityParams

__all__ = ["PROTOCOL", "across", "headlines", "statistics"]

PROTOCOL = "spatial.probability"


def statistics(
    target: str,
    cells: Iterable[CellRecord],
    params: SpatialProbabilityParams | None,
    materials: Materials,
) -> Iterator[StatisticRow]:
    """All rows of one target: overall rates, then by prompt its domains and spaces.

    Without a response there are the overall rates only, null with a note. Raises StatisticsError
    for an annotation value that the task does not allow.
    """
    from auditor.protocols.spatial_probability._stat_domains import domain_rows

    floor = FLOOR if params is None else params.floor
    domain_of = {space.name: space.domain for space in all_spaces(materials)}
    table = collect(cells)
    rows = Rows(PROTOCOL, target)
    everything = (masses for spaces in table.values() for masses in spaces.values())
    yield from _rates(rows, {}, Masses.total(everything))
    for prompt, spaces in table.items():
        whole = Masses.total(spaces.values())
        yield from _rates(rows, {"prompt": prompt}, whole)
        neutral = spaces.pop(NO_SPACE, None)
        found = [space_mass(space, masses, floor) for space, masses in spaces.items()]
        if neutral is not None:
            yield from _rates(rows, {"space": NO_SPACE, "prompt": prompt}, neutral)
            yield from prior_rows(rows, prompt, space_mass(NO_SPACE, neutral, floor), found)
        yield _uncovered(rows, {"prompt": prompt}, found, floor)
        for domain in DOMAINS:
            part = [mass for mass in found if domain_of.get(mass.space) == domain]
            if part:
                yield from domain_rows(rows, {"domain": domain, "prompt": prompt}, part)
        for mass in found:
            group = {"space": mass.space, "prompt": prompt}
            yield from _space(rows, group, mass, spaces[mass.space], floor)


def across(
    rows: Sequence[StatisticRow], materials: Materials, bases: Bases
) -> Iterator[StatisticRow]:
    """`model_pearson` of each pair of targets; `tuning_shift` of tuned models and their bases."""
    yield from correlation_rows(PROTOCOL, rows)
    domain_of = {space.name: space.domain for space in all_spaces(materials)}
    yield from tuning_rows(PROTOCOL, rows, domain_of, bases)


def _space(
    rows: Rows, group: Group, mass: SpaceMass, masses: Masses, floor: float
) -> Iterator[StatisticRow]:
    pending = pending_note(masses.pending, masses.responses)
    why = _why_unknown(mass, floor)
    missing = mass.missing_side
    said = f"no token of {missing} is among those listed" if missing and not why else None
    n = mass.n
    yield rows.figure(
        "men_probability", group, mass.share, n=n, note=join_notes(why, said, pending)
    )
    nothing = None if n else "no valid answer"
    yield rows.figure("covered_mass", group, mass.covered, n=n, note=join_notes(nothing, pending))
    logs = mass.logs
    yield rows.figure(
        "log_odds",
        group,
        None if logs is None else zero_settled(logs[0] - logs[1]),
        n=n,
        note=join_notes(why, said, pending),
    )
    yield from _rates(rows, group, masses)


def _why_unknown(mass: SpaceMass, floor: float) -> str | None:
    if mass.covered is None:
        return "no valid answer"
    if mass.is_covered:
        return None
    return f"uncovered: gender tokens have {mass.covered:.3g} of the probability, below {floor:g}"


def _uncovered(rows: Rows, group: Group, spaces: Iterable[SpaceMass], floor: float) -> StatisticRow:
    known = [mass for mass in spaces if mass.covered is not None]
    return rows.figure(
        "uncovered_spaces",
        group,
        float(sum(not mass.is_covered for mass in known)) if known else None,
        n=len(known),
        note=f"floor {floor:g}" if known else "no space has a valid answer",
    )


def _rates(rows: Rows, group: Mapping[str, str], masses: Masses) -> Iterator[StatisticRow]:
    return rows.label_rates(
        group,
        {"refusal": masses.refusal, "invalid": masses.invalid},
        responses=masses.responses,
        pending=masses.pending,
        truncated=masses.truncated,
    )
