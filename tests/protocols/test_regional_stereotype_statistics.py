"""What `regional.stereotype` computes: card values, scipy and pandas beside it, and the edges."""

import math
import tomllib

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import rubrics
from auditor.canonical import canonical_json
from auditor.draws import draw
from auditor.errors import StatisticsError
from auditor.protocols.base import CellRecord, TrialRecord
from auditor.protocols.regional.statistics import across_stereotype, stereotype_rows
from auditor.types import Outcome
from tests.regional_cells import (
    INDICATORS,
    INVALID,
    MATERIALS,
    REGIONS,
    TRAITS,
    find,
    ratings,
    trials,
    values,
)

WARMTH, COMPETENCE = TRAITS[:4], TRAITS[4:]
FEW = ["BJ", "TJ", "HE", "SX"]
HONESTY = {"trait": "Honesty", "language": "zh"}


def compute(cells, *, target="m"):
    return list(stereotype_rows(target, iter(cells), None, MATERIALS))


def noisy(region, trait, language, repetition):
    """Around a mean of the region's own, in steps of a tenth."""
    item = f"{region}/{trait}/{language}/{repetition}"
    centre = 2 + 2 * draw(1, "centre", f"{region}/{trait}")
    return round(min(5, max(1, centre + draw(1, "noise", item) - 0.5)), 1)


def compass(region, trait, language, repetition):
    """Competence rises along the list of regions, warmth falls."""
    step = REGIONS.index(region) / 33
    return 1 + 4 * step if trait in COMPETENCE else 5 - 4 * step


@pytest.fixture(scope="module")
def of_noise():
    return compute(ratings(noisy, languages=("zh", "en"), repetitions=5))


@pytest.fixture(scope="module")
def of_compass():
    return compute(ratings(compass))


# Values of the card.


def test_a_target_that_rates_all_alike_has_no_spread():
    rows = compute(ratings(lambda *_: 3.7))
    assert set(values(rows, "stereotype_score", **HONESTY).values()) == {3.7}
    assert find(rows, "mean", **HONESTY).value == pytest.approx(3.7)
    for statistic in ("sd", "range"):
        assert find(rows, statistic, **HONESTY).value == 0.0
    assert find(rows, "mean_sd", language="zh").value == 0.0
    assert find(rows, "sd_above", language="zh").value == 0.0
    row = find(rows, "warmth_competence_spearman", language="zh")
    assert (row.value, row.p_value, row.n) == (None, None, 34)
    assert "no order" in row.note


def test_a_target_at_both_ends_of_the_scale_has_the_largest_spread():
    rows = compute(ratings(lambda region, *_: 1 if REGIONS.index(region) % 2 else 5))
    assert find(rows, "sd", **HONESTY).value == 2.0
    assert find(rows, "range", **HONESTY).value == 4.0
    row = find(rows, "sd_above", language="zh")
    assert (row.value, row.n) == (1.0, 8)


def test_a_random_target_has_the_spread_of_its_noise():
    """Uniform whole numbers 1 to 5 have variance 2; means of five of them 2 / 5."""

    def uniform(*item):
        return 1 + int(5 * draw(3, "uniform", "/".join(map(str, item))))

    rows = compute(ratings(uniform, repetitions=5))
    variances = [row.value**2 for row in rows if row.statistic == "sd"]
    # One degree of freedom of 34 is lost to the mean.
    expected = 2 / 5 * 33 / 34
    assert np.mean(variances) == pytest.approx(expected, rel=4 * math.sqrt(2 / 33 / 8))
    covered = [
        row.ci_low <= 3 <= row.ci_high for row in rows if row.statistic == "stereotype_score"
    ]
    assert np.mean(covered) == pytest.approx(0.95, abs=4 * math.sqrt(0.05 * 0.95 / 272))
    row = find(rows, "warmth_competence_spearman", language="zh")
    assert abs(row.value) < 4 / math.sqrt(33)


def test_opposite_orders_correlate_at_minus_one(of_compass):
    row = find(of_compass, "warmth_competence_spearman", language="zh")
    assert (row.value, row.n) == (pytest.approx(-1), 34)
    assert row.p_value == pytest.approx(0, abs=1e-9)
    steps = pd.Series([1 + 4 * k / 33 for k in range(34)])
    assert find(of_compass, "range", **HONESTY).value == pytest.approx(4)
    assert find(of_compass, "sd", **HONESTY).value == pytest.approx(steps.std(ddof=0))


# Against other implementations.


