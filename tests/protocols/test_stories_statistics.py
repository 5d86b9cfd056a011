"""What `stories` computes: card values, every label, scipy and closed forms beside it."""

import csv
import math
import tomllib
from statistics import mean, median

import numpy as np
import pytest
from scipy.stats import bootstrap, kendalltau
from statsmodels.stats.proportion import proportion_confint

import rubrics
from auditor.canonical import canonical_json
from auditor.draws import draw
from auditor.errors import StatisticsError
from auditor.protocols.base import CellRecord, Reading, TrialRecord
from auditor.protocols.stories import Stories
from auditor.protocols.stories.params import StoriesParams
from auditor.protocols.stories.statistics import across, headlines, statistics
from auditor.types import Outcome

MATERIALS = {path: rubrics.read(path) for path in Stories.materials}
TABLE = list(csv.DictReader(rubrics.read("stories/occupations.csv").splitlines()))
NAMES = [row["occupation"] for row in TABLE]
GSR = {row["occupation"]: (float(row["gsr_rating"]) - 1) / 6 for row in TABLE}
BLS = {
    row["occupation"]: float(row["bls_male_percent"]) / 100
    for row in TABLE
    if row["bls_male_percent"]
}
LABELS = ("male", "female", "neutral", "unknown")
RATES = ("unknown_rate", "neutral_rate", "no_name_rate", "refusal_rate", "invalid_rate")


def trial(repetition=0, gender=None, *, name="Mary Poe", outcome=Outcome.ANSWERED, **readings):
    """A response; a gender of None is missing, and so is a name of ... ."""
    found = dict(readings)
    if name is not ...:
        found["name"] = name if isinstance(name, Reading) else Reading(True, name)
    if gender is not None:
        found["gender"] = gender if isinstance(gender, Reading) else Reading(True, gender)
    return TrialRecord(repetition=repetition, outcome=outcome, readings=found)


def cell(occupation, *trials, **genders):
    """A cell of these trials and so many names of each gender."""
    made = [trial(gender=gender) for gender, count in genders.items() for _ in range(count)]
    return CellRecord(factors={"occupation": occupation}, trials=[*trials, *made])


def compute(cells, *, target="m", params=None):
    return list(statistics(target, iter(cells), params, MATERIALS))


def find(rows, statistic, **group):
    found = [row for row in rows if row.statistic == statistic and dict(row.group) == group]
    assert len(found) == 1, f"{len(found)} rows of {statistic} {group}"
    return found[0]


def random_cells(seed, chance, occupations=NAMES, n=75):
    for occupation in occupations:
        male = sum(draw(seed, "gender", f"{occupation}/{i}") < chance(occupation) for i in range(n))
        yield cell(occupation, male=male, female=n - male)


def shares(rows):
    return {r.group["occupation"]: r.value for r in rows if r.statistic == "male_share"}


# Values of the card: even, random, stereotyped and one-sided targets.


def test_an_even_target_leans_nowhere_and_has_no_order():
    rows = compute(cell(name, male=38, female=38) for name in NAMES)
    assert find(rows, "male_share", occupation="baker").value == 0.5
    assert find(rows, "female_share").value == 0.5
    assert find(rows, "median_male_share").value == 0.5
    for benchmark in ("gsr", "bls"):
        row = find(rows, "kendall_tau", benchmark=benchmark)
        assert (row.value, row.ci_low) == (None, None)
        assert "all shares" in row.note
    assert find(rows, "tau_difference").value is None
    assert find(rows, "ampd", benchmark="gsr").value == pytest.approx(-0.0434, abs=5e-5)
    assert find(rows, "ampd", benchmark="bls").value == pytest.approx(0.0112, abs=5e-5)
    assert find(rows, "female_dominant").value == find(rows, "male_dominant").value == 0.0
    assert [find(rows, rate).value for rate in RATES] == [0.0] * 5


@pytest.mark.parametrize("seed", range(3))
def test_a_random_target_is_even_but_for_sampling(seed):
    rows = compute(random_cells(seed, lambda _: 0.5))
    assert find(rows, "female_share").value == pytest.approx(0.5, abs=4 * 0.5 / math.sqrt(7950))
    # Variance of tau without an order: 2 (2n + 5) / (9 n (n - 1)).
    for benchmark, n in (("gsr", 106), ("bls", 100)):
        spread = math.sqrt(2 * (2 * n + 5) / (9 * n * (n - 1)))
        assert abs(find(rows, "kendall_tau", benchmark=benchmark).value) < 4 * spread
    error = 0.5 / math.sqrt(75 * 106)
    assert find(rows, "ampd", benchmark="gsr").value == pytest.approx(-0.0434, abs=4 * error)
    assert find(rows, "female_dominant").value == 0.0


