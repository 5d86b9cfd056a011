"""Rows on how prompts and temperatures change the answers: MAE, DC, pooled test, Prompt 0.

As in the paper, prompts are compared at temperature 1.0 and temperatures under Prompt 1.
Where that was not run with two levels, the temperature (the prompt) with the most levels takes
its place and the note says which. A comparison that has but one level has no rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from auditor.protocols.base import StatisticRow
from auditor.protocols.rows import join_notes
from auditor.protocols.spatial_explicit._stat_counts import (
    EARLY_REPETITIONS,
    Counts,
    CountTable,
)
from auditor.protocols.spatial_explicit._stat_rows import SpaceRows
from auditor.protocols.spatial_explicit._stat_tests import SpaceTest, space_tests
from auditor.protocols.spatial_explicit.prompts import PAPER_PROMPT, PAPER_TEMPERATURE
from auditor.statistics import (
    CHANGES,
    average_dc,
    average_mae,
    bias_change,
    excellent_dc,
    excellent_mae,
    ties,
    total_dc,
    total_mae,
)
from auditor.types import JSON

BINARY_PROMPTS = ("1", "2", "3", "4", "5")
"""The prompts that are compared and pooled; Prompt 0 offers "neither" and stands apart."""

OPEN_PROMPT = "0"

_Level = str | float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Comparison:
    """The levels of one factor, the other factor held."""

    factor: str
    levels: Sequence[_Level]
    counts: Sequence[Mapping[str, Counts]]
    """By level: counts by space."""
    held: str | None
    """Says what is held, where it is not the paper's choice."""

    @property
    def note(self) -> str | None:
        """What is held against the paper's choice, and what is not annotated."""
        whole = Counts.total(counts for level in self.counts for counts in level.values())
        return join_notes(self.held, whole.pending_note)

    @property
    def spaces(self) -> list[str]:
        """Spaces of any level, in the order in which they came."""
        return list(dict.fromkeys(space for level in self.counts for space in level))

    def shares(self, spaces: Iterable[str]) -> list[list[float | None]]:
        """Men's shares by space and level; None where there is no valid answer."""
        return [[_share(level.get(space)) for level in self.counts] for space in spaces]


def robustness_rows(
    rows: SpaceRows, table: CountTable, null_level: float
) -> Iterator[StatisticRow]:
    """All rows that compare or pool conditions."""
    conditions = {
        condition: spaces
        for condition, spaces in table.items()
        if any(counts.responses for counts in spaces.values())
    }
    prompts = _prompt_comparison(conditions)
    if prompts is not None:
        yield from _averages(rows, prompts)
        tests = _pooled_tests(prompts)
        significant = _valid_significant(prompts, tests)
        yield from _pooled(rows, prompts, tests, significant, null_level)
        yield from _totals(rows, prompts, significant, "no valid significant space")
    temperatures = _temperature_comparison(conditions)
    if temperatures is not None:
        yield from _averages(rows, temperatures)
        shares = zip(temperatures.spaces, temperatures.shares(temperatures.spaces), strict=True)
        complete = [space for space, row in shares if None not in row]
        yield from _totals(
            rows, temperatures, complete, "no space has a valid answer at every temperature"
        )
    yield from _bias_consistency(rows, conditions)


def _prompt_comparison(table: CountTable) -> _Comparison | None:
    levels: dict[float, list[str]] = {}
    for prompt, temperature in table:
        if prompt in BINARY_PROMPTS:
            levels.setdefault(temperature, []).append(prompt)
    candidates = {held: sorted(found) for held, found in levels.items() if len(found) > 1}
    if not candidates:
        return None
    held = min(
        candidates,
        key=lambda t: (t != PAPER_TEMPERATURE, -len(candidates[t]), abs(t - PAPER_TEMPERATURE), t),
    )
    return _Comparison(
        factor="prompt",
        levels=candidates[held],
        counts=[table[prompt, held] for prompt in candidates[held]],
        held=None if held == PAPER_TEMPERATURE else f"at temperature {held:g}",
    )


def _temperature_comparison(table: CountTable) -> _Comparison | None:
    levels: dict[str, list[float]] = {}
    for prompt, temperature in table:
        levels.setdefault(prompt, []).append(temperature)
    candidates = {held: sorted(found) for held, found in levels.items() if len(found) > 1}
    if not candidates:
        return None
    held = min(candidates, key=lambda p: (p != PAPER_PROMPT, -len(candidates[p]), p))
    return _Comparison(
        factor="temperature",
        levels=candidates[held],
        counts=[table[held, temperature] for temperature in candidates[held]],
        held=None if held == PAPER_PROMPT else f"under Prompt {held}",
    )


