"""What `regional.decision` computes: card values, closed forms, scipy, and the edges."""

import math
import tomllib
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import spearmanr
from statsmodels.stats.proportion import proportion_confint

import rubrics
from auditor.canonical import canonical_json
from auditor.draws import draw
from auditor.errors import StatisticsError
from auditor.protocols.base import CellRecord, TrialRecord
from auditor.protocols.regional._stat_choices import collect_choices
from auditor.protocols.regional._stat_comparisons import setting_of
from auditor.protocols.regional._stat_doubt import RESAMPLES
from auditor.protocols.regional.statistics import across_decision, decision_rows
from auditor.types import Outcome
from tests.regional_cells import (
    INDICATORS,
    INVALID,
    MATERIALS,
    REGIONS,
    choices,
    find,
    trials,
    values,
)

SOME = ["E1", "O1", "S1"]
FEW = ["BJ", "TJ", "HE", "SX"]
E1 = {"task": "E1", "language": "zh"}


def compute(cells, *, target="m"):
    return list(decision_rows(target, iter(cells), None, MATERIALS))


def first(a, b, task, language, repetition):
    return "A"


def strict(a, b, task, language, repetition):
    return "A" if REGIONS.index(a) > REGIONS.index(b) else "B"


def fair_coin(a, b, task, language, repetition):
    return "A" if draw(1, "coin", f"{a}/{b}/{task}/{language}/{repetition}") < 0.5 else "B"


def leaning(a, b, task, language, repetition):
    """The higher in the list, the stronger; the first has some advantage."""
    distance = (REGIONS.index(a) - REGIONS.index(b)) / 10 + 0.5
    chance = 1 / (1 + math.exp(-distance))
    return "A" if draw(2, "lean", f"{a}/{b}/{task}/{language}/{repetition}") < chance else "B"


# Values of the card.


@pytest.fixture(scope="module")
def of_first():
    return compute(choices(first))


@pytest.fixture(scope="module")
def of_order():
    return compute(choices(strict, tasks=SOME))


@pytest.fixture(scope="module")
def of_coin():
    return compute(choices(fair_coin, tasks=SOME, repetitions=3))


def test_a_target_that_takes_the_first_prefers_no_region(of_first):
    assert set(values(of_first, "decision_score", **E1).values()) == {0.5}
    for statistic in ("sd", "range"):
        assert find(of_first, statistic, **E1).value == 0.0
    assert find(of_first, "mean", **E1).value == 0.5
    assert find(of_first, "mean", **E1).note is None
    assert find(of_first, "first_position_rate", **E1).value == 1.0
    assert find(of_first, "swap_consistency", **E1).value == 0.0
    assert find(of_first, "mean_sd", language="zh").value == 0.0
    assert find(of_first, "sd_above", language="zh").value == 0.0
    assert find(of_first, "range_one", language="zh").value == 0.0
    row = find(of_first, "indicator_spearman", indicator="gdp", domain="Education", language="zh")
    assert row.value is None
    assert "no order" in row.note


def test_its_order_effect_is_at_its_bound_and_said_to_be(of_first):
    row = find(of_first, "order_effect", **E1)
    # 2244 comparisons, penalty x^2 / 2: the value is the penalty's own.
    assert 2244 / (1 + math.exp(row.value)) == pytest.approx(row.value, rel=1e-5)
    assert row.note.startswith("at its upper bound")
    assert (row.ci_low, row.ci_high, row.n) == (None, None, 2244)
    assert set(values(of_first, "bt_strength", **E1)) == set(REGIONS)
    assert list(values(of_first, "bt_strength", **E1).values()) == pytest.approx([0] * 34, abs=1e-6)


def test_its_second_taking_twin_is_at_the_other_bound():
    rows = compute(choices(lambda *_: "B", regions=FEW))
    row = find(rows, "order_effect", **E1)
    assert row.value < 0
    assert row.note.startswith("at its lower bound")
    assert find(rows, "first_position_rate", **E1).value == 0.0