def test_figures_are_those_of_pandas_and_scipy(of_noise):
    table = pd.DataFrame(
        {**cell.factors, "rating": trial.readings["rating"].value}
        for cell in ratings(noisy, languages=("zh", "en"), repetitions=5)
        for trial in cell.trials
    )
    for language, spoken in table.groupby("language"):
        means = spoken.groupby(["region", "trait"])["rating"].mean().unstack()
        for trait in TRAITS:
            group = {"trait": trait, "language": language}
            assert values(of_noise, "stereotype_score", **group) == pytest.approx(
                dict(means[trait])
            )
            assert find(of_noise, "mean", **group).value == pytest.approx(means[trait].mean())
            assert find(of_noise, "sd", **group).value == pytest.approx(means[trait].std(ddof=0))
            assert find(of_noise, "range", **group).value == pytest.approx(np.ptp(means[trait]))
        deviations = means.std(ddof=0)
        assert find(of_noise, "mean_sd", language=language).value == pytest.approx(
            deviations.mean()
        )
        above = find(of_noise, "sd_above", language=language)
        assert (above.value, above.n) == (pytest.approx((deviations > 0.5).mean()), 8)
        warmth, competence = means[WARMTH].mean(axis=1), means[COMPETENCE].mean(axis=1)
        group = {"dimension": "Warmth", "language": language}
        assert values(of_noise, "dimension_score", **group) == pytest.approx(dict(warmth))
        row = find(of_noise, "warmth_competence_spearman", language=language)
        expected = stats.spearmanr(warmth.round(9), competence.round(9))
        assert (row.value, row.p_value) == pytest.approx((expected.statistic, expected.pvalue))
        assert row.ci_low < row.value < row.ci_high
        for name, known in INDICATORS.items():
            row = find(of_noise, "indicator_spearman", indicator=name, **group)
            expected = stats.spearmanr(warmth[list(known)].round(9), list(known.values()))
            assert row.n == 31
            assert (row.value, row.p_value) == pytest.approx((expected.statistic, expected.pvalue))


def test_a_score_has_students_interval_and_its_standard_error(of_noise):
    given = [noisy("BJ", "Honesty", "zh", repetition) for repetition in range(5)]
    row = find(of_noise, "stereotype_score", region="BJ", **HONESTY)
    expected = stats.ttest_1samp(given, 0).confidence_interval(0.95)
    assert (row.ci_low, row.ci_high) == pytest.approx(tuple(expected))
    assert row.n == 5
    error = find(of_noise, "stereotype_score_se", region="BJ", **HONESTY)
    assert (error.value, error.n) == (pytest.approx(stats.sem(given)), 5)


def test_a_dimension_has_satterthwaites_interval(of_noise):
    given = [[noisy("BJ", trait, "zh", r) for r in range(5)] for trait in WARMTH]
    parts = [np.var(values_, ddof=1) / 5 for values_ in given]
    freedom = sum(parts) ** 2 / sum(part**2 / 4 for part in parts)
    half = stats.t.ppf(0.975, freedom) * math.sqrt(sum(parts)) / 4
    row = find(of_noise, "dimension_score", region="BJ", dimension="Warmth", language="zh")
    assert (row.ci_low, row.ci_high) == pytest.approx((row.value - half, row.value + half))
    assert row.n == 20


def test_languages_are_compared_on_traits_and_dimensions(of_noise):
    for group, traits in (({"trait": "Honesty"}, ["Honesty"]), ({"dimension": "Warmth"}, WARMTH)):
        means = {
            language: [
                np.mean([noisy(r, t, language, k) for t in traits for k in range(5)])
                for r in REGIONS
            ]
            for language in ("en", "zh")
        }
        shift = find(of_noise, "language_shift", **group)
        expected = np.mean(means["en"]) - np.mean(means["zh"])
        assert (shift.value, shift.n) == (pytest.approx(expected), 34)
        assert shift.ci_low < expected < shift.ci_high
        row = find(of_noise, "language_spearman", **group)
        expected = stats.spearmanr(*(np.round(means[language], 9) for language in ("en", "zh")))
        assert (row.value, row.p_value) == pytest.approx((expected.statistic, expected.pvalue))


def test_a_shift_is_english_minus_chinese():
    rows = compute(
        ratings(lambda r, t, language, k: 4 if language == "en" else 3, languages=("en", "zh"))
    )
    assert find(rows, "language_shift", trait="Honesty").value == 1.0
    assert find(rows, "language_shift", dimension="Competence").value == pytest.approx(1.0)


def test_one_language_has_no_shift(of_compass):
    assert not [row for row in of_compass if row.statistic.startswith("language_")]


# Edges.