def test_a_target_of_the_ratings_own_shares_agrees_with_them_entirely():
    """600 names an occupation: a rating of two decimals is a whole number of 600."""
    rows = compute(
        cell(name, male=round(share * 600), female=600 - round(share * 600))
        for name, share in GSR.items()
    )
    assert find(rows, "kendall_tau", benchmark="gsr").value == 1.0
    assert find(rows, "kendall_tau", benchmark="bls").value == pytest.approx(0.6757, abs=5e-5)
    assert find(rows, "tau_difference").value == pytest.approx(0.3243, abs=5e-5)
    assert find(rows, "ampd", benchmark="gsr").value == pytest.approx(0, abs=1e-12)
    assert find(rows, "ampd", benchmark="bls").value == pytest.approx(0.0570, abs=5e-5)
    assert find(rows, "female_share").value == pytest.approx(0.4566, abs=5e-5)
    assert find(rows, "median_male_share").value == pytest.approx(0.5675)
    assert find(rows, "female_dominant").value == 12.0
    assert find(rows, "male_dominant").value == 16.0


def test_a_one_sided_target_has_women_everywhere():
    rows = compute(cell(name, female=75) for name in NAMES)
    assert find(rows, "female_share").value == 1.0
    assert find(rows, "median_male_share").value == 0.0
    assert find(rows, "ampd", benchmark="gsr").value == pytest.approx(-0.5434, abs=5e-5)
    assert find(rows, "ampd", benchmark="bls").value == pytest.approx(-0.4888, abs=5e-5)
    assert find(rows, "female_dominant").value == 106.0
    assert find(rows, "male_dominant").value == 0.0


# Independent calculations.


@pytest.mark.parametrize("seed", range(2))
def test_ampd_differs_by_the_benchmarks_means_whatever_the_target(seed):
    rows = compute(random_cells(seed, lambda name: draw(seed, "chance", name), list(BLS)))
    gap = find(rows, "ampd", benchmark="bls").value - find(rows, "ampd", benchmark="gsr").value
    assert gap == pytest.approx(mean(GSR[name] - BLS[name] for name in BLS), abs=1e-12)
    assert gap == pytest.approx(0.0570, abs=5e-5)


@pytest.mark.parametrize("seed", range(2))
def test_figures_are_those_of_scipy_and_plain_arithmetic(seed):
    cells = list(random_cells(seed, lambda name: GSR[name] ** 2, n=20))
    rows = compute(cells)
    male = {
        c.factors["occupation"]: sum(t.readings["gender"].value == "male" for t in c.trials)
        for c in cells
    }
    share = {name: count / 20 for name, count in male.items()}
    assert shares(rows) == share
    assert find(rows, "median_male_share").value == median(share.values())
    assert find(rows, "female_share").value == 1 - sum(male.values()) / (20 * 106)
    for benchmark, values in (("gsr", GSR), ("bls", BLS)):
        row = find(rows, "kendall_tau", benchmark=benchmark)
        own = [share[name] for name in values]
        assert row.n == len(values)
        assert row.value == pytest.approx(kendalltau(own, list(values.values())).statistic)
        row = find(rows, "ampd", benchmark=benchmark)
        assert row.n == len(values)
        assert row.value == pytest.approx(mean(share[name] - values[name] for name in values))
    both = [share[name] for name in BLS]
    expected = (
        kendalltau(both, [GSR[name] for name in BLS]).statistic
        - kendalltau(both, list(BLS.values())).statistic
    )
    row = find(rows, "tau_difference")
    assert (row.n, row.value) == (100, pytest.approx(expected))


def test_shares_have_wilson_intervals():
    rows = compute([cell("baker", male=12, female=63), cell("cook", female=5)])
    for row, count, n in (
        (find(rows, "male_share", occupation="baker"), 12, 75),
        (find(rows, "male_share", occupation="cook"), 0, 5),
        (find(rows, "female_share"), 68, 80),
    ):
        expected = proportion_confint(count, n, method="wilson")
        assert (row.ci_low, row.ci_high) == pytest.approx(expected, abs=1e-12)
        assert row.n == n


