"""What `grap` computes: card values, gaps of every kind, planted differences and orders."""

import math
import tomllib
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import false_discovery_control, ttest_rel, wilcoxon

import rubrics
from auditor.canonical import canonical_json
from auditor.errors import StatisticsError
from auditor.protocols.base import CellRecord, Reading, TrialRecord
from auditor.protocols.grap.files import CONTRAST, RUBRIC
from auditor.protocols.grap.params import GrapParams
from auditor.protocols.grap.rubric import rubric
from auditor.protocols.grap.statistics import (
    JudgeLabel,
    Options,
    between_rows,
    grap_rows,
    load_scores,
    options_of,
    table_rows,
)
from auditor.types import Outcome

MATERIALS = {path: rubrics.read(path) for path in (CONTRAST, RUBRIC)}
PRESETS = rubric(MATERIALS).presets
F, ALL = PRESETS["F"], PRESETS["all"]
FEW = Options(resamples=60, permutations=19)


def trial(scores=None, *, repetition=0, outcome=Outcome.ANSWERED, reason=None):
    """A response; scores are a table, a reason of an invalid annotation, or None (no reading)."""
    readings = {}
    if isinstance(scores, str):
        readings = {"rubric": Reading(False, None, scores)}
    elif scores is not None:
        readings = {"rubric": Reading(True, scores, reason)}
    return TrialRecord(repetition=repetition, outcome=outcome, readings=readings)


def cell(pair, gender, *trials):
    return CellRecord(factors={"pair": pair, "gender": gender}, trials=trials)


def answers(scores, dimensions=ALL):
    """Cells of an array (pairs, 2, dimensions): NaN is missing, a side of NaN unannotated."""
    for pair, sides in enumerate(scores):
        for gender, row in zip(("female", "male"), sides, strict=True):
            named = zip(dimensions, row, strict=True)
            known = {name: float(score) for name, score in named if not math.isnan(score)}
            yield cell(pair, gender, trial(known or None))


def random_scores(seed, pairs=40):
    """Quarters in [0, 1] whose two sides share something with each other."""
    rng = np.random.default_rng(seed)
    raw = rng.random((pairs, 2, len(ALL))) + 0.5 * rng.random((pairs, 1, len(ALL)))
    return np.round(raw / 1.5 * 4) / 4


def table(scores, dimensions=ALL):
    return load_scores(answers(scores, dimensions), None, MATERIALS)


def compute(scores, *, options=FEW, setting="full", marks=None, dimensions=ALL):
    made = table(scores, dimensions)
    return list(table_rows("m", made, None, MATERIALS, setting, dict(marks or {}), options=options))


def find(rows, statistic, **group):
    group = {"setting": "full", **group}
    found = [row for row in rows if row.statistic == statistic and dict(row.group) == group]
    assert len(found) == 1, f"{len(found)} rows of {statistic} {group}"
    return found[0]


def quality(rows, name, evaluation="cross_validated", **group):
    return find(rows, f"probe_{name}", evaluation=evaluation, **{"preset": "F", **group})


def coefficient(rows, dimension, scale="standardised", **group):
    return find(rows, "probe_coefficient", dimension=dimension, scale=scale, **group)


@pytest.fixture(scope="module")
def scores():
    """Forty pairs; women score higher in the first dimension of F, men in the second."""
    made = random_scores(1)
    first, second = (ALL.index(dimension) for dimension in F[:2])
    made[:, 0, first] = np.clip(made[:, 0, first] + 0.25, 0, 1)
    made[:, 1, second] = np.clip(made[:, 1, second] + 0.25, 0, 1)
    return made


@pytest.fixture(scope="module")
def computed(scores):
    return compute(scores)


# Values of the card.


def test_a_target_that_answers_both_sides_alike_differs_in_nothing():
    alike = random_scores(2)
    alike[:, 1] = alike[:, 0]
    rows = compute(alike)
    row = find(rows, "raw_difference", dimension=F[0])
    assert (row.value, row.ci_low, row.ci_high, row.p_value) == (0.0, 0.0, 0.0, 1.0)
    assert find(rows, "d_z", dimension=F[0]).value is None
    assert find(rows, "d_pooled", dimension=F[0]).value == 0.0
    assert coefficient(rows, F[0]).value == pytest.approx(0.0, abs=1e-9)
    assert find(rows, "sign_differs", dimension=F[0]).value is None
    for evaluation in ("in_sample", "cross_validated"):
        assert quality(rows, "auc", evaluation).value == 0.5
        assert quality(rows, "accuracy", evaluation).value == 0.5
        assert quality(rows, "cross_entropy", evaluation).value == pytest.approx(math.log(2))
    assert quality(rows, "auc").p_value == 1.0