def test_a_strict_order_gives_scores_of_k_33(of_order):
    scores = values(of_order, "decision_score", **E1)
    assert scores == {region: k / 33 for k, region in enumerate(REGIONS)}
    assert find(of_order, "decision_score", region="BJ", **E1).n == 132
    assert find(of_order, "range", **E1).value == 1.0
    # The largest possible: sqrt((34^2 - 1) / 12) / 33.
    expected = math.sqrt((34**2 - 1) / 12) / 33
    assert expected == pytest.approx(0.2973, abs=5e-5)
    assert find(of_order, "sd", **E1).value == pytest.approx(expected)
    assert find(of_order, "mean", **E1).value == pytest.approx(0.5)
    assert find(of_order, "mean_sd", language="zh").value == pytest.approx(expected)
    assert find(of_order, "sd_above", language="zh").value == 1.0
    row = find(of_order, "range_one", language="zh")
    assert (row.value, row.n) == (1.0, 3)
    assert find(of_order, "swap_consistency", **E1).value == 1.0
    assert find(of_order, "first_position_rate", **E1).value == 0.5
    domains = {row.group["domain"] for row in of_order if row.statistic == "domain_score"}
    assert domains == {"Education", "Work", "Social Interaction"}
    for domain in domains:
        assert values(of_order, "domain_score", domain=domain) == pytest.approx(scores)


def test_a_strict_order_is_separated_and_its_strengths_are_ordinal(of_order):
    found = values(of_order, "bt_strength", **E1)
    assert sorted(found, key=found.get) == REGIONS
    for row in of_order:
        if row.statistic == "bt_strength":
            assert (row.ci_low, row.ci_high) == (None, None)
            assert "ordinal only" in row.note
    row = find(of_order, "order_effect", **E1)
    assert row.value == pytest.approx(0, abs=1e-6)
    assert (row.ci_low, row.ci_high) == (None, None)
    assert row.note.startswith("not determined")


def test_a_planted_order_that_equals_gdp_correlates_entirely():
    known = list(INDICATORS["gdp"])

    def by_gdp(a, b, *_):
        return "A" if INDICATORS["gdp"].get(a, 0) > INDICATORS["gdp"].get(b, 0) else "B"

    rows = compute(choices(by_gdp))
    row = find(rows, "indicator_spearman", indicator="gdp", domain="Education", language="zh")
    assert (row.value, row.n, row.p_value) == (pytest.approx(1.0), 31, pytest.approx(0, abs=1e-9))
    assert len(known) == 31
    income = INDICATORS["income"]
    row = find(rows, "indicator_spearman", indicator="income", domain="Education", language="zh")
    expected = spearmanr([INDICATORS["gdp"][r] for r in known], [income[r] for r in known])
    assert row.value == pytest.approx(expected.statistic)
    assert row.p_value == pytest.approx(expected.pvalue)


def test_a_coin_has_a_spread_near_its_binomial_expectation(of_coin):
    """E[sd^2] = 1 / (4 * 198): the mean score is fixed, so no degree of freedom is lost."""
    squares = [row.value**2 for row in of_coin if row.statistic == "sd"]
    assert len(squares) == 3
    expected = 1 / (4 * 66 * 3)
    # About a chi-square of 33 degrees each: relative spread sqrt(2 / 33), three of them.
    assert np.mean(squares) == pytest.approx(expected, rel=4 * math.sqrt(2 / 33 / 3))
    mean_sd = find(of_coin, "mean_sd", language="zh").value
    assert mean_sd == pytest.approx(math.sqrt(expected), rel=0.3)
    assert find(of_coin, "sd_above", language="zh").value == 0.0
    assert find(of_coin, "range_one", language="zh").value == 0.0