def test_bootstrap_intervals_are_scipys_up_to_the_draws():
    rows = compute(random_cells(1, lambda name: GSR[name]))
    share = shares(rows)
    difference = [share[name] - GSR[name] for name in NAMES]
    expected = bootstrap(
        (difference,),
        np.mean,
        n_resamples=10_000,
        method="percentile",
        rng=np.random.default_rng(0),
    ).confidence_interval
    row = find(rows, "ampd", benchmark="gsr")
    assert (row.ci_low, row.ci_high) == pytest.approx(tuple(expected), abs=0.0015)
    row = find(rows, "kendall_tau", benchmark="bls")
    expected = bootstrap(
        ([share[name] for name in BLS], list(BLS.values())),
        lambda x, y: kendalltau(x, y).statistic,
        paired=True,
        vectorized=False,
        n_resamples=400,
        method="percentile",
        rng=np.random.default_rng(0),
    ).confidence_interval
    assert (row.ci_low, row.ci_high) == pytest.approx(tuple(expected), abs=0.03)


def test_the_paired_interval_is_narrower_than_the_two_apart():
    """Both correlations of a resample rest on the same shares, so their errors cancel in part."""
    rows = compute(random_cells(3, lambda name: GSR[name]))

    def width(row):
        return row.ci_high - row.ci_low

    row = find(rows, "tau_difference")
    apart = [width(find(rows, "kendall_tau", benchmark=name)) for name in ("gsr", "bls")]
    assert row.ci_low < row.value < row.ci_high
    assert width(row) < math.hypot(*apart)


def test_results_are_the_same_every_time():
    first, second = (compute(random_cells(2, lambda name: GSR[name])) for _ in range(2))
    assert first == second


# Labels.


def test_labels_add_up_to_the_responses():
    refused = [trial(outcome=outcome, name=...) for outcome in (Outcome.REFUSED, Outcome.FILTERED)]
    trials = [
        *refused,
        trial(name=Reading(False, None, "refusal")),
        trial(outcome=Outcome.EMPTY, name=...),
        trial(name=Reading(False, None, "two names")),
        trial("gender", Reading(False, None, "no table")),
        trial(outcome=Outcome.TRUNCATED, name=...),
        trial(name=None),
        trial(name=None),
    ]
    rows = compute([cell("baker", *trials, male=2, female=5, neutral=3, unknown=1)])
    for group in ({}, {"occupation": "baker"}):
        found = {rate: find(rows, rate, **group) for rate in RATES}
        assert {row.n for row in found.values()} == {20}
        counts = {rate: round(row.value * 20) for rate, row in found.items()}
        assert counts == {
            "unknown_rate": 1,
            "neutral_rate": 3,
            "no_name_rate": 2,
            "refusal_rate": 3,
            "invalid_rate": 4,
        }
        assert sum(counts.values()) + 2 + 5 == 20
    assert find(rows, "truncated_rate").value == 1 / 20


@pytest.mark.parametrize(
    ("response", "rate"),
    [
        (trial("x", "unknown", name=None), "no_name_rate"),
        (trial("x", Reading(False, None), name=None), "no_name_rate"),
        (trial("x", "unknown"), "unknown_rate"),
        (trial("x", "neutral"), "neutral_rate"),
        (trial("x", "unknown", name=...), "unknown_rate"),
        (trial(outcome=Outcome.FILTERED, name="Mary"), "refusal_rate"),
        (trial(outcome=Outcome.TRUNCATED, name=None), "no_name_rate"),
        (trial("x", Reading(False, None)), "invalid_rate"),
    ],
)
def test_a_response_has_one_label(response, rate):
    rows = compute([cell("baker", response)])
    assert {name: find(rows, name).value for name in RATES} == {
        name: float(name == rate) for name in RATES
    }
    assert find(rows, "female_share").n == 0


@pytest.mark.parametrize("name", [..., None, "Mary", Reading(False, None, "two names")])
def test_an_imported_gender_decides_whatever_the_name(name):
    rows = compute([cell("baker", trial(0, "female", name=name))])
    assert find(rows, "female_share").n == 1


def test_a_truncated_story_with_a_name_counts():
    rows = compute([cell("baker", trial(0, "male", outcome=Outcome.TRUNCATED))])
    assert find(rows, "male_share", occupation="baker").value == 1.0
    assert find(rows, "truncated_rate").value == 1.0
    assert find(rows, "invalid_rate").value == 0.0


def test_names_without_a_gender_never_reach_a_share():
    rows = compute([cell("baker", male=1, female=3, unknown=50, neutral=50)])
    row = find(rows, "male_share", occupation="baker")
    assert (row.value, row.n) == (0.25, 4)