def test_a_target_that_gives_itself_away_in_one_dimension_is_told_by_it():
    """One standardised score of +-1: the gradient is 0 where w (1 + e^w) = responses."""
    wholly = np.full((40, 2, len(ALL)), 0.5)
    wholly[:, :, ALL.index(F[0])] = [1.0, 0.0]
    rows = compute(wholly)
    assert find(rows, "raw_difference", dimension=F[0]).value == 1.0
    assert quality(rows, "auc").value == 1.0
    assert quality(rows, "accuracy").value == 1.0
    assert quality(rows, "auc").p_value == 1 / 20
    weight = brentq(lambda w: w * (1 + math.exp(w)) - 80, 0, 10)
    assert coefficient(rows, F[0]).value == pytest.approx(weight, abs=1e-6)
    assert coefficient(rows, F[0], "raw").value == pytest.approx(2 * weight, abs=1e-6)
    assert find(rows, "sign_stability", dimension=F[0]).value == 1.0
    separation = find(rows, "separation", preset="F")
    assert separation.value == 1.0
    assert "separated" in separation.note
    assert "separated" in coefficient(rows, F[0]).note


def test_swapping_the_sides_flips_every_sign_and_leaves_the_auc(scores, computed):
    swapped = compute(scores[:, ::-1])
    for dimension in F[:3]:
        there = find(computed, "raw_difference", dimension=dimension)
        back = find(swapped, "raw_difference", dimension=dimension)
        assert (back.value, back.p_value) == (-there.value, pytest.approx(there.p_value))
        assert coefficient(swapped, dimension).value == pytest.approx(
            -coefficient(computed, dimension).value
        )
    assert quality(swapped, "auc").value == pytest.approx(quality(computed, "auc").value)


# Rows and groups.


def test_every_row_is_unique_and_names_its_setting(computed):
    keys = [(row.statistic, canonical_json(dict(row.group))) for row in computed]
    assert len(set(keys)) == len(keys)
    without = {row.statistic for row in computed if "setting" not in row.group}
    assert without == {"scored_rate", "refusal_rate", "invalid_rate", "truncated_rate"}
    assert {row.protocol for row in computed} == {"grap"}


def test_raw_differences_are_scipys_with_q_values_over_the_dimensions(scores, computed):
    ps = []
    for place, dimension in enumerate(ALL):
        row = find(computed, "raw_difference", dimension=dimension)
        female, male = scores[:, 0, place], scores[:, 1, place]
        interval = ttest_rel(female, male).confidence_interval()
        assert row.value == pytest.approx(np.mean(female - male))
        assert (row.ci_low, row.ci_high) == pytest.approx((interval.low, interval.high))
        # Exact beside scipy's approximation for ties.
        assert row.p_value == pytest.approx(wilcoxon(female, male).pvalue, abs=0.06)
        assert row.n == 40
        ps.append(row.p_value)
    found = [find(computed, "wilcoxon_q", dimension=dimension) for dimension in ALL]
    assert [row.value for row in found] == pytest.approx(list(false_discovery_control(ps)))
    assert [row.p_value for row in found] == [row.value for row in found]


def test_effect_sizes_have_intervals_and_hold_their_own_value(computed):
    for statistic in ("difference_variance", "d_z", "d_pooled"):
        row = find(computed, statistic, dimension=F[0])
        assert row.ci_low < row.value < row.ci_high


def test_mean_scores_stand_beside_their_difference(scores, computed):
    means = {
        gender: find(computed, "mean_score", dimension=F[0], gender=gender).value
        for gender in ("female", "male")
    }
    assert means["female"] == pytest.approx(scores[:, 0, ALL.index(F[0])].mean())
    assert means["female"] - means["male"] == pytest.approx(
        find(computed, "raw_difference", dimension=F[0]).value
    )


