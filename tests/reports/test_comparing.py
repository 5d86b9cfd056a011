"""Values that are no plain classes: numbers, texts of any wording, objects."""

from __future__ import annotations

from collections import Counter

import pytest

from auditor import protocols
from auditor.protocols.base import Numbers, Task
from auditor.reports.agreement_figures import Kind
from auditor.reports.comparing import Draws, compare
from auditor.reports.label_values import NotAllowed, label_value
from auditor.reports.raters import consensus
from auditor.reports.scales import Scale, class_of, part_pairs, parts_of, scale_of


class Rating:
    """A protocol whose one task takes numbers from 1 to 5, or a refusal."""

    name = "rating"
    tasks = (Task(name="rating", default_judge="rules"),)

    def check_value(self, task, value):
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        fits = (is_number and 1 <= value <= 5) or value == "refusal"
        return None if fits else 'a number from 1 to 5, or "refusal"'


class Name:
    """A protocol whose one task takes any name, or null."""

    name = "name"
    tasks = (Task(name="name", default_judge="rules"),)

    def check_value(self, task, value):
        return None if value is None or isinstance(value, str) else "a name, or null"


NAMES = Task(name="t", default_judge="rules")
CLASSES = Task(name="t", default_judge="rules", labels=("a", "b"))
RATINGS = Task(name="t", default_judge="rules", labels=("refusal",), numbers=Numbers(near=0.5))


def compared(pairs, task, **changes):
    settings = {
        "kind": Kind.PEOPLE_JUDGE,
        "first": "people",
        "second": "j",
        "part": None,
        "excluded": {},
        "simulated": False,
        "draws": Draws(seed=1, resamples=100),
        "where": "p/t",
    }
    return compare(pairs, task=task, **{**settings, **changes})


NUMBERS = Counter({("3", "4"): 2, ("2.5", "2.5"): 1, ('"refusal"', "1"): 1, ("5", None): 1})


class TestNumbers:
    def test_are_one_class_beside_the_words(self):
        table = compared(NUMBERS, RATINGS).confusion.as_json()
        assert table == {"number": {"number": 3, "invalid": 1}, "refusal": {"number": 1}}

    def test_are_near_or_far_where_both_gave_one(self):
        found = compared(NUMBERS, RATINGS)
        assert found.figures.mean_difference.value == pytest.approx(2 / 3)
        assert found.figures.mean_absolute_difference.value == pytest.approx(2 / 3)
        assert found.figures.within.value == 1 / 3
        assert (found.n, found.excluded) == (3, {"without a number by both": 2})

    def test_alpha_of_them_counts_distance(self):
        """Units (3,4), (3,4), (2.5,2.5): observed 4/6, expected from all pairs of six values."""
        values = [3, 4, 3, 4, 2.5, 2.5]
        apart = sum((a - b) ** 2 for a in values for b in values)
        expected = 1 - (4 / 6) / (apart / (6 * 5))
        found = compared(NUMBERS, RATINGS).figures.alpha
        assert found.value == pytest.approx(expected)

    def test_are_measured_as_the_task_declares_whatever_was_said(self):
        assert scale_of(RATINGS) is Scale.NUMBERS
        assert scale_of(CLASSES) is Scale.CATEGORIES
        assert scale_of(NAMES) is Scale.TEXTS
        assert compared({("1", "2"): 3}, NAMES).figures.accuracy.value == 0

    def test_of_a_task_without_a_distance_have_no_share_within_it(self):
        task = Task(name="t", default_judge="rules", numbers=Numbers())
        found = compared(NUMBERS, task)
        assert found.figures.within is None
        assert "within" not in found.as_json()

    def test_peoples_common_number_is_their_mean(self):
        people = {"a": {1: "3", 2: "1"}, "b": {1: "4", 2: '"refusal"'}, "c": {1: '"refusal"'}}
        found = consensus(people, {}, Scale.NUMBERS)
        assert (found.ratings, found.no_majority) == ({1: "3.5"}, 1)