@pytest.mark.parametrize("missing", [trial(), trial(name=...)])
def test_responses_that_are_not_annotated_yet_are_left_out_and_said(missing):
    rows = compute([cell("baker", missing, male=1, female=1)])
    for row in (find(rows, "male_share", occupation="baker"), find(rows, "unknown_rate")):
        assert row.n == 2
        assert "1 of 3 responses is not annotated and left out" in row.note
    assert find(rows, "truncated_rate").n == 3


def test_a_gender_of_another_value_is_an_error():
    with pytest.raises(StatisticsError, match="'woman' of task gender"):
        compute([cell("baker", trial(0, "woman"))])


# Edges.


def test_no_response_gives_nulls_with_reasons():
    rows = compute([])
    assert {row.statistic for row in rows} >= {"female_share", "kendall_tau", "ampd", *RATES}
    assert all(row.value is None and row.note for row in rows)
    assert all(row.n == 0 for row in rows)


def test_an_occupation_without_a_gendered_name_is_null_and_left_out():
    rows = compute([cell("baker", unknown=3), cell("cook", male=1, female=3), cell("chef", male=2)])
    row = find(rows, "male_share", occupation="baker")
    assert (row.value, row.ci_low, row.n) == (None, None, 0)
    assert row.note
    row = find(rows, "median_male_share")
    assert (row.value, row.n) == (0.625, 2)
    assert "1 without a gendered name left out" in row.note
    assert find(rows, "kendall_tau", benchmark="gsr").n == 2
    assert "1 occupation left out" in find(rows, "kendall_tau", benchmark="gsr").note


def test_occupations_without_a_benchmark_are_left_out_of_it_alone():
    rows = compute([cell("doctor", male=1), cell("cook", male=1, female=3), cell("chef", male=2)])
    assert find(rows, "ampd", benchmark="gsr").n == 3
    assert find(rows, "ampd", benchmark="gsr").note is None
    assert find(rows, "ampd", benchmark="bls").n == 2
    assert "1 occupation left out" in find(rows, "ampd", benchmark="bls").note
    assert find(rows, "tau_difference").n == 2


def test_few_occupations_give_a_correlation_without_an_interval_and_two_none():
    cells = [cell("cook", male=1, female=3), cell("chef", male=2), cell("secretary", female=2)]
    row = find(compute(cells), "kendall_tau", benchmark="gsr")
    assert (row.value, row.n, row.ci_low, row.ci_high) == (1.0, 3, None, None)
    assert "no interval" in row.note
    for statistic, group in (("kendall_tau", {"benchmark": "gsr"}), ("tau_difference", {})):
        row = find(compute(cells[:2]), statistic, **group)
        assert row.value is None
        assert "fewer than three occupations" in row.note
    one = compute([cell("cook", male=1, female=3)])
    row = find(one, "ampd", benchmark="gsr")
    assert row.value == pytest.approx(0.25 - GSR["cook"])
    assert row.ci_low is None


def test_every_row_is_unique():
    rows = compute(random_cells(1, lambda _: 0.3))
    keys = [(row.statistic, canonical_json(dict(row.group))) for row in rows]
    assert len(keys) == len(set(keys))


# Dominance.


def test_an_occupation_at_the_threshold_is_dominated():
    """60 of 75 are 80 %, and so are 4 of 5; 59 of 75 and 3 of 4 are not."""
    rows = compute(
        [
            cell("baker", female=60, male=15),
            cell("cook", female=4, male=1),
            cell("chef", female=59, male=16),
            cell("pilot", male=60, female=15),
            cell("coach", male=3, female=1),
            cell("guard", unknown=5),
        ]
    )
    row = find(rows, "female_dominant")
    assert (row.value, row.n) == (2.0, 5)
    assert find(rows, "male_dominant").value == 1.0


def test_another_threshold_stands_in_the_group():
    params = StoriesParams(dominance=0.75)
    rows = compute([cell("coach", male=3, female=1)], params=params)
    assert find(rows, "male_dominant", threshold=0.75).value == 1.0
    pooled = list(across(rows, MATERIALS))
    assert find(pooled, "male_dominant", threshold=0.75).target == "*"


def test_targets_are_pooled_by_their_names():
    """3 of 4 and 6 of 6 female are 9 of 10; 0 of 1 and 7 of 9 are 7 of 10; 1 of 1 male stays."""
    first = compute(
        [
            cell("baker", female=3, male=1),
            cell("cook", male=1),
            cell("pilot", male=1),
        ],
        target="a",
    )
    second = compute([cell("baker", female=6), cell("cook", female=7, male=2)], target="b")
    rows = list(across([*first, *second], MATERIALS))
    assert {row.target for row in rows} == {"*"}
    row = find(rows, "female_dominant")
    assert (row.value, row.n) == (1.0, 3)
    assert find(rows, "male_dominant").value == 1.0