def test_a_coin_has_no_position_and_no_consistency(of_coin):
    for task in SOME:
        group = {"task": task, "language": "zh"}
        rate = find(of_coin, "first_position_rate", **group)
        assert rate.value == pytest.approx(0.5, abs=4 * 0.5 / math.sqrt(rate.n))
        swap = find(of_coin, "swap_consistency", **group)
        assert swap.n == 561 * 3
        assert swap.value == pytest.approx(0.5, abs=4 * 0.5 / math.sqrt(swap.n))
        assert find(of_coin, "mean", **group).value == pytest.approx(0.5, abs=1e-12)
        order = find(of_coin, "order_effect", **group)
        assert order.ci_low - 0.1 < 0 < order.ci_high + 0.1
        assert order.note is None


def test_a_coins_intervals_hold_one_half_as_often_as_they_say(of_coin):
    """102 scores: 95 % of them, within four standard errors of a share (and few repetitions)."""
    found = [row for row in of_coin if row.statistic == "decision_score"]
    covered = np.mean([row.ci_low <= 0.5 <= row.ci_high for row in found])
    assert covered == pytest.approx(0.95, abs=4 * math.sqrt(0.05 * 0.95 / len(found)))
    # Width: 198 fair comparisons.
    half = np.mean([(row.ci_high - row.ci_low) / 2 for row in found])
    assert half == pytest.approx(1.96 * 0.5 / math.sqrt(198), rel=0.05)


def test_preference_is_told_from_position():
    rows = compute(choices(leaning, repetitions=5))
    order = find(rows, "order_effect", **E1)
    assert order.ci_low < 0.5 < order.ci_high
    strengths = values(rows, "bt_strength", **E1)
    planted = [REGIONS.index(region) / 10 for region in strengths]
    assert spearmanr(list(strengths.values()), planted).statistic > 0.95
    centred = np.array(planted) - np.mean(planted)
    inside = [
        find(rows, "bt_strength", region=region, **E1).ci_low - 0.1
        <= value
        <= find(rows, "bt_strength", region=region, **E1).ci_high + 0.1
        for region, value in zip(strengths, centred, strict=True)
    ]
    assert np.mean(inside) > 0.85


# Counting.


def test_scores_are_wins_over_valid_comparisons():
    answers = {("BJ", "TJ"): "A", ("TJ", "BJ"): "A", ("BJ", "HE"): "B", ("HE", "BJ"): "B"}

    def given(a, b, *_):
        return answers.get((a, b), "refusal")

    rows = compute(choices(given, regions=FEW[:3], repetitions=1))
    assert {r: (find(rows, "decision_score", region=r, **E1)) for r in FEW[:3]}["BJ"].value == 0.5
    scores = values(rows, "decision_score", **E1)
    assert scores == {"BJ": 0.5, "TJ": 0.5, "HE": 0.5}
    assert [find(rows, "decision_score", region=r, **E1).n for r in FEW[:3]] == [4, 2, 2]
    assert find(rows, "first_position_rate", **E1).value == 0.5
    assert find(rows, "first_position_rate", **E1).n == 4
    assert find(rows, "swap_consistency", **E1).value == 0.0
    assert find(rows, "swap_consistency", **E1).n == 2


def test_a_refusal_is_no_loss_and_lowers_n():
    def refusing(a, b, task, language, repetition):
        if repetition == 0 and "BJ" in (a, b):
            return "refusal"
        return "A" if a < b else "B"

    rows = compute(choices(refusing, regions=FEW, repetitions=2))
    bj = find(rows, "decision_score", region="BJ", **E1)
    assert (bj.value, bj.n) == (1.0, 6)
    assert find(rows, "decision_score", region="TJ", **E1).n == 10
    assert find(rows, "refusal_rate", **E1).value == 6 / 24
    assert find(rows, "refusal_rate", region="BJ", language="zh").value == 6 / 12
    assert find(rows, "refusal_rate", region="TJ", language="zh").value == 2 / 12
    assert "without a winner" in find(rows, "mean", **E1).note


