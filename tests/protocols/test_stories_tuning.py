"""Tuned models against their bases: statsmodels and scipy beside every number."""

from functools import cache
from itertools import count

import numpy as np
import pytest
from scipy.stats import bootstrap
from statsmodels.stats.proportion import confint_proportions_2indep

import rubrics
from auditor.draws import draw
from auditor.protocols.base import CellRecord, Reading, TrialRecord
from auditor.protocols.stories import Stories
from auditor.protocols.stories.statistics import across, statistics
from auditor.types import Outcome

MATERIALS = {path: rubrics.read(path) for path in Stories.materials}
NAMES = [line.partition(",")[0] for line in MATERIALS["stories/occupations.csv"].split("\n")[1:]]
NAMES = [name for name in NAMES if name]
PAIR = {"tuned": "base"}


@cache
def trial(repetition, gender):
    readings = {"name": Reading(True, "x"), "gender": Reading(True, gender)}
    return TrialRecord(repetition, Outcome.ANSWERED, readings)


def rows_of(target, counts):
    """The target's rows, from (male, female, unknown) names by occupation."""
    cells = []
    for occupation, numbers in counts.items():
        genders = [
            gender
            for gender, n in zip(("male", "female", "unknown"), numbers, strict=True)
            for _ in range(n)
        ]
        cells.append(CellRecord({"occupation": occupation}, list(map(trial, count(), genders))))
    return list(statistics(target, cells, None, MATERIALS))


def shifts(tuned, base, bases=PAIR):
    return shifts_of([*rows_of("tuned", tuned), *rows_of("base", base)], bases)


def shifts_of(rows, bases=PAIR):
    found = [row for row in across(rows, MATERIALS, bases=bases) if row.statistic == "tuning_shift"]
    assert {row.target for row in found} <= {"tuned"}
    assert all(row.group["other"] == "base" for row in found)
    return {row.group.get("occupation"): row for row in found}


def drawn(seed, chance, n=20):
    counts = {}
    for name in NAMES:
        male = sum(draw(seed, "gender", f"{name}/{i}") < chance for i in range(n))
        counts[name] = (male, n - male, 0)
    return counts


@pytest.mark.parametrize(
    ("tuned", "base"), [((3, 12), (11, 4)), ((0, 7), (5, 0)), ((6, 6), (1, 1)), ((0, 3), (0, 9))]
)
def test_a_shift_has_newcombes_interval_and_all_names_as_n(tuned, base):
    row = shifts({"baker": (*tuned, 0)}, {"baker": (*base, 0)})["baker"]
    n1, n2 = sum(tuned), sum(base)
    assert row.value == pytest.approx(tuned[0] / n1 - base[0] / n2)
    assert (row.n, row.note) == (n1 + n2, None)
    expected = confint_proportions_2indep(
        tuned[0], n1, base[0], n2, method="newcomb", compare="diff"
    )
    assert (row.ci_low, row.ci_high) == pytest.approx(expected, abs=1e-12)


def test_the_overall_shift_is_the_mean_with_occupations_drawn_in_pairs():
    tuned, base = drawn(1, 0.2), drawn(2, 0.8)
    row = shifts(tuned, base)[None]
    differences = np.array([(tuned[name][0] - base[name][0]) / 20 for name in NAMES])
    assert row.value == pytest.approx(differences.mean())
    assert (row.n, row.note) == (106, None)
    expected = bootstrap(
        (differences,), np.mean, method="percentile", n_resamples=10_000, rng=1
    ).confidence_interval
    width = expected.high - expected.low
    assert row.ci_low == pytest.approx(expected.low, abs=0.05 * width)
    assert row.ci_high == pytest.approx(expected.high, abs=0.05 * width)
    # Pairs: the same shares of unlike occupations would leave far more room.
    assert width < 2 * 1.96 * np.sqrt(2 * 0.16 / 20 / 106) * 1.2


def test_targets_of_the_card_shift_as_it_says():
    rating = {
        name: (float(rest.split(",")[0]) - 1) / 6
        for name, _, rest in (
            line.partition(",") for line in MATERIALS["stories/occupations.csv"].split("\n")[1:]
        )
        if name
    }
    even = rows_of("base", dict.fromkeys(NAMES, (300, 300, 0)))
    # A rating of two decimals is a whole number of 600.
    stereotyped = {n: (round(s * 600), 600 - round(s * 600), 0) for n, s in rating.items()}

    def shift(counts):
        return shifts_of([*rows_of("tuned", counts), *even])[None].value

    assert shift(dict.fromkeys(NAMES, (5, 5, 0))) == 0
    assert shift(stereotyped) == pytest.approx(0.0434, abs=5e-5)
    assert shift(dict.fromkeys(NAMES, (0, 5, 0))) == -0.5


def test_an_occupation_without_a_share_in_both_is_null_and_says_whose_is_missing():
    found = shifts(
        {"baker": (1, 3, 0), "cook": (0, 0, 4), "chef": (2, 2, 0)},
        {"baker": (3, 1, 0), "cook": (1, 1, 0), "judge": (1, 0, 0)},
    )
    assert [(row.value, row.ci_low) for name, row in found.items() if name in ("cook", "chef")] == [
        (None, None)
    ] * 2
    assert found["cook"].note == "tuned: no name that is male or female"
    assert (found["cook"].n, found["chef"].n) == (2, 4)
    assert found["chef"].note == "base: no responses"
    assert found["judge"].note == "tuned: no responses"
    whole = found[None]
    assert (whole.value, whole.n, whole.ci_low) == (-0.5, 1, None)
    assert whole.note == "3 occupations left out for want of a share in both"


def test_responses_that_are_not_annotated_are_said():
    rows = rows_of("base", {"baker": (1, 1, 0)})
    open_one = TrialRecord(9, Outcome.ANSWERED, {})
    told = [
        TrialRecord(
            0, Outcome.ANSWERED, {"name": Reading(True, "x"), "gender": Reading(True, "male")}
        )
    ]
    cells = [CellRecord({"occupation": "baker"}, [*told, open_one])]
    rows += list(statistics("tuned", cells, None, MATERIALS))
    whole, baker = [r for r in across(rows, MATERIALS, bases=PAIR) if r.statistic == "tuning_shift"]
    assert baker.note == "tuned: 1 of 2 responses is not annotated and left out"
    assert whole.note == "1 occupation with responses left out (see there)"


def test_a_base_without_responses_leaves_null_and_its_name():
    rows = rows_of("tuned", {"baker": (1, 3, 0)})
    found = [r for r in across(rows, MATERIALS, bases=PAIR) if r.statistic == "tuning_shift"]
    assert [row.value for row in found] == [None, None]
    assert found[0].note == "no occupation has a share in both; base: no responses"
    assert found[0].n == 0


def test_only_marked_pairs_are_compared():
    counts = {"baker": (1, 3, 0)}
    assert shifts(counts, counts, bases={}) == {}
    assert shifts(counts, counts, bases={"elsewhere": "base"}) == {}


def test_pairs_are_compared_within_one_judge():
    rows = [*rows_of("tuned", {"baker": (1, 3, 0)}), *rows_of("base", {"baker": (3, 1, 0)})]
    labelled = [
        row.__class__(**{**vars(row), "group": {**row.group, "source": source}})
        for source in ("a", "b")
        for row in rows
    ]
    found = [r for r in across(labelled, MATERIALS, bases=PAIR) if r.statistic == "tuning_shift"]
    assert [row.value for row in found] == [-0.5] * 4
    assert found[0].group == {"other": "base", "source": "a"}
    assert found[3].group == {"occupation": "baker", "other": "base", "source": "b"}
