"""Nothing that a figure writes leaves its page, whatever names and intervals there are."""

from __future__ import annotations

import pytest

from auditor.reports.figures.composition import composed
from auditor.reports.figures.page import style
from tests.figure_builders import drawings_of, found_in, result

LONG = "organisation/a-model-with-a-long-name-70B-Instruct-GPTQ-w4a16"
LEVEL = {"prompt": "1", "temperature": 1.0}


def rates(statistic, *values, **group):
    return [
        result(statistic, target, value, 0.0, 1.0, **group)
        for target, value in zip((LONG, "b"), values, strict=True)
    ]


FIGURES = {
    "spatial-probability-pearson": (
        "spatial.probability",
        [result("model_pearson", LONG, None, other="b", prompt="1")],
    ),
    "spatial-explicit-consistency": (
        "spatial.explicit",
        [
            *rates("men_share", 0.0, 1.0, space="bar", prompt="0", temperature=1.0),
            *rates("men_share", 1.0, None, space="bar", **LEVEL),
        ],
    ),
    "spatial-tracing-rewards": (
        "spatial.tracing",
        rates("reward_margin", -1234.5, None, space="bar"),
    ),
    "spatial-profiling-rates": ("spatial.profiling", rates("match_rate", 1.0, None, space="mall")),
}


@pytest.mark.parametrize("name", FIGURES)
def test_every_text_stands_on_its_page(name):
    protocol, rows = FIGURES[name]
    found = found_in(protocol, rows, "b")
    (drawing,) = drawings_of(name, found)
    with style():
        page = composed(drawing, found)
        figure = page.axes(1, 1, 0.1, 0.1).figure
        *drawn, _ = figure.axes
        texts = [text for axes in drawn for text in axes.texts] + figure.texts
        texts += [label for axes in drawn for label in axes.get_xticklabels()]
        outside = [
            text.get_text()
            for text in texts
            if text.get_text() and not inside(text.get_window_extent(), figure.bbox)
        ]
    assert outside == []


def inside(box, page):
    return box.x0 >= 0 and box.y0 >= 0 and box.x1 <= page.x1 and box.y1 <= page.y1