def test_the_default_probe_holds_the_ten_dimensions_of_preset_f(computed):
    dimensions = {
        row.group["dimension"] for row in computed if row.statistic == "probe_coefficient"
    }
    assert dimensions == set(F)
    assert quality(computed, "auc").n == 80
    assert coefficient(computed, F[0]).value > 0 > coefficient(computed, F[1]).value
    assert coefficient(computed, F[0]).ci_low < coefficient(computed, F[0]).value
    assert quality(computed, "auc", "in_sample").p_value is None
    assert "fitted to" in quality(computed, "auc", "in_sample").note


def test_a_preset_or_probe_without_intercept_stands_in_the_group_only_if_not_the_default(scores):
    options = Options(presets=("F", "C"), intercepts=(True, False), resamples=20, permutations=0)
    rows = compute(scores, options=options)
    both = PRESETS["F"][0]
    assert both in PRESETS["C"]
    values = {
        coefficient(rows, both, **group).value
        for group in ({}, {"preset": "C"}, {"intercept": False})
    }
    assert len(values) == 3
    assert quality(rows, "auc", preset="C", intercept=False).value > 0.5


def test_marks_of_the_judge_stand_in_every_group_but_the_rates(scores):
    rows = compute(scores, setting="response_only", marks={"mask_cues": True})
    marked = [row for row in rows if row.group.get("mask_cues") is True]
    assert {row.statistic for row in rows} - {row.statistic for row in marked} == {
        "scored_rate",
        "refusal_rate",
        "invalid_rate",
        "truncated_rate",
    }


def test_a_dimension_whose_sign_turns_round_is_flagged_with_both_numbers():
    """Two dimensions move together; the second adds to what the first already explains."""
    rng = np.random.default_rng(3)
    made = np.full((200, 2, len(ALL)), 0.5)
    shared = rng.normal([0.06, -0.06], 0.1, (200, 2))
    first, second = (ALL.index(dimension) for dimension in F[:2])
    made[:, :, first] = 0.5 + shared
    made[:, :, second] = 0.5 + shared * 0.8 + rng.normal(0, 0.03, (200, 2)) - [0.03, -0.03]
    rows = compute(np.clip(made, 0, 1))
    assert find(rows, "raw_difference", dimension=F[1]).value > 0
    assert coefficient(rows, F[1]).value < 0
    row = find(rows, "sign_differs", dimension=F[1])
    assert row.value == 1.0
    assert f"{coefficient(rows, F[1]).value:+.4f}" in row.note
    assert find(rows, "sign_differs", dimension=F[0]).value == 0.0


def test_the_histogram_of_predicted_probabilities_adds_up_by_side(computed):
    for gender in ("female", "male"):
        bins = [
            row
            for row in computed
            if row.statistic == "predicted_probability" and row.group["gender"] == gender
        ]
        assert [row.group["bin"] for row in bins] == [round(i / 20, 2) for i in range(20)]
        assert math.fsum(row.value for row in bins) == pytest.approx(1.0)
        assert {row.n for row in bins} == {40}
    mean_bin = {
        gender: math.fsum(
            row.value * row.group["bin"]
            for row in computed
            if row.statistic == "predicted_probability" and row.group["gender"] == gender
        )
        for gender in ("female", "male")
    }
    assert mean_bin["female"] > mean_bin["male"]


def test_the_papers_variant_holds_a_fifth_out_and_drops_a_fifth(scores):
    options = Options(has_paper_variant=True, resamples=20, permutations=0)
    rows = compute(scores, options=options)
    held_out = quality(rows, "auc", "held_out", variant="paper")
    assert held_out.n == 16
    row = coefficient(rows, F[0], variant="paper")
    assert row.n == 64
    assert row.ci_low is None
    assert "8 pairs with the highest loss dropped" in row.note
    assert row.value > coefficient(rows, F[0]).value


# Gaps.


def test_a_pair_with_one_side_missing_is_left_out_and_counted(scores):
    gaps = scores.copy()
    gaps[3, 1] = np.nan
    gaps[7] = np.nan
    rows = compute(gaps)
    left_out = find(rows, "pairs_left_out")
    assert (left_out.value, left_out.n) == (2.0, 40)
    without = compute(np.delete(scores, [3, 7], axis=0))
    for dimension in F[:2]:
        assert find(rows, "raw_difference", dimension=dimension).n == 38
        assert coefficient(rows, dimension).value == pytest.approx(
            coefficient(without, dimension).value
        )
    assert quality(rows, "auc").n == 76
    assert "2 pairs left out for want of a score" in quality(rows, "auc").note
    assert "3 of 80 responses are not annotated" in quality(rows, "auc").note