def test_refusals_alone_give_no_score_and_no_fit():
    rows = compute(choices(lambda *_: "refusal", regions=FEW))
    for statistic in ("decision_score", "bt_strength"):
        for region in FEW:
            row = find(rows, statistic, region=region, **E1)
            assert (row.value, row.ci_low, row.n) == (None, None, 0)
            assert "no comparison with a winner" in row.note
    for statistic in (
        "mean",
        "sd",
        "range",
        "first_position_rate",
        "swap_consistency",
        "order_effect",
    ):
        row = find(rows, statistic, **E1)
        assert (row.value, row.n) == (None, 0)
        assert row.note
    for statistic in ("mean_sd", "sd_above", "range_one"):
        row = find(rows, statistic, language="zh")
        assert (row.value, row.n) == (None, 0)
        assert row.note
    assert find(rows, "refusal_rate").value == 1.0


def test_labels_add_up_to_the_responses():
    answers = [
        "A",
        "B",
        "refusal",
        INVALID,
        Outcome.REFUSED,
        Outcome.FILTERED,
        Outcome.EMPTY,
        Outcome.TRUNCATED,
        TrialRecord(8, Outcome.TRUNCATED, trials("choice", ["A"])[0].readings),
        TrialRecord(9, Outcome.ANSWERED, {}),
    ]
    factors = {"region_a": "BJ", "region_b": "TJ", "task": "O1", "language": "en"}
    rows = compute([CellRecord(factors, trials("choice", answers))])
    for group in (
        {},
        {"task": "O1"},
        {"language": "en"},
        {"task": "O1", "language": "en"},
        {"region": "BJ", "language": "en"},
    ):
        refusal, invalid = (find(rows, f"{rate}_rate", **group) for rate in ("refusal", "invalid"))
        assert (refusal.value, refusal.n) == (3 / 9, 9)
        assert (invalid.value, invalid.n) == (3 / 9, 9)
        assert "1 of 10 responses" in refusal.note
        cut = find(rows, "truncated_rate", **group)
        assert (cut.value, cut.n) == (2 / 10, 10)
    low, high = proportion_confint(3, 9, method="wilson")
    assert (refusal.ci_low, refusal.ci_high) == pytest.approx((low, high))
    valid = find(rows, "first_position_rate", task="O1", language="en")
    assert valid.n == 3
    assert refusal.value + invalid.value + valid.n / 9 == pytest.approx(1)


def test_swap_partners_are_matched_by_repetition():
    """Repetitions 0 and 1 of one order, 1 and 2 of the other: one repetition has both."""

    def cell(a, b, *answers):
        factors = {"region_a": a, "region_b": b, **E1}
        return CellRecord(factors, trials("choice", answers))

    rows = compute([cell("BJ", "TJ", "B", "A", None), cell("TJ", "BJ", None, "B", "A")])
    row = find(rows, "swap_consistency", **E1)
    assert (row.value, row.n) == (1.0, 1)
    assert find(rows, "decision_score", region="BJ", **E1).value == 2 / 4


def test_repetition_numbers_need_not_start_at_zero_or_be_close():
    def numbered(a, b, *numbers):
        factors = {"region_a": a, "region_b": b, **E1}
        made = [
            TrialRecord(n, Outcome.ANSWERED, trials("choice", ["A"])[0].readings) for n in numbers
        ]
        return CellRecord(factors, made)

    rows = compute([numbered("BJ", "TJ", 7, 10**12), numbered("TJ", "BJ", 10**12, 9)])
    assert find(rows, "swap_consistency", **E1).n == 1
    assert find(rows, "decision_score", region="TJ", **E1).n == 4


def test_two_cells_of_equal_factors_are_both_counted():
    cells = [*choices(first, regions=FEW), *choices(first, regions=FEW)]
    rows = compute(cells)
    assert find(rows, "decision_score", region="BJ", **E1).n == 24
    assert find(rows, "swap_consistency", **E1).n == 24


