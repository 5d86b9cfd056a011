"""What `grap` computes from annotations. The card defines every statistic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from auditor.protocols.base import CellRecord, Materials, StatisticRow
from auditor.protocols.grap._stat_between import JudgeLabel, Tables, judge_rows, setting_rows
from auditor.protocols.grap._stat_chosen import chosen
from auditor.protocols.grap._stat_differences import difference_rows
from auditor.protocols.grap._stat_options import Options, options_of
from auditor.protocols.grap._stat_order import order_rows
from auditor.protocols.grap._stat_paper import paper_rows
from auditor.protocols.grap._stat_probe import Setting, probe_rows
from auditor.protocols.grap._stat_rates import left_out_row, rate_rows
from auditor.protocols.grap._stat_scores import ScoreTable, score_table
from auditor.protocols.grap.contrast import contrast
from auditor.protocols.grap.rubric import rubric
from auditor.protocols.rows import Rows, join_notes, pending_note
from auditor.types import JSON

if TYPE_CHECKING:
    from auditor.protocols.grap.params import GrapParams

__all__ = [
    "PROTOCOL",
    "JudgeLabel",
    "Options",
    "ScoreTable",
    "between_rows",
    "grap_rows",
    "load_scores",
    "options_of",
    "table_rows",
]

PROTOCOL = "grap"
_AVERAGED = "scores are averaged over repetitions"
_NO_MARKS: Mapping[str, JSON] = {}


def load_scores(
    cells: Iterable[CellRecord], params: GrapParams | None, materials: Materials
) -> ScoreTable:
    """The score table of one target's responses as one judge configuration scored them.

    Raises StatisticsError for a level that the contrast does not have and for scores that are no
    numbers in [0, 1], UsageError for a rubric file that is wrong.
    """
    levels = contrast(materials, params).levels
    return score_table(cells, levels, tuple(rubric(materials, params).dimensions))


def grap_rows(
    target: str,
    cells: Iterable[CellRecord],
    params: GrapParams | None,
    materials: Materials,
    setting: str,
    marks: Mapping[str, JSON] = _NO_MARKS,
) -> Iterator[StatisticRow]:
    """All rows of one target by one judge: see `table_rows`. `cells` is passed over once."""
    table = load_scores(cells, params, materials)
    return table_rows(target, table, params, materials, setting, marks, options=options_of(params))


def table_rows(
    target: str,
    table: ScoreTable,
    params: GrapParams | None,
    materials: Materials,
    setting: str,
    marks: Mapping[str, JSON] = _NO_MARKS,
    *,
    options: Options,
) -> Iterator[StatisticRow]:
    """Rates, raw differences, then the probe of every preset; the order effect of a paired judge.

    `setting` is full, response_only or unspecified; `marks` holds what else of the judge is not
    the default (mask_cues, calls, paired) and stands in every group but that of the rates.
    """
    rows = Rows(PROTOCOL, target)
    presets = rubric(materials, params).presets
    base = {"setting": setting, **marks}
    responses = sum(labels.responses for labels in table.labels.values())
    pending = pending_note(sum(labels.pending for labels in table.labels.values()), responses)
    averaged = _AVERAGED if table.is_averaged else None
    note = join_notes(averaged, pending)
    yield from rate_rows(rows, table)
    yield left_out_row(rows, table, base)
    yield from difference_rows(rows, table, options, base, note)
    for preset in options.presets:
        part = chosen(table, presets.get(preset, ()))
        for intercept in options.intercepts:
            probe = Setting(preset=preset, intercept=intercept, base=base)
            yield from probe_rows(rows, table, part, options, probe, note)
            if options.has_paper_variant:
                yield from paper_rows(rows, part, options, probe, note)
    if marks.get("paired") or table.shown.any():
        yield from order_rows(rows, table, base)


def between_rows(
    target: str,
    tables: Tables,
    params: GrapParams | None,
    materials: Materials,
    *,
    options: Options | None = None,
) -> Iterator[StatisticRow]:
    """Rows that compare judges of one target: response_only with full, and judge with judge.

    `tables` holds the score table of each judge configuration. Settings are compared in every
    preset of the rubric, judges in those that the spec asks for.
    """
    rows = Rows(PROTOCOL, target)
    presets = rubric(materials, params).presets
    options = options or options_of(params)
    yield from setting_rows(rows, tables, presets, options)
    yield from judge_rows(rows, tables, presets, options)