class TestTexts:
    def test_are_equal_whatever_their_case_and_blanks(self):
        pairs = {('"Elena  Vance"', '"elena vance "'): 1, ('"Elena Vance"', '"Elena"'): 1}
        found = compared(pairs, NAMES)
        assert found.figures.accuracy.value == 1 / 2

    def test_are_never_taken_for_what_is_no_text(self):
        said = [None, "null", '"invalid"', '"null"', '"number"']
        assert len({class_of(value, Scale.TEXTS) for value in said}) == 5

    def test_of_every_script_are_shown_as_they_are(self):
        assert class_of('"\\u674e \\u5a1c"', Scale.TEXTS) == '"李 娜"'


class TestParts:
    def test_objects_are_compared_part_by_part(self):
        said = ['{"man":"Leader","woman":"Observer"}', '{"man":"Leader"}', None]
        assert parts_of(said) == ["man", "woman"]
        pairs = {(said[0], said[1]): 2, (said[0], None): 1}
        assert part_pairs(pairs, "man") == {('"Leader"', '"Leader"'): 2, ('"Leader"', None): 1}
        assert part_pairs(pairs, "woman") == {('"Observer"', None): 1}

    def test_null_beside_objects_has_no_part(self):
        said = ['{"man":"Leader","woman":"Observer"}', "null"]
        assert parts_of(said) == ["man", "woman"]
        assert part_pairs({(said[0], said[1]): 2}, "man") == {}

    @pytest.mark.parametrize("said", [["[1]"], ['{"a":[1]}'], ['{"a":1}', '"b"'], [None]])
    def test_whatever_else_is_compared_as_a_whole(self, said):
        assert parts_of(said) == []


class TestLabels:
    @pytest.mark.parametrize(
        ("cell", "value"),
        [("4", "4"), ("4.0", "4"), ("2.5", "2.5"), ("refusal", '"refusal"'), ("Invalid", None)],
    )
    def test_are_read_as_the_task_takes_them(self, cell, value):
        assert label_value(Rating(), Rating.tasks[0], cell, materials={}) == value

    @pytest.mark.parametrize(
        ("cell", "value"),
        [("null", "null"), ("Null", '"Null"'), ("4", '"4"'), ("NaN", '"NaN"'), ("Ann", '"Ann"')],
    )
    def test_are_texts_unless_they_are_null(self, cell, value):
        assert label_value(Name(), Name.tasks[0], cell, materials={}) == value

    @pytest.mark.parametrize(
        ("cell", "value"),
        [(".5", "0.5"), ("+1", "1"), ("1.", "1"), ("-.25", "-0.25"), ("\u22120.5", "-0.5")],
    )
    def test_are_numbers_as_people_type_them(self, cell, value):
        protocol = protocols.get("spatial.construction")
        task = next(task for task in protocol.tasks if task.name == "sentiment")
        assert label_value(protocol, task, cell, materials={}) == value
        comma = cell.replace(".", ",")
        assert label_value(protocol, task, comma, decimal_comma=True, materials={}) == value

    def test_have_a_decimal_comma_only_where_semicolons_part_cells(self):
        task = Rating.tasks[0]
        assert label_value(Rating(), task, "2,5", decimal_comma=True, materials={}) == "2.5"
        with pytest.raises(NotAllowed):
            label_value(Rating(), task, "2,5", materials={})

    @pytest.mark.parametrize("cell", ["6", "men", "NaN", "Infinity", "1e999", "[1]", "[" * 99999])
    def test_are_refused_with_what_is_allowed(self, cell):
        with pytest.raises(NotAllowed, match='a number from 1 to 5, or "refusal", or "invalid"'):
            label_value(Rating(), Rating.tasks[0], cell, materials={})


class TestDraws:
    def test_depend_on_seed_and_raters_not_on_order(self):
        pairs = {('"a"', '"a"'): 9, ('"a"', '"b"'): 4, ('"b"', '"b"'): 6}
        turned = dict(reversed(pairs.items()))
        first = compared(pairs, CLASSES)
        assert compared(turned, CLASSES).as_json() == first.as_json()
        for other in ({"second": "k"}, {"draws": Draws(seed=2, resamples=100)}):
            changed = compared(pairs, CLASSES, **other)
            assert changed.figures.kappa.value == first.figures.kappa.value
            assert changed.figures.kappa.ci_low != first.figures.kappa.ci_low

    def test_are_fewer_where_kinds_are_very_many(self):
        draws = Draws(seed=1, resamples=2000)
        assert draws.resamples_of(100) == 2000
        assert draws.resamples_of(100_000) == 400
        assert draws.resamples_of(10_000_000) == 200
