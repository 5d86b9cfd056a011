"""Figures of the regional protocols show the result table, in both scripts, and what is missing."""

from dataclasses import fields

import pytest

from auditor.protocols.base import StatisticRow
from auditor.protocols.regional.regions import all_regions
from auditor.protocols.regional.statistics import (
    across_decision,
    across_stereotype,
    decision_rows,
    stereotype_rows,
)
from auditor.reports.figures import Findings, chosen_figures
from auditor.reports.figures.composition import composed
from auditor.reports.figures.lettering import legible
from auditor.reports.figures.named_scatter import _around, _covered
from auditor.reports.figures.page import style
from auditor.reports.figures.region_names import RegionNames
from auditor.reports.figures.scales import colour, written
from auditor.reports.figures.shapes import Scale
from auditor.store.results import ResultRow
from tests.regional_cells import INDICATORS, MATERIALS, REGIONS, choices, find, ratings

FEW = ["BJ", "TJ", "SX", "SN", "TW"]


def rated(scale):
    """Competence by the list of regions, warmth against it."""

    def answer(region, trait, language, repetition):
        step = scale * REGIONS.index(region) / 33
        cold = trait in ("Friendliness", "Sociability", "Trustworthiness", "Honesty")
        return 4 - step if cold else 2 + step

    return answer


def ranked(a, b, *_):
    return "A" if REGIONS.index(a) > REGIONS.index(b) else "B"


def findings(protocol, rows, targets):
    kept = [row for row in rows if row.target != "*"]
    return Findings(
        protocol=protocol,
        paper="paper",
        runs=("run",),
        days="answers of 2026-01-01",
        judges="by rules",
        targets=targets,
        rows=tuple(
            ResultRow(
                **{f.name: getattr(row, f.name) for f in fields(StatisticRow)}, simulated=False
            )
            for row in kept
        ),
        simulated=frozenset(),
        stores=(),
        names=(),
        marks={},
        elsewhere={},
    )


@pytest.fixture(scope="module")
def of_ratings():
    rows = []
    for target, scale in (("one", 2), ("two", -1), ("flat", 0)):
        rows += stereotype_rows(target, ratings(rated(scale)), None, MATERIALS)
    rows += across_stereotype(rows, MATERIALS)
    return rows, findings("regional.stereotype", rows, ("one", "two", "flat"))


@pytest.fixture(scope="module")
def of_choices():
    rows = []
    for target in ("one", "two"):
        cells = choices(ranked, regions=FEW, tasks=["E1", "O3"])
        rows += decision_rows(target, cells, None, MATERIALS)
    rows += across_decision(rows, MATERIALS)
    return rows, findings("regional.decision", rows, ("one", "two"))


def drawn(name, found):
    (figure,) = chosen_figures([name])
    assert figure.protocol == found.protocol
    return list(figure.draw(found))


def test_a_map_shows_every_score_of_a_target(of_ratings):
    rows, found = of_ratings
    maps = drawn("regional-stereotype-map", found)
    assert [drawing.targets for drawing in maps] == [("one",), ("two",), ("flat",)]
    shape = maps[0].shape
    assert len(shape.rows) == 34
    traits, dimensions = shape.blocks
    assert dimensions.columns == ("Warmth", "Competence")
    place = traits.columns.index("Honesty")
    own = [row for row in rows if row.target == "one"]
    for number, region in enumerate(REGIONS):
        expected = find(own, "stereotype_score", region=region, trait="Honesty", language="zh")
        assert traits.values[number][place] == expected.value
    assert maps[0].n == 34 * 8 * 2


def test_regions_are_called_in_english_and_chinese(of_ratings):
    shape = drawn("regional-stereotype-map", of_ratings[1])[0].shape
    assert shape.rows[0] == "Beijing 北京"
    assert "Shanxi 山西" in shape.rows
    assert "Shaanxi 陕西" in shape.rows
    assert all(legible(name) == name for name in shape.rows)


def test_a_name_without_glyphs_falls_back_to_english_and_is_said():
    table = "code,name_en,name_zh\nXX,Somewhere,\U00030000\U00030001\nBJ,Beijing,北京市\n"
    regions = all_regions({"regional/regions.csv": table})
    names = RegionNames({region.code: region for region in regions})
    assert (names.long("XX"), names.short("XX")) == ("Somewhere", "Somewhere")
    assert names.words(["XX", "BJ"]) == (
        "No glyphs for the Chinese names of Somewhere: in English.",
    )
    assert names.words(["BJ"]) == ()
    assert names.long("YY") == "YY"


