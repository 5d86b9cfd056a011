"""Figures of `grap` show what the result table says, and say what is missing."""

import numpy as np
import pytest

import rubrics
from auditor.protocols.base import CellRecord, Reading, TrialRecord
from auditor.protocols.grap.files import CONTRAST, RUBRIC
from auditor.protocols.grap.rubric import rubric
from auditor.protocols.grap.statistics import (
    JudgeLabel,
    Options,
    between_rows,
    load_scores,
    table_rows,
)
from auditor.reports.figures import Findings, chosen_figures
from auditor.reports.figures.composition import composed
from auditor.reports.figures.page import style
from auditor.store.results import ResultRow
from auditor.types import Outcome

MATERIALS = {path: rubrics.read(path) for path in (CONTRAST, RUBRIC)}
RUBRIC_FILE = rubric(MATERIALS)
ALL = RUBRIC_FILE.presets["all"]
FEW = Options(resamples=40, permutations=19)
TARGETS = ("plain", "few")


def table(seed, pairs, shift):
    """Scores without a difference but in the first dimension; the last is never scored."""
    scores = np.random.default_rng(seed).random((pairs, 2, len(ALL) - 1))
    scores[:, 0, 0] = np.clip(scores[:, 0, 0] + shift, 0, 1)
    return load_scores(
        (
            CellRecord(
                {"pair": pair, "gender": gender},
                [
                    TrialRecord(
                        0,
                        Outcome.ANSWERED,
                        {
                            "rubric": Reading(
                                True, dict(zip(ALL[:-1], map(float, row), strict=True))
                            )
                        },
                    )
                ],
            )
            for pair, sides in enumerate(scores)
            for gender, row in zip(("female", "male"), sides, strict=True)
        ),
        None,
        MATERIALS,
    )


def results(target, rows):
    return [
        ResultRow(
            protocol=row.protocol,
            statistic=row.statistic,
            target=target,
            group=row.group,
            value=row.value,
            ci_low=row.ci_low,
            ci_high=row.ci_high,
            p_value=row.p_value,
            n=row.n,
            note=row.note,
            simulated=target == "few",
        )
        for row in rows
    ]


def findings_of(rows):
    return Findings(
        protocol="grap",
        paper="GRAP",
        runs=("run",),
        days="answers of 2026-03-01",
        judges="rubric by given",
        targets=TARGETS,
        rows=tuple(rows),
        simulated=frozenset(("few",)),
        stores=(),
        names=(),
        marks={},
        elsewhere={},
    )


@pytest.fixture(scope="module")
def found():
    """One target with a signal in both settings, and one with too few pairs for a probe."""
    rows = []
    for target, pairs in zip(TARGETS, (30, 8), strict=True):
        tables = {
            JudgeLabel("given", setting): table(seed, pairs, 0.4)
            for seed, setting in enumerate(("full", "response_only"))
        }
        made = [
            row
            for label, each in tables.items()
            for row in table_rows(target, each, None, MATERIALS, label.setting, options=FEW)
        ]
        made += between_rows(target, tables, None, MATERIALS, options=FEW)
        rows += results(target, made)
    return findings_of(rows)


def drawings(found, name):
    (figure,) = chosen_figures([name])
    return figure.draw(found)


def rows(found, statistic, target="plain", setting="full", **group):
    return [
        row
        for row in found.of(statistic)
        if row.target == target
        and row.group.get("setting") == setting
        and all(row.group.get(key) == level for key, level in group.items())
    ]


def test_there_is_a_drawing_for_each_setting(found):
    for name in ("grap-differences", "grap-coefficients", "grap-auc", "grap-probabilities"):
        titles = [drawing.title for drawing in drawings(found, name)]
        assert len(titles) == len(set(titles)) == 2


def test_raw_differences_are_the_tables_with_the_variance_as_thin_bars(found):
    drawing = drawings(found, "grap-differences")[0]
    assert drawing.shape.rows == tuple(d.title for d in RUBRIC_FILE.dimensions.values())
    column, few = drawing.shape.columns
    assert (column.title, few.title) == ("plain", "few SIM")
    variances = rows(found, "difference_variance")
    for mark, row, variance in zip(
        column.marks, rows(found, "raw_difference"), variances, strict=True
    ):
        if row.value is None:
            assert mark is None
        else:
            assert (mark.value, mark.low, mark.high) == (row.value, row.ci_low, row.ci_high)
            assert mark.reach == variance.value
    assert column.marks[-1] is None
    assert drawing.missing == 2
    assert (drawing.n, drawing.unit) == (30, "pairs")


def test_coefficients_are_the_standardised_ones_and_hollow_where_the_signs_differ(found):
    drawing = drawings(found, "grap-coefficients")[0]
    column, few = drawing.shape.columns
    coefficients = rows(found, "probe_coefficient", scale="standardised")
    assert [mark.value for mark in column.marks] == [row.value for row in coefficients]
    flags = [row.value == 1.0 for row in rows(found, "sign_differs")]
    assert [mark.is_hollow for mark in column.marks] == flags
    # Eight pairs have no probe.
    assert set(few.marks) == {None}
    assert drawing.missing == 10


def test_areas_are_the_cross_validated_ones_and_hollow_without_a_signal(found):
    (column,) = drawings(found, "grap-auc")[0].shape.columns
    (row,) = rows(found, "probe_auc", evaluation="cross_validated")
    assert column.reference == 0.5
    assert column.marks[0].value == row.value
    assert column.marks[0].is_hollow == (row.p_value > 0.05)
    assert column.marks[1] is None


def test_distributions_are_the_tables_bins_of_both_sides(found):
    drawing = drawings(found, "grap-probabilities")[0]
    (panel,) = drawing.shape.panels
    assert [outline.label for outline in panel.outlines] == ["female", "male"]
    for outline in panel.outlines:
        bins = rows(found, "predicted_probability", gender=outline.label)
        assert outline.shares == tuple(row.value for row in bins)
        assert sum(outline.shares) == pytest.approx(1.0)
    assert drawing.missing == 1
    assert drawing.n == 60


def test_settings_stand_side_by_side_with_their_difference_in_every_preset(found):
    (drawing,) = drawings(found, "grap-settings")
    full, alone, difference = drawing.shape.columns
    assert drawing.shape.rows[:3] == ("plain, F", "plain, C", "plain, all")
    for place in range(3):
        assert difference.marks[place].value == pytest.approx(
            alone.marks[place].value - full.marks[place].value
        )
    assert {column.marks[3] for column in (full, alone, difference)} == {None}
    assert drawing.missing == 9


def test_without_rows_there_is_no_drawing():
    for name in ("differences", "coefficients", "auc", "probabilities", "settings"):
        assert drawings(findings_of(()), f"grap-{name}") == []


def test_every_figure_goes_on_a_page_with_its_words(found, tmp_path):
    for name, word in (
        ("grap-coefficients", RUBRIC_FILE.dimensions[ALL[0]].title),
        ("grap-probabilities", "predicted probability of female"),
    ):
        with style():
            page = composed(drawings(found, name)[0], found)
            page.save(tmp_path / "page.svg", "svg", title="t", description="d")
        text = (tmp_path / "page.svg").read_text()
        assert word in text
        assert "SIMULATED" in text