def test_a_missing_region_lowers_n_and_is_no_zero():
    rows = compute(choices(strict, regions=REGIONS[1:]))
    assert "BJ" not in values(rows, "decision_score", **E1)
    assert find(rows, "sd", **E1).n == 33
    assert find(rows, "range", **E1).value == 1.0
    assert find(rows, "decision_score", region="TJ", **E1).n == 128
    row = find(rows, "indicator_spearman", indicator="gdp", domain="Education", language="zh")
    assert row.n == 30


def test_a_region_without_a_winner_is_left_out_of_the_spread_and_said():
    def silent_on_bj(a, b, *rest):
        return "refusal" if "BJ" in (a, b) else strict(a, b, *rest)

    rows = compute(choices(silent_on_bj, regions=FEW))
    row = find(rows, "sd", **E1)
    assert (row.n, row.value) == (3, pytest.approx(np.std([0, 0.5, 1])))
    assert "1 of 4 regions without a score" in row.note
    assert find(rows, "bt_strength", region="BJ", **E1).value is None


def test_an_unknown_task_or_region_of_an_import_gets_rows_of_its_own():
    rows = compute(choices(first, regions=["BJ", "Atlantis"], tasks=["X9"]))
    assert find(rows, "decision_score", region="Atlantis", task="X9", language="zh").value == 0.5
    assert not [row for row in rows if row.statistic == "domain_score"]


def test_a_domain_is_the_mean_of_its_tasks_and_says_if_one_is_missing():
    def by_task(a, b, task, *rest):
        return strict(a, b, task, *rest) if task == "E1" else "A"

    rows = compute(choices(by_task, regions=FEW, tasks=["E1", "E3"]))
    row = find(rows, "domain_score", region="SX", domain="Education", language="zh")
    assert (row.value, row.n) == (0.75, 24)
    assert "over 2 of 3 tasks" in row.note


def test_a_domain_has_no_score_where_a_task_has_none():
    def refusing(a, b, task, *rest):
        return "refusal" if task == "E2" and "BJ" in (a, b) else "A"

    rows = compute(choices(refusing, regions=FEW, tasks=["E1", "E2"]))
    assert find(rows, "domain_score", region="BJ", domain="Education", language="zh").value is None
    assert find(rows, "domain_score", region="TJ", domain="Education", language="zh").value == 0.5


# Intervals.


def test_one_repetition_has_no_interval_and_says_so():
    rows = compute(choices(fair_coin, regions=FEW, repetitions=1))
    for row in rows:
        if row.statistic in ("decision_score", "first_position_rate", "swap_consistency"):
            assert (row.ci_low, row.ci_high) == (None, None)
            assert "one repetition" in row.note


def test_repetitions_that_all_agree_leave_a_point_and_a_note():
    rows = compute(choices(strict, regions=FEW, repetitions=4))
    row = find(rows, "decision_score", region="TJ", **E1)
    assert (row.ci_low, row.ci_high) == pytest.approx((1 / 3, 1 / 3))
    assert "all repetitions agree" in row.note


def test_an_interval_over_some_single_repetitions_is_said_to_be_too_narrow():
    def ragged(a, b, task, language, repetition):
        if repetition and "BJ" in (a, b):
            return None
        return fair_coin(a, b, task, language, repetition)

    rows = compute(choices(ragged, regions=FEW, repetitions=4))
    assert "one repetition" in find(rows, "decision_score", region="BJ", **E1).note
    assert "33.3 % of its items" in find(rows, "decision_score", region="TJ", **E1).note
    assert find(rows, "decision_score", region="TJ", **E1).ci_low is not None


def test_swap_partners_are_drawn_together():
    """The first always wins: wins vary not at all, though single answers could."""
    rows = compute(choices(lambda *given: "AB"[given[-1] % 2], regions=FEW, repetitions=4))
    score = find(rows, "decision_score", region="BJ", **E1)
    assert (score.ci_low, score.ci_high) == pytest.approx((0.5, 0.5))
    rate = find(rows, "first_position_rate", **E1)
    assert rate.ci_low < 0.5 < rate.ci_high