def test_a_dimension_missing_in_some_pairs_costs_the_probe_those_pairs(scores):
    gaps = scores.copy()
    gaps[:5, 0, ALL.index(F[2])] = np.nan
    rows = compute(gaps)
    assert find(rows, "raw_difference", dimension=F[2]).n == 35
    assert "missing in 5 pairs" in find(rows, "raw_difference", dimension=F[2]).note
    assert find(rows, "raw_difference", dimension=F[1]).n == 40
    assert coefficient(rows, F[2]).n == 70


def test_a_dimension_missing_in_most_pairs_is_left_out_and_said(scores):
    gaps = scores.copy()
    gaps[:25, 0, ALL.index(F[2])] = np.nan
    gaps[:, :, ALL.index(F[3])] = np.nan
    rows = compute(gaps)
    note = quality(rows, "auc").note
    assert f"{F[2]} (scored in 15 pairs)" in note
    assert f"{F[3]} (not scored)" in note
    assert quality(rows, "auc").n == 80
    assert coefficient(rows, F[2]).value is None
    assert find(rows, "raw_difference", dimension=F[2]).n == 15
    empty = find(rows, "raw_difference", dimension=F[3])
    assert (empty.value, empty.n) == (None, 0)
    assert find(rows, "wilcoxon_q", dimension=F[3]).value is None


def test_a_constant_dimension_is_left_out_and_said(scores):
    constant = scores.copy()
    constant[:, :, ALL.index(F[4])] = 0.1
    rows = compute(constant)
    assert f"left out: {F[4]} (constant)" in quality(rows, "auc").note
    row = coefficient(rows, F[4], "raw")
    assert (row.value, row.note) == (None, "constant: left out")
    assert find(rows, "raw_difference", dimension=F[4]).value == 0.0
    assert coefficient(rows, F[0]).value is not None


@pytest.mark.parametrize(
    ("female", "male", "of_mean", "of_difference"),
    [
        ([0.5], [0.25], "one response shows no variation: no interval",
         "one pair shows no variation: no interval"),
        ([0.8] * 3, [0.7] * 3, "the scores do not vary", "the differences do not vary"),
        ([0.5, 0.75], [0.5, 0.25], None, None),
    ],
)  # fmt: skip
def test_scores_that_show_no_spread_say_so(female, male, of_mean, of_difference):
    scores = np.zeros((len(female), 2, len(ALL)))
    scores[:, 0, ALL.index(F[0])], scores[:, 1, ALL.index(F[0])] = female, male
    rows = compute(scores)
    assert find(rows, "mean_score", dimension=F[0], gender="female").note == of_mean
    assert find(rows, "raw_difference", dimension=F[0]).note == of_difference


def test_too_few_pairs_have_differences_and_no_probe(scores):
    rows = compute(scores[:9])
    assert find(rows, "raw_difference", dimension=F[0]).n == 9
    row = quality(rows, "auc")
    assert row.value is None
    assert "9 complete pairs; a probe needs 10" in row.note
    assert coefficient(rows, F[0]).value is None


def test_no_responses_give_null_rows_with_reasons():
    rows = list(grap_rows("m", [], None, MATERIALS, "unspecified"))
    assert {row.value for row in rows} <= {None, 0.0}
    assert find(rows, "raw_difference", dimension=F[0], setting="unspecified").note
    assert next(row for row in rows if row.statistic == "scored_rate").note
    assert next(row for row in rows if row.statistic == "probe_auc").note


def test_a_preset_of_unscored_dimensions_says_so(scores):
    rows = compute(scores[:, :, :2], dimensions=("mine", "own"))
    assert find(rows, "raw_difference", dimension="mine").n == 40
    assert "no dimension is scored and varies" in quality(rows, "auc").note


def test_every_response_has_one_label():
    scored = {F[0]: 0.5}
    cells = [
        cell(0, "female", trial(scored), trial("refusal"), trial(outcome=Outcome.REFUSED)),
        cell(0, "male", trial("out of range"), trial(outcome=Outcome.EMPTY), trial({})),
        cell(1, "female", trial(outcome=Outcome.FILTERED), trial()),
        cell(1, "male", trial(outcome=Outcome.TRUNCATED), trial(scored, outcome=Outcome.TRUNCATED)),
    ]
    rows = [row for row in grap_rows("m", cells, None, MATERIALS, "full") if not row.group]
    rates = {row.statistic: (row.value, row.n) for row in rows}
    assert rates == {
        "scored_rate": (2 / 9, 9),
        "refusal_rate": (3 / 9, 9),
        "invalid_rate": (4 / 9, 9),
        "truncated_rate": (2 / 10, 10),
    }
    assert "1 of 10 responses is not annotated" in rows[0].note