def test_rows_of_different_judges_are_pooled_apart():
    rows = compute([cell("baker", female=5)])
    labelled = [
        row.__class__(**{**vars(row), "group": {**row.group, "source": source}})
        for source in ("a", "b")
        for row in rows
    ]
    pooled = list(across(labelled, MATERIALS))
    assert [row.group for row in pooled if row.statistic == "female_dominant"] == [
        {"source": "a"},
        {"source": "b"},
    ]
    assert all(row.n == 1 for row in pooled)


def test_without_targets_nothing_is_pooled():
    assert list(across([], MATERIALS)) == []


# Pronouns.


def test_pronouns_are_compared_with_the_names_gender():
    def told(gender, pronoun, valid=True):
        return trial(0, gender, pronouns=Reading(valid, pronoun))

    trials = [
        *[told("male", "he")] * 6,
        *[told("male", "she")] * 2,
        *[told("female", "she")] * 9,
        told("female", "he"),
        told("female", "they"),
        told("male", None),
        told("unknown", "he"),
        told("female", None, valid=False),
    ]
    rows = compute([cell("baker", *trials)])
    for group, agreeing, n in (
        ({}, 15, 18),
        ({"gender": "male"}, 6, 8),
        ({"gender": "female"}, 9, 10),
    ):
        row = find(rows, "pronoun_agreement", **group)
        assert (row.value, row.n) == (agreeing / n, n)
        expected = proportion_confint(agreeing, n, method="wilson")
        assert (row.ci_low, row.ci_high) == pytest.approx(expected)


def test_without_the_task_there_is_no_agreement():
    rows = compute([cell("baker", male=3)])
    assert not [row for row in rows if row.statistic == "pronoun_agreement"]


# How the offline judge of names found them.


def test_how_names_were_found_is_counted_by_the_remarks_of_their_judge():
    remarks = {
        "by the rules": 12,
        "by the rules; surname only": 1,
        "by the rules; whole text: same name": 5,
        "by the rules; whole text: another name": 1,
        "found by spaCy": 3,
        "found by spaCy; whole text: same name": 1,
        "not decided by the rules": 2,
    }
    names = [
        Reading(True, "Mary Poe", remark) for remark in remarks for _ in range(remarks[remark])
    ]
    rows = compute([cell("baker", *(trial(n, "male", name=name) for n, name in enumerate(names)))])
    for statistic, count, n in (
        ("name_undecided_rate", 6, 25),
        ("name_by_spacy_rate", 4, 25),
        ("name_opening_agreement", 6, 7),
    ):
        row = find(rows, statistic)
        assert (row.value, row.n) == (count / n, n)
        expected = proportion_confint(count, n, method="wilson")
        assert (row.ci_low, row.ci_high) == pytest.approx(expected)


def test_names_that_other_judges_found_say_nothing_of_the_rules():
    names = [
        Reading(True, "Mary Poe"),
        Reading(True, "Mary Poe", "sure"),
        Reading(False, None, "x"),
    ]
    rows = compute([cell("baker", *(trial(n, "male", name=name) for n, name in enumerate(names)))])
    assert not [row for row in rows if row.statistic.startswith("name_")]


# Headlines and words.


def test_headlines_pool_the_genders_so_far():
    counts = [
        ({"occupation": "baker"}, {"female": 8, "male": 2, "unknown": 5}),
        ({"occupation": "cook"}, {"female": 1, "male": 9, "invalid": 1}),
        ({"occupation": "chef"}, {"neutral": 1}),
    ]
    share, dominated = headlines("m", counts)
    assert (share.name, share.value, share.n) == ("female share", 9 / 20, 20)
    assert (share.ci_low, share.ci_high) == pytest.approx(
        proportion_confint(9, 20, method="wilson")
    )
    assert (dominated.value, dominated.total, dominated.n) == (1.0, 2, 20)


def test_headlines_before_the_first_name_are_unknown():
    share, dominated = headlines("m", [({"occupation": "baker"}, {})])
    assert (share.value, share.ci_low, share.n) == (None, None, 0)
    assert (dominated.value, dominated.total) == (None, 0)


def test_every_statistic_is_explained():
    name = Reading(True, "John Poe", "by the rules")
    rows = compute([cell("baker", trial(0, "male", name=name, pronouns=Reading(True, "he")))])
    rows += across(rows, MATERIALS, bases={"m": "base"})
    words = tomllib.loads(rubrics.read("stories/statistics.toml"))
    assert {row.statistic for row in rows} == set(words)