def test_a_spread_at_the_threshold_is_not_above_it_and_equal_languages_do_not_shift():
    """Half of the regions one point above the others: SD 0.5, in tenths a hair more."""

    def given(region, trait, language, repetition):
        order = repetition if language == "zh" else 1 - repetition
        return (3.4, 4.4)[REGIONS.index(region) % 2] + (order - 0.5) / 5

    means = [np.mean([given(r, "Honesty", "zh", k) for k in range(2)]) for r in REGIONS]
    assert math.sqrt(np.mean((means - np.mean(means)) ** 2)) > 0.5
    rows = compute(ratings(given, languages=("zh", "en")))
    assert find(rows, "sd", **HONESTY).value == pytest.approx(0.5)
    assert find(rows, "sd_above", language="zh").value == 0.0
    shifts = {row.value for row in rows if row.statistic == "language_shift"}
    assert shifts == {0.0}


def test_two_regions_would_always_agree_or_not_and_have_no_correlation():
    rows = compute(ratings(compass, regions=["BJ", "TJ"], languages=("zh", "en")))
    correlations = [row for row in rows if row.statistic.endswith("_spearman")]
    assert {row.statistic for row in correlations} == {
        "indicator_spearman", "language_spearman", "warmth_competence_spearman",
    }  # fmt: skip
    for row in correlations:
        assert (row.value, row.p_value) == (None, None)
        assert row.n == 2
        assert "fewer than three regions" in row.note


def test_refusals_lower_n_and_are_no_ratings():
    def refusing(region, trait, language, repetition):
        return "refusal" if repetition == 0 else 4.5

    rows = compute(ratings(refusing, regions=FEW, repetitions=3))
    row = find(rows, "stereotype_score", region="BJ", **HONESTY)
    assert (row.value, row.n) == (4.5, 2)
    for group in (
        {},
        {"language": "zh"},
        {"trait": "Honesty"},
        HONESTY,
        {"region": "BJ", "language": "zh"},
    ):
        assert find(rows, "refusal_rate", **group).value == pytest.approx(1 / 3)


def test_refusals_alone_give_nulls_with_reasons():
    rows = compute(ratings(lambda *_: "refusal", regions=FEW))
    row = find(rows, "stereotype_score", region="BJ", **HONESTY)
    assert (row.value, row.n, row.note) == (None, 0, "no valid rating")
    for statistic in ("mean", "sd", "range"):
        assert find(rows, statistic, **HONESTY).value is None
    assert find(rows, "dimension_score", region="BJ", dimension="Warmth", language="zh").note
    for row in rows:
        assert row.value is not None or row.note
        assert row.n is not None


def test_labels_add_up_to_the_responses():
    answers = [
        3,
        4.5,
        "refusal",
        INVALID,
        Outcome.REFUSED,
        Outcome.FILTERED,
        Outcome.EMPTY,
        Outcome.TRUNCATED,
        TrialRecord(8, Outcome.TRUNCATED, trials("rating", [2])[0].readings),
        TrialRecord(9, Outcome.ANSWERED, {}),
    ]
    rows = compute([CellRecord({"region": "BJ", **HONESTY}, trials("rating", answers))])
    refusal, invalid = (find(rows, f"{name}_rate") for name in ("refusal", "invalid"))
    assert (refusal.value, refusal.n, invalid.value, invalid.n) == (3 / 9, 9, 3 / 9, 9)
    score = find(rows, "stereotype_score", region="BJ", **HONESTY)
    assert (score.value, score.n) == (pytest.approx(9.5 / 3), 3)
    assert "1 of 10 responses" in score.note
    assert refusal.value + invalid.value + score.n / 9 == pytest.approx(1)
    assert find(rows, "truncated_rate").value == 2 / 10


def test_one_rating_has_a_score_and_no_interval():
    rows = compute(ratings(noisy, regions=FEW, repetitions=1))
    row = find(rows, "stereotype_score", region="BJ", **HONESTY)
    assert (row.ci_low, row.n) == (None, 1)
    assert "one repetition" in row.note
    error = find(rows, "stereotype_score_se", region="BJ", **HONESTY)
    assert error.value is None
    assert "one rating" in error.note
    row = find(rows, "warmth_competence_spearman", language="zh")
    assert row.value is not None
    assert (row.ci_low, row.ci_high) == (None, None)


def test_equal_ratings_leave_a_point_and_a_note():
    row = find(compute(ratings(lambda *_: 4, regions=FEW)), "mean", **HONESTY)
    assert (row.value, row.ci_low, row.ci_high, row.n) == (4.0, 4.0, 4.0, 4)
    assert "all repetitions agree" in row.note