def test_repetitions_of_a_side_are_averaged_and_said(scores):
    twice = [
        cell(
            pair,
            gender,
            *(
                trial({F[0]: float(np.clip(side + change, 0, 1))}, repetition=number)
                for number, change in enumerate((0.0, 0.25))
            ),
        )
        for pair, sides in enumerate(np.linspace(0.1, 0.7, 24).reshape(12, 2))
        for gender, side in zip(("female", "male"), sides, strict=True)
    ]
    made = load_scores(twice, None, MATERIALS)
    assert made.scores[0, :, ALL.index(F[0])] == pytest.approx(
        np.linspace(0.1, 0.7, 24)[:2] + 0.125
    )
    rows = list(table_rows("m", made, None, MATERIALS, "full", options=FEW))
    assert "averaged over repetitions" in find(rows, "raw_difference", dimension=F[0]).note
    # Numbers of pairs have no end in stores that took them.
    far = [
        CellRecord({**each.factors, "pair": 2**63 + each.factors["pair"]}, each.trials)
        for each in twice[::-1]
    ]
    moved = load_scores(far, None, MATERIALS)
    assert moved.pairs == tuple(2**63 + pair for pair in range(12))
    assert np.array_equal(moved.scores, made.scores, equal_nan=True)


def test_an_average_does_not_hang_on_the_order_of_its_repetitions():
    """The last digit of (0.1 + 0.2 + 0.3) / 3 does: it would vary, and be standardised."""
    orders = [(0.1, 0.2, 0.3), (0.3, 0.2, 0.1)]
    assert len({sum(order) / 3 for order in orders}) == 2
    cells = [
        cell(
            pair,
            gender,
            *(
                trial({F[0]: score, F[1]: (pair % 4 + side) / 4}, repetition=number)
                for number, score in enumerate(orders[(pair + side) % 2])
            ),
        )
        for pair in range(12)
        for side, gender in enumerate(("female", "male"))
    ]
    made = load_scores(cells, None, MATERIALS)
    rows = list(table_rows("m", made, None, MATERIALS, "full", options=FEW))
    difference = find(rows, "raw_difference", dimension=F[0])
    assert (difference.value, difference.p_value) == (0.0, 1.0)
    assert find(rows, "difference_variance", dimension=F[0]).value == 0.0
    assert "constant" in coefficient(rows, F[0]).note


@pytest.mark.parametrize(
    ("value", "gender"),
    [({F[0]: 1.2}, "female"), ({F[0]: "high"}, "female"), (0.5, "male"), ({F[0]: 0.5}, "other")],
)
def test_what_is_no_score_or_no_level_is_refused(value, gender):
    with pytest.raises(StatisticsError, match="allowed"):
        load_scores([cell(0, gender, trial(value))], None, MATERIALS)


# Paired judging.


def in_order(scores, is_first, gain):
    """The same scores as a judge gives them that favours what it sees first by `gain`."""
    for pair, sides in enumerate(scores):
        for side, gender in enumerate(("female", "male")):
            shown_first = is_first[pair] == (side == 0)
            named = zip(ALL, sides[side] * 0.8 + gain * shown_first, strict=True)
            yield cell(
                pair,
                gender,
                trial(dict(named), reason="first" if shown_first else "second"),
            )


def test_a_planted_preference_for_the_first_answer_is_recovered(scores):
    is_first = np.random.default_rng(4).random(40) < 0.4
    made = load_scores(in_order(scores, is_first, 0.15), None, MATERIALS)
    rows = list(table_rows("m", made, None, MATERIALS, "full", {"paired": True}, options=FEW))
    row = find(rows, "order_effect", paired=True)
    without = load_scores(in_order(scores, is_first, 0.0), None, MATERIALS)
    noise = find(
        list(table_rows("m", without, None, MATERIALS, "full", {"paired": True}, options=FEW)),
        "order_effect",
        paired=True,
    ).value
    assert row.value - noise == pytest.approx(0.15)
    assert row.ci_low < 0.15 < row.ci_high
    assert row.ci_low > 0
    assert row.n == 40
    by_dimension = [
        find(rows, "order_effect", paired=True, dimension=dimension).value for dimension in ALL
    ]
    assert np.mean(by_dimension) == pytest.approx(row.value)


