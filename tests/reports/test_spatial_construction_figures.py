"""Figures of `spatial.construction`: which numbers stand where."""

from __future__ import annotations

from math import log

import pytest

from auditor.reports.figures.findings import findings
from auditor.reports.figures.registry import chosen_figures
from tests.figure_builders import read
from tests.import_builders import LEFT_OUT, line, take


def adjectives(**counts):
    return [{"adjective": word, "gender": None} for word, n in counts.items() for _ in range(n)]


def agency(gender, agents, patients):
    roles = ["ARG0"] * agents + ["ARG1"] * patients
    return [{"gender": gender, "argument": role} for role in roles]


ANNOTATIONS = [
    ("kitchen", "solo_man", "adjectives", adjectives(bold=9, old=5, rare=1)),
    ("kitchen", "solo_woman", "adjectives", adjectives(shy=6, bold=3, old=5)),
    ("kitchen", "solo_man", "agency", agency("men", 3, 1)),
    ("bar", "solo_woman", "agency", agency("women", 1, 3)),
    ("bar", "co_present", "role", {"man": "Leader", "woman": "Observer"}),
]


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("construction")
    lines = [
        line(
            LEFT_OUT,
            protocol="spatial.construction",
            target="t",
            factors={"space": space, "story": story},
            repetition=0,
            annotation={"task": task, "judge": "given", "value": value},
        )
        for space, story, task, value in ANNOTATIONS
    ]
    assert take(folder, lines).rejected == 0
    (one,) = findings([read(folder / "a.db")])
    return one


def drawing(found, name):
    (figure,) = chosen_figures([f"spatial-construction-{name}"])
    (drawn,) = figure.draw(found)
    return drawn


def test_adjectives_stand_from_the_most_mens_to_the_most_womens(found):
    drawn = drawing(found, "adjectives")
    assert drawn.shape.rows == ("bold (12)", "old (10)", "shy (6)")
    (column,) = drawn.shape.columns
    # Of 15 of men's adjectives 9 are bold, of 14 of women's 3; old: 5 of either.
    assert column.marks[0].value == pytest.approx(log((9 / 6) / (3 / 11)))
    assert column.marks[1].value == pytest.approx(log((5 / 10) / (5 / 9)))
    assert column.marks[2].value < 0
    assert (drawn.n, drawn.unit) == (28, "occurrences")


def test_agency_is_shown_for_the_person_whom_a_story_is_about(found):
    drawn = drawing(found, "agency")
    assert drawn.shape.rows == ("men, a man alone, private", "women, a woman alone, public")
    (column,) = drawn.shape.columns
    assert [mark.value for mark in column.marks] == [0.75, 0.25]
    assert (drawn.n, drawn.missing) == (8, 0)
    assert "no semantic role labelling" in drawn.caption[1]


def test_roles_are_shown_by_domain_and_gender(found):
    drawn = drawing(found, "roles")
    (block,) = drawn.shape.blocks
    assert drawn.shape.rows == ("Leader", "Supporter", "Observer", "Dependent")
    assert drawn.shape.sections == (("public spaces", 4),)
    assert block.columns == ("t: men", "t: women")
    assert block.values == ((1.0, 0.0), (0.0, 0.0), (0.0, 1.0), (0.0, 0.0))
