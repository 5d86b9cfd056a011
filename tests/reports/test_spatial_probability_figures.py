"""Figures of `spatial.probability`: what stands in which tile."""

from __future__ import annotations

from math import log

import pytest
from scipy.stats import pearsonr

from auditor.reports.figures.findings import findings
from auditor.reports.figures.registry import chosen_figures
from auditor.reports.figures.shapes import Scale
from tests.figure_builders import read
from tests.import_builders import LEFT_OUT, line, take

MASSES = {
    "a": {"kitchen": (0.1, 0.3), "garage": (0.6, 0.2), "mall": (0.2, 0.2), "bank": (0.3, 0.1)},
    "b": {"kitchen": (0.2, 0.3), "garage": (0.3, 0.2), "mall": (0.1, 0.4), "bank": (0.01, 0.01)},
    "c": {"kitchen": (0.2, 0.2), "garage": (0.2, 0.2), "mall": (0.2, 0.2), "bank": (0.2, 0.2)},
}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("probability")
    lines = [
        line(
            LEFT_OUT,
            protocol="spatial.probability",
            target=target,
            factors={"space": space, "prompt": prompt},
            logprobs={"Men": log(men), "Women": log(women)},
        )
        for prompt in ("1", "2")
        for target, spaces in MASSES.items()
        for space, (men, women) in spaces.items()
    ]
    assert take(folder, lines).rejected == 0
    return findings([read(folder / "a.db")])


def drawing(found, name):
    (figure,) = chosen_figures([name])
    (one,) = found
    (drawn,) = figure.draw(one)
    return drawn


def test_spaces_are_shown_by_domain_with_their_probability(found):
    drawn = drawing(found, "spatial-probability-map")
    (block,) = drawn.shape.blocks
    assert drawn.shape.sections == (("private spaces", 2), ("public spaces", 2))
    assert drawn.shape.rows == ("garage", "kitchen", "bank", "mall")
    garage, kitchen, bank, mall = block.values
    assert garage == pytest.approx((0.75, 0.6, 0.5))
    assert kitchen == pytest.approx((0.25, 0.4, 0.5))
    assert mall == pytest.approx((0.5, 0.2, 0.5))
    assert bank[1] is None, "uncovered"
    assert drawn.missing == 1
    assert drawn.caption[0] == "Prompt 1; 1 other prompt not shown."


def test_correlations_are_symmetric_with_gaps_where_nothing_varies(found):
    drawn = drawing(found, "spatial-probability-pearson")
    (block,) = drawn.shape.blocks
    assert block.scale is Scale.CORRELATION
    r = pearsonr([0.25, 0.75, 0.5], [0.4, 0.6, 0.2]).statistic
    assert block.values[0] == (1.0, pytest.approx(r), None)
    assert block.values[1] == (pytest.approx(r), 1.0, None)
    assert block.values[2] == (None, None, 1.0)


def test_nothing_is_drawn_without_rows(found):
    (one,) = found
    empty = one.__class__(**{**vars(one), "rows": ()})
    for name in ("spatial-probability-map", "spatial-probability-pearson"):
        (figure,) = chosen_figures([name])
        assert figure.draw(empty) == []
