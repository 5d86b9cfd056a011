"""Rows of the probe: how well it tells the sides apart, and by which dimensions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from auditor.protocols.base import StatisticRow
from auditor.protocols.grap._stat_chosen import Chosen
from auditor.protocols.grap._stat_options import DEFAULT_PRESET, Options
from auditor.protocols.grap._stat_quality import MEASURES
from auditor.protocols.grap._stat_scores import Floats, ScoreTable
from auditor.protocols.rows import Group, Rows, join_notes
from auditor.statistics import percentile_interval
from auditor.statistics.linear_separation import is_separated
from auditor.statistics.paired import paired_difference
from auditor.statistics.permutation import permutation_p, permuted_aucs
from auditor.statistics.probe import (
    Probe,
    cross_validated,
    fit_probe,
    folds_by_pair,
    resampled_coefficients,
)
from auditor.statistics.rounding import tied

SCALES = ("raw", "standardised")
BINS = 20
"""Of the histogram of predicted probabilities."""
_SEPARATED = "the sides are separated: the penalty alone keeps coefficients finite"
_UNDECIDED = "the linear program has no solution: it cannot be decided"
_CHANCE = "no better than chance by permutation, whatever the interval"
LEVEL = 0.05
"""Of the permutation's p, above which the note says that there is no signal."""
_OPTIMISTIC = "predicts the responses that it was fitted to"


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One probe of one table: what stands in the group of its rows."""

    preset: str
    intercept: bool
    base: Group
    """The setting, and what else of the judge is not the default."""

    @property
    def by_preset(self) -> dict[str, object]:
        """Group of rows that always name the preset."""
        return {**self.base, "preset": self.preset, **self._marks}

    @property
    def by_dimension(self) -> dict[str, object]:
        """Group of rows that name the preset where it is not the default."""
        preset = {} if self.preset == DEFAULT_PRESET else {"preset": self.preset}
        return {**self.base, **preset, **self._marks}

    @property
    def _marks(self) -> dict[str, object]:
        return {} if self.intercept else {"intercept": False}


def probe_rows(
    rows: Rows,
    table: ScoreTable,
    part: Chosen,
    options: Options,
    setting: Setting,
    note: str | None,
) -> Iterator[StatisticRow]:
    """All rows of one probe; null with the reason where none can be fitted."""
    note = join_notes(part.note, note)
    if part.obstacle is not None:
        yield from _empty_rows(rows, part, setting, join_notes(part.obstacle, note))
        return
    probe = fit_probe(part.scores, intercept=setting.intercept)
    folds = folds_by_pair(options.shuffled(part.pairs))
    chances = cross_validated(part.scores, folds, intercept=setting.intercept)
    in_sample = probe.chances(part.scores)
    yield from _quality(rows, in_sample, "in_sample", options, setting, None, note)
    aucs = permuted_aucs(
        part.scores, folds, options.swaps(len(part.pairs)), intercept=setting.intercept
    )
    yield from _quality(rows, chances, "cross_validated", options, setting, aucs, note)
    apart = is_separated(part.scores, intercept=setting.intercept)
    yield rows.figure(
        "separation",
        setting.by_preset,
        None if apart is None else float(apart),
        n=part.responses,
        note=join_notes(_UNDECIDED if apart is None else _SEPARATED if apart else None, note),
    )
    yield from _coefficient_rows(
        rows, table, part, probe, options, setting, join_notes(_SEPARATED if apart else None, note)
    )
    if setting.preset == options.presets[0] and setting.intercept:
        yield from _histogram(rows, table, chances, setting)


def _quality(
    rows: Rows,
    chances: Floats,
    evaluation: str,
    options: Options,
    setting: Setting,
    permuted: Floats | None,
    note: str | None,
) -> Iterator[StatisticRow]:
    times = options.times(len(chances))
    for name, measure in MEASURES.items():
        value = measure.of(chances)
        p, chance = None, None
        if name == "auc" and permuted is not None:
            p = permutation_p(value, permuted)
            chance = _CHANCE if p > LEVEL else None
        yield rows.figure(
            f"probe_{name}",
            {"evaluation": evaluation, **setting.by_preset},
            value,
            n=chances.size,
            interval=percentile_interval(measure.resampled(chances, times)),
            p_value=p,
            note=join_notes(_OPTIMISTIC if evaluation == "in_sample" else chance, note),
        )


def _coefficient_rows(
    rows: Rows,
    table: ScoreTable,
    part: Chosen,
    probe: Probe,
    options: Options,
    setting: Setting,
    note: str | None,
) -> Iterator[StatisticRow]:
    standardised, raw = resampled_coefficients(
        part.scores, options.times(len(part.pairs)), intercept=setting.intercept, start=probe
    )
    drawn = {"raw": raw, "standardised": standardised}
    values = {"raw": probe.raw_coefficients, "standardised": probe.coefficients}
    for place, dimension in enumerate(part.dimensions):
        group = {"dimension": dimension, **setting.by_dimension}
        for scale in SCALES:
            yield rows.figure(
                "probe_coefficient",
                {"scale": scale, **group},
                float(values[scale][place]),
                n=part.responses,
                interval=percentile_interval(drawn[scale][:, place]),
                note=note,
            )
        sign = np.sign(probe.coefficients[place])
        yield rows.figure(
            "sign_stability",
            group,
            float((np.sign(tied(standardised[:, place])) == sign).mean()) if sign else None,
            n=len(standardised),
            note=None if sign else "the coefficient is 0: it has no sign",
        )
        yield _sign_row(rows, table, dimension, float(probe.coefficients[place]), group)
    for dimension, reason in part.left_out.items():
        for scale in SCALES:
            yield rows.figure(
                "probe_coefficient",
                {"scale": scale, "dimension": dimension, **setting.by_dimension},
                None,
                n=part.responses,
                note=f"{reason}: left out",
            )


def _sign_row(
    rows: Rows, table: ScoreTable, dimension: str, coefficient: float, group: Group
) -> StatisticRow:
    """1 where raw difference and coefficient point to different sides, else 0."""
    difference = paired_difference(*table.side_by_side(table.dimensions.index(dimension)))
    mean = difference.mean or 0.0
    differs = mean * coefficient < 0
    note = None
    if not mean or not coefficient:
        note = "one of the two is 0: it has no sign"
    elif differs:
        note = f"raw difference {mean:+.4f}, standardised coefficient {coefficient:+.4f}"
    return rows.figure(
        "sign_differs",
        group,
        float(differs) if mean and coefficient else None,
        n=difference.n,
        note=note,
    )


def _histogram(
    rows: Rows, table: ScoreTable, chances: Floats, setting: Setting
) -> Iterator[StatisticRow]:
    edges = np.linspace(0.0, 1.0, BINS + 1)
    for side, level in enumerate(table.levels):
        counts, _ = np.histogram(chances[:, side], bins=edges)
        for edge, count in zip(edges[:-1], counts, strict=True):
            yield rows.figure(
                "predicted_probability",
                {**setting.by_preset, "gender": level, "bin": round(float(edge), 2)},
                float(count) / len(chances),
                n=len(chances),
            )


def _empty_rows(
    rows: Rows, part: Chosen, setting: Setting, note: str | None
) -> Iterator[StatisticRow]:
    for evaluation in ("in_sample", "cross_validated"):
        for name in MEASURES:
            group: Mapping[str, object] = {"evaluation": evaluation, **setting.by_preset}
            yield rows.figure(f"probe_{name}", group, None, n=part.responses, note=note)
    for dimension in (*part.dimensions, *part.left_out):
        for scale in SCALES:
            group = {"scale": scale, "dimension": dimension, **setting.by_dimension}
            yield rows.figure("probe_coefficient", group, None, n=part.responses, note=note)