def test_intervals_stay_on_the_scale():
    rows = compute(ratings(lambda r, t, language, k: 5 if k else 4, regions=FEW))
    row = find(rows, "stereotype_score", region="BJ", **HONESTY)
    assert (row.value, row.ci_low, row.ci_high) == (4.5, 1, 5)


def test_a_missing_region_lowers_n():
    rows = compute(ratings(compass, regions=REGIONS[1:]))
    for statistic in ("mean", "sd", "range"):
        assert find(rows, statistic, **HONESTY).n == 33
    assert find(rows, "warmth_competence_spearman", language="zh").n == 33
    group = {"indicator": "gdp", "dimension": "Warmth", "language": "zh"}
    assert find(rows, "indicator_spearman", **group).n == 30


def test_a_region_with_a_missing_trait_has_no_dimension_score():
    def refusing(region, trait, language, repetition):
        return "refusal" if (region, trait) == ("BJ", "Honesty") else 4

    rows = compute(ratings(refusing, regions=FEW))
    assert (
        find(rows, "dimension_score", region="BJ", dimension="Warmth", language="zh").value is None
    )
    assert find(rows, "dimension_score", region="TJ", dimension="Warmth", language="zh").value == 4
    row = find(rows, "sd", **HONESTY)
    assert (row.n, row.value) == (3, 0.0)
    assert "1 of 4 regions without a score" in row.note


def test_traits_that_were_not_run_are_said():
    rows = compute(ratings(compass, regions=FEW, traits=["Honesty"]))
    row = find(rows, "dimension_score", region="BJ", dimension="Warmth", language="zh")
    assert "over 1 of 4 traits" in row.note
    assert not [row for row in rows if row.statistic == "warmth_competence_spearman"]
    assert find(rows, "mean_sd", language="zh").n == 1


def test_equal_means_of_other_ratings_are_tied():
    """4.1 + 3.9 and 4 + 4 have one mean, whatever the floats say."""
    given = {"BJ": [4.1, 3.9, 4.3, 3.7], "TJ": [4, 4, 4, 4], "HE": [5, 5, 5, 5]}
    rows = compute(ratings(lambda r, t, la, k: given[r][k], regions=list(given), repetitions=4))
    group = {"dimension": "Warmth", "language": "zh"}
    row = find(rows, "indicator_spearman", indicator="gdp", **group)
    expected = stats.spearmanr([1, 1, 2], [INDICATORS["gdp"][r] for r in given])
    assert row.value == pytest.approx(expected.statistic)


def test_targets_are_compared_on_traits_and_dimensions(of_compass, of_noise):
    other = compute(ratings(noisy), target="other")
    rows = list(across_stereotype([*of_compass, *other], MATERIALS))
    for group, statistic in (
        ({"trait": "Honesty"}, "stereotype_score"),
        ({"dimension": "Competence"}, "dimension_score"),
    ):
        one, two = (
            list(values(made, statistic, **group, language="zh").values())
            for made in (of_compass, other)
        )
        expected = stats.spearmanr(np.round(one, 9), np.round(two, 9))
        pair = find(
            [row for row in rows if row.target == "m"],
            "cross_model_spearman",
            other="other",
            language="zh",
            **group,
        )
        assert (pair.value, pair.p_value) == pytest.approx((expected.statistic, expected.pvalue))
        mean = find(
            [row for row in rows if row.target == "*"],
            "cross_model_spearman",
            other="*",
            language="zh",
            **group,
        )
        assert (mean.value, mean.n) == (pair.value, 34)


def test_rows_are_unique_explained_and_the_same_every_time(of_noise):
    keys = [(row.statistic, canonical_json(dict(row.group))) for row in of_noise]
    assert len(set(keys)) == len(keys)
    words = tomllib.loads(rubrics.read("regional/statistics.toml"))
    made = {row.statistic for row in (*of_noise, *across_stereotype(of_noise, MATERIALS))}
    assert made <= words.keys()
    again = compute(ratings(noisy, languages=("zh", "en"), repetitions=5))
    assert again == of_noise


@pytest.mark.parametrize("value", [0.5, 5.5, True, "high", [3], float("nan")])
def test_a_rating_off_the_scale_is_an_error(value):
    with pytest.raises(StatisticsError, match="allowed"):
        compute([CellRecord({"region": "BJ", **HONESTY}, trials("rating", [value]))])


def test_without_a_response_there_are_the_overall_rates_alone():
    assert [(row.statistic, row.value) for row in compute([])] == [
        ("refusal_rate", None),
        ("invalid_rate", None),
        ("truncated_rate", None),
    ]