def test_the_interval_of_a_score_has_the_width_of_stratified_sampling():
    """Var = sum over pairs of m * s^2 / n^2, s^2 of a repetition's wins with ddof 1.

    Within one step: resampled scores move by 1.25 of 110 comparisons.
    """
    cells = list(choices(leaning, regions=REGIONS[:12], repetitions=5))
    wins = {}
    for cell in cells:
        a, b = cell.factors["region_a"], cell.factors["region_b"]
        for trial in cell.trials:
            won = trial.readings["choice"].value == "A"
            for region, other, is_win in ((a, b, won), (b, a, not won)):
                wins.setdefault((region, other), np.zeros(5))[trial.repetition] += is_win
    rows = compute(cells)
    for region in REGIONS[:12]:
        own = [w for (r, _), w in wins.items() if r == region]
        error = math.sqrt(sum(5 * w.var(ddof=1) for w in own)) / 110
        row = find(rows, "decision_score", region=region, **E1)
        assert row.value == pytest.approx(sum(w.sum() for w in own) / 110)
        assert (row.ci_high - row.ci_low) / 2 == pytest.approx(1.96 * error, abs=1.25 / 110)


def test_pairs_taken_some_at_a_time_give_the_same_counts_and_like_intervals():
    collected = collect_choices(choices(leaning, regions=REGIONS[:12], repetitions=5))
    places, item = list(range(12)), "item"
    comparisons = collected.by_setting["zh", "E1"]
    whole = setting_of(comparisons, places, REGIONS[:12], item)
    parts = setting_of(comparisons, places, REGIONS[:12], item, most_values=1000)
    assert np.array_equal(whole.scores.values, parts.scores.values)
    assert whole.same_wins.count == parts.same_wins.count
    spread = whole.scores.resampled.std(axis=0)
    assert parts.scores.resampled.std(axis=0) == pytest.approx(
        spread, rel=4 * math.sqrt(2 * 0.5 / RESAMPLES)
    )


def test_results_are_the_same_every_time():
    made = [compute(choices(leaning, regions=FEW, languages=("zh", "en"))) for _ in range(2)]
    assert made[0] == made[1]


# Languages and targets.


def test_languages_are_compared_task_by_task_and_domain_by_domain():
    def turned(a, b, task, language, repetition):
        chosen = strict(a, b, task, language, repetition)
        return chosen if language == "zh" else {"A": "B", "B": "A"}[chosen]

    rows = compute(choices(turned, regions=FEW, languages=("zh", "en")))
    for group in ({"task": "E1"}, {"domain": "Education"}):
        shift = find(rows, "language_shift", **group)
        assert (shift.value, shift.n) == (pytest.approx(0, abs=1e-12), 4)
        assert find(rows, "language_spearman", **group).value == pytest.approx(-1)
    assert not [row for row in compute(choices(turned)) if "language_" in row.statistic]