def test_a_map_of_choices_names_the_tasks_and_counts_comparisons_once(of_choices):
    maps = drawn("regional-decision-map", of_choices[1])
    tasks, domains = maps[0].shape.blocks
    assert tasks.columns[0] == "E1 Undergraduate Potential"
    assert domains.columns == ("Education", "Work")
    assert maps[0].n == 2 * 2 * 20
    assert maps[0].shape.rows[-1] == "Taiwan 台湾"
    assert tasks.few == frozenset()


def test_a_matrix_is_symmetric_and_hatched_without_an_order(of_ratings):
    (drawing,) = drawn("regional-stereotype-agreement", of_ratings[1])
    warmth, competence = drawing.shape.blocks
    assert (warmth.title, competence.title) == ("Warmth", "Competence")
    for block in (warmth, competence):
        assert block.values[0][1] == block.values[1][0] == pytest.approx(-1)
        assert [block.values[k][k] for k in range(3)] == [1, 1, 1]
        assert block.values[2][:2] == (None, None)
    assert drawing.missing == 8
    assert any("Hatched" in line for line in drawing.caption)


def test_warmth_stands_against_competence_with_names(of_ratings):
    (drawing,) = drawn("regional-stereotype-warmth-competence", of_ratings[1])
    panel = drawing.shape.panels[0]
    assert len(panel.points) == 34
    assert panel.points[0].name == "北京"
    assert (panel.points[0].x, panel.points[0].y) == pytest.approx((2, 4))
    assert panel.facts == ("rho = −1.00, p < 0.001, 34 regions",)
    assert drawing.shape.panels[2].facts[0].startswith("no rho: no order")


def test_scores_stand_against_each_indicator_and_the_rest_is_named(of_choices):
    rows, found = of_choices
    drawing = drawn("regional-decision-indicators", found)[0]
    assert len(drawing.shape.panels) == 2 * 3
    panel = drawing.shape.panels[0]
    assert [point.name for point in panel.points] == ["北京", "天津", "山西", "陕西"]
    assert [point.x for point in panel.points] == [INDICATORS["gdp"][r] for r in FEW[:4]]
    own = [row for row in rows if row.target == "one"]
    rho = find(own, "indicator_spearman", indicator="gdp", domain="Education", language="zh")
    assert panel.facts[0].startswith(f"rho = {rho.value:.2f}".replace("-", "−"))
    assert any("Taiwan 台湾" in line for line in drawing.caption)


@pytest.mark.parametrize("name", ["regional-decision-map", "regional-decision-indicators"])
def test_pages_are_drawn_without_a_glyph_missing(name, of_choices, tmp_path, caplog):
    _, found = of_choices
    with style():
        page = composed(drawn(name, found)[0], found)
        for kind in ("svg", "png"):
            page.save(tmp_path / f"a.{kind}", kind, title="t", description="d")
    assert not caplog.records
    assert "北京" in (tmp_path / "a.svg").read_text(encoding="utf-8")


def test_correlations_and_ratings_are_written_as_decimals():
    assert written(Scale.CORRELATION, -0.914) == "−0.91"
    assert written(Scale.CORRELATION, -0.001) == "0.00"
    assert written(Scale.RATING, 3.456) == "3.46"
    assert colour(Scale.RATING, 5.0) == colour(Scale.SHARE, 1.0)
    assert colour(Scale.CORRELATION, 0.0) == colour(Scale.LEAN, 0.5)


def test_names_keep_clear_of_points_and_of_each_other():
    first, *_ = _around(1.0, 1.0, 0.3, 0.1)
    assert _covered(first, [(0.97, 0.97, 1.03, 1.03)], 3.0) == 0
    assert _covered((0, 0, 1, 1), [(0.5, 0.5, 2, 2)], 3.0) == pytest.approx(0.25)
    assert _covered((2.9, 0, 3.2, 1), [], 3.0) == pytest.approx(0.2)
    assert len(list(_around(1.0, 1.0, 0.3, 0.1))) == 24


def test_without_rows_there_is_nothing_to_draw():
    for protocol in ("regional.stereotype", "regional.decision"):
        for figure in chosen_figures(None):
            if figure.protocol == protocol:
                assert list(figure.draw(findings(protocol, [], ("one",)))) == []