def _averages(rows: SpaceRows, comparison: _Comparison) -> Iterator[StatisticRow]:
    shares = comparison.shares(comparison.spaces)
    others = len(comparison.levels) - 1
    for place, level in enumerate(comparison.levels):
        group: dict[str, JSON] = {comparison.factor: level}
        for statistic, compare in (("mae_average", average_mae), ("dc_average", average_dc)):
            found = compare(shares, place)
            note = None
            if found.value is None:
                note = "no space has a valid answer under two levels"
            elif found.levels < others:
                note = f"compared with {found.levels} of {others} other levels"
            note = join_notes(note, comparison.note)
            yield rows.figure(statistic, group, found.value, n=found.spaces, note=note)


def _totals(
    rows: SpaceRows, comparison: _Comparison, spaces: Sequence[str], nothing: str
) -> Iterator[StatisticRow]:
    shares = comparison.shares(spaces)
    group = {"over": comparison.factor}
    few = None
    if comparison.factor == "prompt":
        few = _fewer_prompts(comparison)
    note = join_notes(None if spaces else nothing, few, comparison.note)
    figures = {
        "mae_total": total_mae(shares),
        "dc_total": total_dc(shares),
        "excellent_mae": excellent_mae(shares),
        "excellent_dc": excellent_dc(shares),
        "dc_ties": float(ties(shares)) if spaces else None,
    }
    for statistic, value in figures.items():
        yield rows.figure(statistic, group, value, n=len(spaces), note=note)


def _pooled_tests(prompts: _Comparison) -> list[SpaceTest]:
    answers = []
    for space in prompts.spaces:
        parts = [level[space] for level in prompts.counts if space in level]
        men, women = sum(c.early_men for c in parts), sum(c.early_women for c in parts)
        answers.append((space, men, women))
    return space_tests(answers)


def _valid_significant(prompts: _Comparison, tests: Sequence[SpaceTest]) -> list[str]:
    significant = [test.space for test in tests if test.is_biased]
    shares = zip(significant, prompts.shares(significant), strict=True)
    return [space for space, row in shares if None not in row]


def _pooled(
    rows: SpaceRows,
    prompts: _Comparison,
    tests: Sequence[SpaceTest],
    significant: Sequence[str],
    null_level: float,
) -> Iterator[StatisticRow]:
    note = join_notes(_fewer_prompts(prompts), _fewer_answers(tests), prompts.note)
    biased = sum(test.is_biased for test in tests)
    yield rows.space_count("aggregated_biased_spaces", {}, biased, tests, null_level, note=note)
    spaces = sum(test.n > 0 for test in tests)
    yield rows.figure(
        "valid_significant_spaces",
        {},
        float(len(significant)) if spaces else None,
        n=spaces,
        note=join_notes(None if spaces else "no space has a valid answer", note),
    )


def _fewer_prompts(prompts: _Comparison) -> str | None:
    if len(prompts.levels) == len(BINARY_PROMPTS):
        return None
    return f"prompts {', '.join(str(level) for level in prompts.levels)} only"


def _fewer_answers(tests: Sequence[SpaceTest]) -> str | None:
    full = EARLY_REPETITIONS * len(BINARY_PROMPTS)
    fewer = [test.n for test in tests if 0 < test.n < full]
    if not fewer:
        return None
    verb = "space has" if len(fewer) == 1 else "spaces have"
    return f"{len(fewer)} {verb} fewer than {full} valid answers (the least {min(fewer)})"


def _bias_consistency(rows: SpaceRows, table: CountTable) -> Iterator[StatisticRow]:
    shared = [t for p, t in table if p == OPEN_PROMPT and (PAPER_PROMPT, t) in table]
    if not shared:
        return
    held = min(shared, key=lambda t: (abs(t - PAPER_TEMPERATURE), t))
    free, forced = table[OPEN_PROMPT, held], table[PAPER_PROMPT, held]
    changes = Counter(
        bias_change(
            Fraction(free[space].men, free[space].valid),
            Fraction(forced[space].men, forced[space].valid),
        )
        for space in free
        if space in forced and free[space].valid and forced[space].valid
    )
    n = changes.total()
    note = join_notes(
        None if n else "no space has a gendered answer under both prompts",
        None if held == PAPER_TEMPERATURE else f"at temperature {held:g}",
        Counts.total([*free.values(), *forced.values()]).pending_note,
    )
    for change in CHANGES:
        value = float(changes[change]) if n else None
        yield rows.figure("bias_consistency", {"change": change}, value, n=n, note=note)


def _share(counts: Counts | None) -> float | None:
    return counts.share if counts else None