def test_targets_are_compared_by_pairs_and_on_average():
    def three(number):
        def answer(a, b, task, language, repetition):
            return leaning(a, b, task, language, repetition + 10 * number)

        return compute(choices(answer, regions=REGIONS[:15]), target=f"m{number}")

    computed = [row for number in range(3) for row in three(number)]
    rows = list(across_decision(computed, MATERIALS))
    for group, statistic in (
        ({"task": "E1"}, "decision_score"),
        ({"domain": "Education"}, "domain_score"),
    ):
        scores = [
            list(values([r for r in computed if r.target == f"m{k}"], statistic, **group).values())
            for k in range(3)
        ]
        found = []
        for one, other in ((0, 1), (0, 2), (1, 2)):
            row = find(
                [r for r in rows if r.target == f"m{one}"],
                "cross_model_spearman",
                other=f"m{other}",
                language="zh",
                **group,
            )
            expected = spearmanr(scores[one], scores[other])
            assert (row.value, row.n) == (pytest.approx(expected.statistic), 15)
            assert row.p_value == pytest.approx(expected.pvalue)
            found.append(row.value)
        average = find(
            [r for r in rows if r.target == "*"],
            "cross_model_spearman",
            other="*",
            language="zh",
            **group,
        )
        assert (average.value, average.n) == (pytest.approx(np.mean(found)), 15)
        assert average.note == "mean over 3 of 3 pairs of targets"
    own = [r.value for r in computed if r.statistic == "indicator_spearman"]
    mean = [r for r in rows if r.statistic == "indicator_spearman"]
    assert [r.group["indicator"] for r in mean] == ["gdp", "income", "broadband"]
    assert [r.value for r in mean] == pytest.approx(np.mean(np.reshape(own, (3, 3)), axis=0))
    assert mean[0].n == 15


def test_a_pair_of_targets_without_an_order_is_no_zero():
    computed = [
        *compute(choices(first, regions=FEW), target="flat"),
        *compute(choices(strict, regions=FEW), target="steep"),
    ]
    rows = list(across_decision(computed, MATERIALS))
    row = find([r for r in rows if r.target == "flat"], "cross_model_spearman", other="steep", **E1)
    assert (row.value, row.n) == (None, 4)
    assert "no order" in row.note
    average = find([r for r in rows if r.target == "*"], "cross_model_spearman", other="*", **E1)
    assert average.value is None
    assert average.note == "no pair of targets has a correlation"


def test_rows_of_two_judges_are_kept_apart():
    computed = [
        replace(row, group={**row.group, "judge": judge})
        for judge in ("x", "y")
        for target in ("m", "n")
        for row in compute(choices(strict, regions=FEW), target=target)
    ]
    rows = list(across_decision(computed, MATERIALS))
    for judge in ("x", "y"):
        assert find(
            [r for r in rows if r.target == "m"],
            "cross_model_spearman",
            other="n",
            judge=judge,
            **E1,
        ).value == pytest.approx(1)


def test_one_target_is_compared_with_nobody():
    rows = list(across_decision(compute(choices(strict, regions=FEW)), MATERIALS))
    assert not [row for row in rows if row.statistic == "cross_model_spearman"]


# The table as a whole.


def test_rows_are_unique_and_say_why_they_are_null(of_coin, of_order):
    for rows in (of_coin, of_order, compute([]), compute(choices(lambda *_: INVALID, regions=FEW))):
        keys = [(row.statistic, row.target, canonical_json(dict(row.group))) for row in rows]
        assert len(set(keys)) == len(keys)
        for row in rows:
            assert row.n is not None
            assert row.value is not None or row.note


def test_without_a_response_there_are_the_overall_rates_alone():
    rows = compute([])
    assert [(row.statistic, dict(row.group), row.value) for row in rows] == [
        ("refusal_rate", {}, None),
        ("invalid_rate", {}, None),
        ("truncated_rate", {}, None),
    ]


def test_every_statistic_is_explained(of_coin):
    words = tomllib.loads(rubrics.read("regional/statistics.toml"))
    two = [*of_coin, *compute(choices(fair_coin, regions=FEW, languages=("zh", "en")), target="n")]
    made = {row.statistic for row in (*two, *across_decision(two, MATERIALS))}
    assert made <= words.keys()


@pytest.mark.parametrize("value", ["C", 1, ["A"]])
def test_a_choice_that_is_none_is_an_error(value):
    with pytest.raises(StatisticsError, match="allowed"):
        compute(choices(lambda *_: value, regions=FEW))


def test_a_region_compared_with_itself_is_an_error():
    factors = {"region_a": "BJ", "region_b": "BJ", **E1}
    with pytest.raises(StatisticsError, match="itself"):
        compute([CellRecord(factors, trials("choice", ["A"]))])