def test_a_fixed_order_has_no_effect_that_could_be_told_apart(scores):
    made = load_scores(in_order(scores, np.zeros(40, dtype=bool), 0.1), None, MATERIALS)
    rows = list(table_rows("m", made, None, MATERIALS, "full", options=FEW))
    row = find(rows, "order_effect")
    assert (row.value, row.n) == (None, 40)
    assert "same in all pairs" in row.note


def test_single_judging_has_no_order_effect(computed):
    assert not [row for row in computed if row.statistic == "order_effect"]


def test_paired_judging_without_a_recorded_order_says_so(scores):
    rows = compute(scores, marks={"paired": True})
    assert "not recorded" in find(rows, "order_effect", paired=True).note


# Between judges.


@pytest.fixture(scope="module")
def between(scores):
    """Judge a in both settings, judge b in full; response_only has noise and lacks a pair."""
    noisy = np.clip(scores + np.random.default_rng(5).normal(0, 0.2, scores.shape), 0, 1)
    noisy[0, 0] = np.nan
    tables = {
        JudgeLabel("a", "full"): table(scores),
        JudgeLabel("a", "response_only"): table(noisy),
        JudgeLabel("b", "full"): table(noisy),
    }
    return list(between_rows("m", tables, None, MATERIALS, options=FEW)), noisy


def test_settings_are_compared_in_every_preset_on_the_pairs_that_both_have(scores, between):
    rows, noisy = between
    both = slice(1, None)
    parts = [compute(part[both]) for part in (scores, noisy)]
    for measure in ("auc", "accuracy"):
        row = next(
            row
            for row in rows
            if dict(row.group) == {"measure": measure, "preset": "F", "judge": "a"}
        )
        assert row.statistic == "setting_difference"
        levels = {
            row.group["setting"]: row.value
            for row in rows
            if row.statistic == "setting_level"
            and (row.group["measure"], row.group["preset"]) == (measure, "F")
        }
        assert row.value == pytest.approx(levels["response_only"] - levels["full"])
        assert row.n == 78
        assert row.ci_low <= row.value <= row.ci_high
    compared = {row.group["preset"] for row in rows if row.statistic == "setting_difference"}
    assert compared == {"F", "C", "all"}
    # Folds go by the number of a pair, so that the table of 39 pairs has other ones.
    assert {quality(part, "auc").n for part in parts} == {78}


def test_equal_tables_have_no_difference_in_any_resample(scores):
    tables = {JudgeLabel("a", each): table(scores) for each in ("full", "response_only")}
    rows = list(between_rows("m", tables, None, MATERIALS, options=FEW))
    differences = [row for row in rows if row.statistic == "setting_difference"]
    assert {(row.value, row.ci_low, row.ci_high) for row in differences} == {(0.0, 0.0, 0.0)}
    # With one judge there is none to be named.
    assert not [row for row in rows if "judge" in row.group]


def test_judges_are_compared_within_a_setting_by_correlation_and_auc(scores, between):
    rows, noisy = between
    place = ALL.index(F[0])
    group = {"dimension": F[0], "judge": "a", "other_judge": "b", "setting": "full"}
    row = next(row for row in rows if dict(row.group) == group)
    expected = np.corrcoef(scores[1:, :, place].ravel(), noisy[1:, :, place].ravel())
    assert row.n == 79
    known = np.isfinite(noisy[:, :, place])
    expected = np.corrcoef(scores[:, :, place][known], noisy[:, :, place][known])[0, 1]
    assert row.value == pytest.approx(expected)
    assert row.ci_low < row.value < row.ci_high
    differences = [row for row in rows if row.statistic == "judge_difference"]
    assert {row.group["measure"] for row in differences} == {"auc", "accuracy"}
    assert {row.group["setting"] for row in differences} == {"full"}


def test_judges_that_worked_in_other_ways_are_compared_and_told_apart(scores):
    ways = [(), (("paired", True),)]
    tables = {JudgeLabel("a", "full", way): table(scores) for way in ways}
    tables[JudgeLabel("b", "full")] = table(scores)
    tables[JudgeLabel("b", "full", (("mask_cues", True),))] = table(scores)
    rows = list(between_rows("m", tables, None, MATERIALS, options=FEW))
    found = {
        canonical_json(
            {key: row.group[key] for key in row.group if key not in ("measure", "preset")}
        )
        for row in rows
        if row.statistic == "judge_difference"
    }
    base = {"judge": "a", "setting": "full"}
    assert found == {
        canonical_json({**base, "other_judge": "a", "other_paired": True}),
        canonical_json({**base, "other_judge": "b"}),
        canonical_json({**base, "other_judge": "b", "paired": True}),
    }


def test_a_masked_setting_is_compared_with_the_full_one_under_its_mark(scores):
    masked = JudgeLabel("a", "response_only", (("mask_cues", True),))
    tables = {JudgeLabel("a", "full"): table(scores), masked: table(scores)}
    rows = list(between_rows("m", tables, None, MATERIALS, options=FEW))
    assert {row.group["mask_cues"] for row in rows} == {True}
    assert {row.value for row in rows if row.statistic == "setting_difference"} == {0.0}
    # Where the full one is masked, too, that is what it is compared with.
    other = np.random.default_rng(6).random(scores.shape)
    tables[JudgeLabel("a", "full", (("mask_cues", True),))] = table(other)
    rows = list(between_rows("m", tables, None, MATERIALS, options=FEW))
    assert 0.0 not in {row.value for row in rows if row.statistic == "setting_difference"}


def test_every_row_between_judges_is_unique(between):
    keys = [(row.statistic, canonical_json(dict(row.group))) for row in between[0]]
    assert len(set(keys)) == len(keys) > 0


def test_two_responses_in_common_are_too_few_for_a_correlation(scores):
    tables = {
        JudgeLabel("a", "full"): table(scores[:1]),
        JudgeLabel("b", "full"): table(scores[:1] / 2),
    }
    rows = list(between_rows("m", tables, None, MATERIALS, options=FEW))
    found = {(row.value, row.n, row.note) for row in rows if row.statistic == "judge_correlation"}
    assert found == {(None, 2, "2 responses in common: a correlation takes 3")}


def test_judges_without_pairs_in_common_say_so(scores):
    shifted = [
        CellRecord({**each.factors, "pair": each.factors["pair"] + 100}, each.trials)
        for each in answers(scores)
    ]
    tables = {
        JudgeLabel("a", "full"): table(scores),
        JudgeLabel("b", "full"): load_scores(shifted, None, MATERIALS),
    }
    rows = list(between_rows("m", tables, None, MATERIALS, options=FEW))
    assert {row.value for row in rows} == {None}
    notes = {row.note for row in rows}
    assert "no response in common" in notes
    assert "0 complete pairs in common; a probe needs 10" in notes


def test_every_statistic_has_its_words_and_no_words_are_left_over(computed, between, scores):
    paired = load_scores(in_order(scores, np.arange(40) % 2 == 0, 0.1), None, MATERIALS)
    ordered = table_rows("m", paired, None, MATERIALS, "full", options=FEW)
    found = {row.statistic for rows in (computed, between[0], ordered) for row in rows}
    assert set(tomllib.loads(rubrics.read("grap/statistics.toml"))) == found


# Parameters and draws.


def test_a_spec_chooses_presets_intercepts_and_the_papers_variant(scores):
    params = GrapParams(preset=("C",), intercept=(False,), variant="paper")
    options = replace(options_of(params), resamples=20, permutations=0)
    made = load_scores(answers(scores), params, MATERIALS)
    rows = list(table_rows("m", made, params, MATERIALS, "full", options=options))
    row = quality(rows, "auc", "held_out", preset="C", intercept=False, variant="paper")
    assert row.value is not None


def test_order_of_cells_changes_nothing_and_more_pairs_keep_their_draws(scores):
    forward = list(answers(scores))
    one, other = (
        list(
            table_rows(
                "m", load_scores(cells, None, MATERIALS), None, MATERIALS, "full", options=FEW
            )
        )
        for cells in (forward, forward[::-1])
    )
    assert one == other
    orders = [list(FEW.shuffled(range(n))) for n in (20, 40)]
    assert [pair for pair in orders[1] if pair < 20] == orders[0]
    swaps = FEW.swaps(20), FEW.swaps(40)
    assert (swaps[0] == swaps[1][:, :20]).all()
    assert len({row.tobytes() for row in swaps[1]}) == FEW.permutations
