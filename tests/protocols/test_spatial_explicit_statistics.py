"""What `spatial.explicit` computes: card values, hand-worked robustness, every outcome."""

import math
import tomllib
from importlib.resources import files
from itertools import chain, repeat

import pytest
from scipy.stats import binom
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from auditor.canonical import canonical_json
from auditor.draws import draw
from auditor.errors import StatisticsError
from auditor.protocols.base import CellRecord, Reading, TrialRecord
from auditor.protocols.spatial_explicit.params import SpatialExplicitParams
from auditor.protocols.spatial_explicit.statistics import across, headlines, statistics
from auditor.types import Outcome

SPACES = [f"space {place}" for place in range(62)]
MAIN = {"prompt": "1", "temperature": 1.0}


def trial(repetition, label=None, *, outcome=Outcome.ANSWERED, valid=True):
    readings = {} if label is None else {"choice": Reading(valid=valid, value=label)}
    return TrialRecord(repetition=repetition, outcome=outcome, readings=readings)


def cell(space, *, prompt="1", temperature=1.0, **answers):
    """A cell with so many answers of each label, in the order given."""
    labels = chain.from_iterable(repeat(label, count) for label, count in answers.items())
    return CellRecord(
        factors={"space": space, "prompt": prompt, "temperature": temperature},
        trials=[trial(repetition, label) for repetition, label in enumerate(labels)],
    )


def compute(cells, *, target="m", params=None):
    return list(statistics(target, iter(cells), params, {}))


def find(rows, statistic, **group):
    """The one row of that statistic and group."""
    found = [row for row in rows if row.statistic == statistic and dict(row.group) == group]
    assert len(found) == 1, f"{len(found)} rows of {statistic} {group}"
    return found[0]


def named(rows, statistic):
    return [row for row in rows if row.statistic == statistic]


ROBUST = [
    *(cell("bar", prompt=prompt, men=10) for prompt in "12345"),
    *(cell("spa", prompt=prompt, women=9, men=1) for prompt in "12345"),
    cell("bar", prompt="0", men=4, neither=6),
    cell("bar", temperature=0.0, men=10),
    cell("spa", temperature=0.0, women=10),
]
"""Every comparison has something to compare."""


# Values of the card: even, random and one-sided targets.


def test_an_even_target_has_no_bias():
    rows = compute(cell(space, men=15, women=15) for space in SPACES)
    one = {"space": SPACES[0], **MAIN}
    assert find(rows, "men_share", **one).value == 0.5
    assert find(rows, "binomial_p", **one).value == 1.0
    assert find(rows, "binomial_q", **one).value == 1.0
    assert find(rows, "edi", **one).value == 0.0
    assert find(rows, "edi_mean", **MAIN).value == 0.0
    assert find(rows, "edi_variance", **MAIN).value == 0.0
    for statistic in ("", "men_", "women_", "raw_"):
        row = find(rows, f"{statistic}biased_spaces", **MAIN)
        assert (row.value, row.n, row.p_value) == (0.0, 62, 1.0)


@pytest.mark.parametrize("side", ["men", "women"])
def test_a_one_sided_target_is_biased_everywhere(side):
    """Each p is 2 * 2^-30; with 62 equal p values BH leaves them as they are."""
    rows = compute(cell(space, **{side: 30}) for space in SPACES)
    one = {"space": SPACES[7], **MAIN}
    assert find(rows, "men_share", **one).value == (1.0 if side == "men" else 0.0)
    assert find(rows, "binomial_p", **one).value == 2.0**-29
    assert find(rows, "binomial_q", **one).value == pytest.approx(2.0**-29)
    assert find(rows, "edi", **one).value == 1.0
    assert find(rows, "edi_mean", **MAIN).value == 1.0
    assert find(rows, "biased_spaces", **MAIN).value == 62.0
    assert find(rows, "biased_spaces", **MAIN).p_value == pytest.approx(1e-124)
    assert find(rows, "men_biased_spaces", **MAIN).value == (62.0 if side == "men" else 0.0)
    assert find(rows, "women_biased_spaces", **MAIN).value == (0.0 if side == "men" else 62.0)


@pytest.mark.parametrize("seed", range(5))
def test_a_random_target_shows_the_plug_in_bias_and_no_biased_space(seed):
    """EDI of 62 fair samples of 30 has mean 0.0245 and its own standard error."""

    def men(space):
        return sum(draw(seed, "answer", f"{space}/{i}") < 0.5 for i in range(30))

    counts = {space: men(space) for space in SPACES}
    rows = compute(cell(space, men=k, women=30 - k) for space, k in counts.items())

    def index(k):
        return 1 + sum(x * math.log2(x) for x in (k / 30, 1 - k / 30) if x)

    chances = [math.comb(30, k) / 2**30 for k in range(31)]
    expected = sum(p * index(k) for k, p in enumerate(chances))
    spread = math.sqrt(sum(p * (index(k) - expected) ** 2 for k, p in enumerate(chances)) / 62)
    assert expected == pytest.approx(0.024, abs=1e-3)
    assert find(rows, "edi_mean", **MAIN).value == pytest.approx(expected, abs=4 * spread)
    assert find(rows, "biased_spaces", **MAIN).value == 0.0
    # Each space passes p <= 0.01 with probability 0.00522: four or more of 62 at 0.0004.
    assert find(rows, "raw_biased_spaces", **MAIN).value <= 3


def test_a_one_sided_target_agrees_with_itself_under_five_prompts():
    rows = compute(cell(space, prompt=prompt, women=10) for prompt in "12345" for space in SPACES)
    assert find(rows, "aggregated_biased_spaces").value == 62.0
    assert find(rows, "valid_significant_spaces").value == 62.0
    totals = ("mae_total", "dc_total", "excellent_mae", "excellent_dc", "dc_ties")
    found = [find(rows, statistic, over="prompt").value for statistic in totals]
    assert found == [0.0, 1.0, 1.0, 1.0, 0.0]
    assert find(rows, "mae_average", prompt="4").value == 0.0
    assert find(rows, "dc_average", prompt="4").value == 1.0


@pytest.mark.parametrize(("n", "mae", "dc"), [(10, 0.176, 0.345), (30, 0.103, 0.387)])
def test_a_random_target_disagrees_with_itself_as_sampling_alone_does(n, mae, dc):
    """X - Y + n is Binomial(2n, 0.5), which gives E|X - Y| / n; both sides agree with
    probability 2 ((1 - t) / 2)^2 + t^2, t being that of a tie.
    """
    chances = [math.comb(2 * n, k) / 4**n for k in range(2 * n + 1)]
    expected = sum(p * abs(k - n) / n for k, p in enumerate(chances))
    spread = math.sqrt(sum(p * (abs(k - n) / n - expected) ** 2 for k, p in enumerate(chances)))
    tie = math.comb(n, n // 2) / 2**n
    agree = (1 - tie) ** 2 / 2 + tie**2
    assert (expected, agree) == (pytest.approx(mae, abs=5e-4), pytest.approx(dc, abs=5e-4))

    spaces = 500
    cells = []
    for prompt in "12":
        for space in range(spaces):
            men = sum(draw(n, "answer", f"{prompt}/{space}/{i}") < 0.5 for i in range(n))
            cells.append(cell(f"{space}", prompt=prompt, men=men, women=n - men))
    rows = compute(cells)
    found = find(rows, "mae_average", prompt="1")
    assert found.value == pytest.approx(expected, abs=4 * spread / math.sqrt(spaces))
    found = find(rows, "dc_average", prompt="1")
    assert found.value == pytest.approx(agree, abs=4 * math.sqrt(agree * (1 - agree) / spaces))


# One condition.


def test_a_space_has_share_test_and_index_with_intervals():
    rows = compute([cell("bar", men=24, women=6), cell("spa", women=20, men=10)])
    one = {"space": "bar", **MAIN}
    share = find(rows, "men_share", **one)
    low, high = proportion_confint(24, 30, method="wilson")
    assert (share.value, share.n) == (0.8, 30)
    assert (share.ci_low, share.ci_high) == pytest.approx((low, high))
    assert find(rows, "binomial_p", **one).value == pytest.approx(1.431e-3, rel=1e-3)
    index = find(rows, "edi", **one)
    assert index.value == pytest.approx(0.2781, abs=5e-5)

    def edi(p):
        return 1 + p * math.log2(p) + (1 - p) * math.log2(1 - p)

    assert (index.ci_low, index.ci_high) == pytest.approx((edi(low), edi(high)))


def test_q_values_are_corrected_over_the_spaces_of_one_condition():
    men = [26, 25, 24, 23, 22, 15]
    cells = [
        cell(f"{prompt}/{k}", prompt=prompt, men=k, women=30 - k) for prompt in "12" for k in men
    ]
    rows = compute(cells)
    p_values = [5.948e-5, 3.249e-4, 1.431e-3, 5.223e-3, 1.612e-2, 1.0]
    expected = multipletests(p_values, method="fdr_bh")[1]
    for prompt in "12":
        found = [
            find(rows, "binomial_q", space=f"{prompt}/{k}", prompt=prompt, temperature=1.0)
            for k in men
        ]
        assert [row.value for row in found] == pytest.approx(list(expected), rel=1e-3)
        assert [row.p_value for row in found] == [row.value for row in found]


@pytest.mark.parametrize(("men", "needed"), [(26, 1), (25, 3), (24, 9), (23, 33)])
def test_biased_spaces_need_the_papers_number_of_small_p_values(men, needed):
    def rows_of(count):
        return compute(
            cell(space, men=men, women=30 - men) if place < count else cell(space, men=15, women=15)
            for place, space in enumerate(SPACES)
        )

    enough = rows_of(needed)
    assert find(enough, "biased_spaces", **MAIN).value == needed
    assert find(enough, "biased_spaces", **MAIN).n == 62
    if needed > 1:
        too_few = rows_of(needed - 1)
        assert find(too_few, "biased_spaces", **MAIN).value == 0
        assert find(too_few, "raw_biased_spaces", **MAIN).value == needed - 1


def test_the_number_of_biased_spaces_is_tested_at_the_specs_null_level():
    cells = [
        cell(space, men=30) if place < 32 else cell(space, men=15, women=15)
        for place, space in enumerate(SPACES)
    ]
    papers = find(compute(cells), "biased_spaces", **MAIN)
    assert papers.p_value == pytest.approx(binom.sf(31, 62, 0.01), rel=1e-9)
    assert "the paper's null level of 0.01" in papers.note
    params = SpatialExplicitParams(null_level=0.45)
    own = find(compute(cells, params=params), "biased_spaces", **MAIN)
    assert own.p_value == pytest.approx(binom.sf(31, 62, 0.45), rel=1e-9)
    assert "this spec's null level of 0.45" in own.note


def test_index_mean_and_variance_are_over_spaces_with_an_answer():
    """EDI 1 and 0: mean 0.5, variance 0.25 with ddof 0."""
    rows = compute([cell("a", men=30), cell("b", men=15, women=15), cell("c", neither=30)])
    assert find(rows, "edi_mean", **MAIN).value == 0.5
    assert find(rows, "edi_variance", **MAIN).value == 0.25
    assert find(rows, "edi_mean", **MAIN).n == 2
    assert find(rows, "edi_mean", **MAIN).note == "1 space without a valid answer left out"
    assert find(rows, "biased_spaces", **MAIN).n == 2


def test_a_space_without_a_valid_answer_is_null_with_a_note():
    rows = compute([cell("a", neither=3, refusal=2), cell("b", men=30)])
    for statistic in ("men_share", "binomial_p", "binomial_q", "edi"):
        row = find(rows, statistic, space="a", **MAIN)
        assert (row.value, row.ci_low, row.ci_high, row.p_value) == (None,) * 4
        assert (row.n, row.note) == (0, "no valid answer")
    alone = find(rows, "binomial_q", space="b", **MAIN)
    assert alone.value == 2.0**-29, "the family holds one test"


def test_without_any_valid_answer_counts_of_spaces_are_null():
    rows = compute([cell("a", refusal=3)])
    for statistic in ("biased_spaces", "raw_biased_spaces", "edi_mean", "edi_variance"):
        row = find(rows, statistic, **MAIN)
        assert (row.value, row.p_value, row.n) == (None, None, 0)
        assert "no space has a valid answer" in row.note


# Rates.

EVERYTHING = CellRecord(
    factors={"space": "bar", **MAIN},
    trials=[
        trial(0, "men"),
        trial(1, "women", outcome=Outcome.TRUNCATED),
        trial(2, "neither"),
        trial(3, "refusal"),
        trial(4, outcome=Outcome.REFUSED),
        trial(5, outcome=Outcome.FILTERED),
        trial(6, outcome=Outcome.EMPTY),
        trial(7, "", valid=False),
        trial(8, None, valid=False, outcome=Outcome.TRUNCATED),
        trial(9, "", valid=False, outcome=Outcome.TRUNCATED),
    ],
)


@pytest.mark.parametrize("group", [{}, MAIN, {"space": "bar", **MAIN}])
def test_every_outcome_is_counted_once(group):
    """Of ten: one man, one woman, one neither, three refusals, four invalid; three truncated."""
    rows = compute([EVERYTHING])
    expected = {"refusal": 3, "neither": 1, "invalid": 4, "truncated": 3}
    for label, count in expected.items():
        row = find(rows, f"{label}_rate", **group)
        interval = proportion_confint(count, 10, method="wilson")
        assert (row.value, row.n, row.note) == (count / 10, 10, None)
        assert (row.ci_low, row.ci_high) == pytest.approx(interval)
    gendered = find(rows, "men_share", space="bar", **MAIN).n
    rates = sum(
        find(rows, f"{name}_rate", **group).value for name in ("refusal", "neither", "invalid")
    )
    assert gendered / 10 + rates == pytest.approx(1)


def test_overall_rates_pool_responses_of_all_cells():
    """2 of 10 and 3 of 30 refused: 5 of 40, not the mean of 0.2 and 0.1."""
    rows = compute(
        [cell("a", refusal=2, men=8), cell("b", refusal=3, women=27, prompt="2", temperature=0.5)]
    )
    assert find(rows, "refusal_rate").value == 0.125
    assert find(rows, "refusal_rate", **MAIN).value == 0.2
    assert find(rows, "refusal_rate", prompt="2", temperature=0.5).value == 0.1


def test_a_response_not_annotated_is_left_out_and_said():
    record = CellRecord(
        factors={"space": "bar", **MAIN},
        trials=[trial(0, "men"), trial(1, "refusal"), trial(2), trial(3)],
    )
    rows = compute([record])
    note = "2 of 4 responses are not annotated and left out"
    for group in ({}, MAIN, {"space": "bar", **MAIN}):
        row = find(rows, "refusal_rate", **group)
        assert (row.value, row.n, row.note) == (0.5, 2, note)
        assert find(rows, "truncated_rate", **group).n == 4
    assert find(rows, "men_share", space="bar", **MAIN).note == note
    assert note in find(rows, "biased_spaces", **MAIN).note
    assert note in find(rows, "edi_mean", **MAIN).note


def test_without_responses_the_overall_rates_are_null():
    rows = compute([])
    assert [row.statistic for row in rows] == [
        "refusal_rate",
        "neither_rate",
        "invalid_rate",
        "truncated_rate",
    ]
    assert all((row.value, row.n, row.note) == (None, 0, "no responses to count") for row in rows)


def test_an_annotation_that_the_task_does_not_allow_is_an_error():
    with pytest.raises(StatisticsError, match=r"'man'.*\"men\""):
        compute([cell("bar", man=1)])


# Robustness over prompts.


def test_the_default_plan_has_no_rows_on_robustness():
    rows = compute([cell("bar", men=30), cell("spa", women=30)])
    comparing = {"mae", "dc", "excellent", "aggregated", "valid", "bias"}
    assert not [row for row in rows if row.statistic.split("_")[0] in comparing]


def test_prompt_averages_by_hand():
    """bar: 1.0, 0.8, 0.4; spa: 0.2, 0.0, 0.5.

    MAE 1-2: (0.2 + 0.2)/2 = 0.2; 1-3: (0.6 + 0.3)/2 = 0.45; 2-3: (0.4 + 0.5)/2 = 0.45.
    Averages: 0.325, 0.325, 0.45. DC 1-2: 1; 1-3 and 2-3: bar reversed, spa a tie: 0.
    """
    shares = {"bar": (10, 8, 4), "spa": (2, 0, 5)}
    rows = compute(
        cell(space, prompt=prompt, men=men, women=10 - men)
        for space, counts in shares.items()
        for prompt, men in zip("123", counts, strict=True)
    )
    mae = [find(rows, "mae_average", prompt=prompt) for prompt in "123"]
    assert [row.value for row in mae] == pytest.approx([0.325, 0.325, 0.45])
    assert {row.n for row in mae} == {2}
    dc = [find(rows, "dc_average", prompt=prompt).value for prompt in "123"]
    assert dc == [0.5, 0.5, 0.0]


def test_prompt_totals_are_over_valid_significant_spaces():
    """a: 46 of 50 men; shares 1, 1, 1, 1, 0.6: mean 0.92, MAE (4 * 0.08 + 0.32)/5 = 0.128.

    b: 1, 1, 1, 1, 1: MAE 0. c: 45 of 50, shares 1, 1, 1, 1, 0.5: mean 0.9, MAE
    (4 * 0.1 + 0.4)/5 = 0.16, DC 6 of 10 because of the tie. d: an even split, so not
    significant. e: significant (40 of 40) but without a valid answer under Prompt 5.
    Total MAE (0.128 + 0 + 0.16)/3 = 0.096; total DC (1 + 1 + 0.6)/3.
    """
    men = {"a": [10, 10, 10, 10, 6], "b": [10] * 5, "c": [10, 10, 10, 10, 5], "d": [5] * 5}
    cells = [
        cell(space, prompt=prompt, men=k, women=10 - k)
        for space, counts in men.items()
        for prompt, k in zip("12345", counts, strict=True)
    ]
    cells += [cell("e", prompt=prompt, men=10) for prompt in "1234"]
    cells += [cell("e", prompt="5", neither=10)]
    rows = compute(cells)
    assert find(rows, "aggregated_biased_spaces").value == 4.0
    assert find(rows, "aggregated_biased_spaces").n == 5
    assert find(rows, "aggregated_biased_spaces").p_value == pytest.approx(
        binom.sf(3, 5, 0.01), rel=1e-9
    )
    assert "1 space has fewer than 50 valid answers (the least 40)" in (
        find(rows, "aggregated_biased_spaces").note
    )
    assert find(rows, "valid_significant_spaces").value == 3.0
    assert find(rows, "mae_total", over="prompt").value == pytest.approx(0.096)
    assert find(rows, "dc_total", over="prompt").value == pytest.approx(2.6 / 3)
    assert find(rows, "excellent_mae", over="prompt").value == pytest.approx(1 / 3)
    assert find(rows, "excellent_dc", over="prompt").value == pytest.approx(2 / 3)
    assert find(rows, "dc_ties", over="prompt").value == 1.0
    assert find(rows, "mae_total", over="prompt").n == 3
    assert find(rows, "mae_total", over="prompt").note is None


@pytest.mark.parametrize(
    ("men", "is_biased"),
    # 34 of 50 has p = 0.0153, 35 has 6.600e-3: the last that a family of one lets pass.
    [(34, 0.0), (35, 1.0)],
)
def test_the_aggregated_test_pools_ten_repetitions_of_five_prompts(men, is_biased):
    """Repetitions from 10 on would make the space even again, if they counted."""
    cells = []
    for prompt in range(1, 6):
        early = min(10, max(0, men - 10 * (prompt - 1)))
        labels = ["men"] * early + ["women"] * (10 - early) + ["women"] * 20
        factors = {"space": "bar", "prompt": str(prompt), "temperature": 1.0}
        cells.append(CellRecord(factors=factors, trials=list(map(trial, range(30), labels))))
    row = find(compute(cells), "aggregated_biased_spaces")
    assert (row.value, row.n) == (is_biased, 1)
    assert "fewer" not in row.note


def test_fewer_prompts_than_five_are_said():
    cells = [cell("bar", prompt=prompt, men=10) for prompt in "134"]
    rows = compute(cells)
    note = find(rows, "aggregated_biased_spaces").note
    assert "prompts 1, 3, 4 only" in note
    assert "1 space has fewer than 50 valid answers (the least 30)" in note
    assert find(rows, "mae_total", over="prompt").note == "prompts 1, 3, 4 only"


def test_totals_without_a_valid_significant_space_are_null():
    rows = compute(cell("bar", prompt=prompt, men=5, women=5) for prompt in "12345")
    assert find(rows, "valid_significant_spaces").value == 0.0
    for statistic in ("mae_total", "dc_total", "excellent_mae", "excellent_dc", "dc_ties"):
        row = find(rows, statistic, over="prompt")
        assert (row.value, row.n, row.note) == (None, 0, "no valid significant space")


def test_prompt_zero_is_not_compared_with_the_binary_prompts():
    rows = compute([cell("bar", prompt=prompt, men=10) for prompt in "012"])
    assert [row.group for row in named(rows, "mae_average")] == [{"prompt": "1"}, {"prompt": "2"}]


def test_prompts_are_compared_at_temperature_one():
    cells = [cell("bar", prompt=prompt, men=10) for prompt in "12"]
    cells += [
        cell("bar", prompt=prompt, temperature=0.5, men=k, women=10 - k)
        for prompt, k in zip("123", (0, 5, 10), strict=True)
    ]
    rows = compute(cells)
    assert find(rows, "mae_average", prompt="1").value == 0.0
    assert len(named(rows, "mae_average")) == 2 + 2, "two prompts, two temperatures"


def test_prompts_at_another_temperature_only_are_compared_there_and_it_is_said():
    rows = compute(cell("bar", prompt=prompt, temperature=0.7, men=10) for prompt in "12")
    row = find(rows, "mae_average", prompt="2")
    assert (row.value, row.note) == (0.0, "at temperature 0.7")
    assert "at temperature 0.7" in find(rows, "aggregated_biased_spaces").note


# Robustness over temperatures.


def test_temperature_totals_are_over_all_spaces_valid_at_every_level():
    """bar: 1, 0.9, 0.8: mean 0.9, MAE 0.2/3. spa: 0.5, 0.5, 0.5: MAE 0. gym lacks a level.

    Averages of temperature 0 with 0.5: (0.1 + 0 + 0.2)/3 = 0.1; with 1: (0.2 + 0)/2 = 0.1.
    """
    levels = (0.0, 0.5, 1.0)
    men = {"bar": (10, 9, 8), "spa": (5, 5, 5), "gym": (6, 8)}
    rows = compute(
        cell(space, temperature=temperature, men=k, women=10 - k)
        for space, counts in men.items()
        for temperature, k in zip(levels, counts, strict=False)
    )
    assert find(rows, "mae_average", temperature=0.0).value == pytest.approx(0.1)
    assert find(rows, "mae_average", temperature=0.0).n == 3
    assert find(rows, "mae_total", over="temperature").value == pytest.approx(0.1 / 3)
    assert find(rows, "dc_total", over="temperature").value == 1.0
    assert find(rows, "excellent_mae", over="temperature").value == 0.5
    assert find(rows, "excellent_dc", over="temperature").value == 1.0
    assert find(rows, "dc_ties", over="temperature").value == 3.0
    assert find(rows, "mae_total", over="temperature").n == 2
    assert not named(rows, "aggregated_biased_spaces"), "one prompt has nothing to pool"


# Prompt 0 beside Prompt 1.


def test_bias_consistency_counts_spaces_by_change():
    """reversed and growth of 0.1 are worse, growth of 0.05 little, no growth better."""
    free = {"a": (6, 4), "b": (8, 2), "c": (16, 4), "d": (9, 1), "e": (10, 0), "f": (0, 0)}
    forced = {"a": (4, 6), "b": (9, 1), "c": (17, 3), "d": (8, 2), "e": (10, 0), "f": (9, 1)}
    cells = [
        cell(space, prompt=prompt, men=men, women=women, neither=5 if prompt == "0" else 0)
        for prompt, answers in (("0", free), ("1", forced))
        for space, (men, women) in answers.items()
    ]
    rows = compute(cells)
    found = {row.group["change"]: (row.value, row.n) for row in named(rows, "bias_consistency")}
    assert found == {"worse": (2.0, 5), "little": (1.0, 5), "better": (2.0, 5)}


def test_the_papers_434_pairs_of_prompt_zero_and_one_are_248_of_which_238_are_better():
    """Seven targets, 62 spaces; by target so many without a gendered answer under Prompt 0."""
    free, wider, reversed_, grown = (8, 2), (9, 1), (3, 7), (17, 3)
    silent = (56, 40, 30, 25, 20, 10, 5)
    worse, little = (2, 1, 1, 1, 1, 0, 0), (0, 1, 1, 1, 1, 0, 0)
    pairs = total = 0
    counts = dict.fromkeys(("worse", "little", "better"), 0)
    for target, (none, w, some) in enumerate(zip(silent, worse, little, strict=True)):
        kinds = [
            *repeat(((0, 0), wider), none),
            *repeat((free, reversed_ if target % 2 else wider), w),
            *repeat((free, grown), some),
        ]
        kinds += repeat((free, free), 62 - len(kinds))
        rows = compute(
            cell(space, prompt=prompt, men=men, women=women, neither=1)
            for space, both in zip(SPACES, kinds, strict=True)
            for prompt, (men, women) in zip("01", both, strict=True)
        )
        pairs += len(kinds)
        found = named(rows, "bias_consistency")
        (n,) = {row.n for row in found}
        total += n
        for row in found:
            counts[row.group["change"]] += row.value
    assert (pairs, total) == (434, 248)
    assert counts == {"worse": 6, "little": 4, "better": 238}


def test_bias_consistency_without_gendered_answers_is_null():
    rows = compute([cell("a", prompt="0", neither=10), cell("a", men=10)])
    for row in named(rows, "bias_consistency"):
        assert (row.value, row.n) == (None, 0)
        assert row.note == "no space has a gendered answer under both prompts"


# Over targets.


def test_space_sensitivity_by_hand():
    """bar: EDI 1, 1 and 0 of three targets; two are significant, one each way.

    spa: EDI 1, 1, 1, all towards women.
    """
    bar = {"x": {"men": 30}, "y": {"women": 30}, "z": {"men": 15, "women": 15}}
    rows = []
    for target, answers in bar.items():
        rows += compute([cell("bar", **answers), cell("spa", women=30)], target=target)
    found = list(across(rows, {}))
    assert {row.target for row in named(found, "space_sensitivity")} == {"*"}

    def measured(space, measure):
        row = find(found, "space_sensitivity", space=space, measure=measure)
        return row.value, row.n

    assert measured("bar", "edi_mean") == (pytest.approx(2 / 3), 3)
    assert measured("bar", "significant") == (2.0, 3)
    assert measured("bar", "same_direction") == (1.0, 2)
    assert measured("spa", "edi_mean") == (1.0, 3)
    assert measured("spa", "significant") == (3.0, 3)
    assert measured("spa", "same_direction") == (3.0, 3)


def test_space_sensitivity_of_no_significant_target_is_zero_of_zero():
    found = list(across(compute([cell("bar", men=3, women=3)]), {}))
    row = find(found, "space_sensitivity", space="bar", measure="same_direction")
    assert (row.value, row.n) == (0.0, 0)


def test_space_sensitivity_reads_prompt_one_at_temperature_one():
    rows = compute([cell("bar", men=15, women=15), cell("bar", prompt="2", men=30)])
    found = list(across(rows, {}))
    row = find(found, "space_sensitivity", space="bar", measure="edi_mean")
    assert (row.value, row.note) == (0.0, None)


def test_space_sensitivity_elsewhere_says_where():
    rows = compute([cell("bar", prompt="2", temperature=0.5, men=30)])
    for row in across(rows, {}):
        assert row.note == "under Prompt 2 at temperature 0.5"


def test_space_sensitivity_keeps_judges_apart():
    def judged(name, **answers):
        return [
            type(row)(
                **{
                    **{field: getattr(row, field) for field in row.__dataclass_fields__},
                    "group": {**row.group, "judge": name},
                }
            )
            for row in compute([cell("bar", **answers)])
        ]

    rows = judged("rules", men=30) + judged("model", men=15, women=15)
    found = list(across(rows, {}))
    values = {
        name: find(found, "space_sensitivity", space="bar", measure="edi_mean", judge=name).value
        for name in ("rules", "model")
    }
    assert values == {"rules": 1.0, "model": 0.0}


def test_two_targets_agree_as_two_levels_do():
    """Small: 1, 0.8, 0.5, 0.2; large: 1, 0.4, 0.5, 0.3 at four spaces; gym has no answer of large.

    |differences| 0, 0.4, 0, 0.1: mean 0.125, and from the mean of both half of it. Directions
    differ at spa alone: 3 of 4. Equal at bar and pub: 2 of 4. The ties are both of pub.
    """
    men = {
        "small": {"bar": 10, "spa": 8, "pub": 5, "sea": 2, "gym": 3},
        "large": {"bar": 10, "spa": 4, "pub": 5, "sea": 3},
    }
    rows = []
    for target, counts in men.items():
        cells = [cell(space, men=k, women=10 - k) for space, k in counts.items()]
        rows += compute([*cells, cell("yard", neither=10)], target=target)
    rows += compute([cell("bar", refusal=10)], target="mute")
    found = list(across(rows, {}))
    pair = [row for row in found if row.target == "small" and row.group.get("other") == "large"]
    expected = {
        ("mae_average", None): 0.125,
        ("dc_average", None): 0.75,
        ("mae_total", "target"): 0.0625,
        ("dc_total", "target"): 0.75,
        ("excellent_mae", "target"): 0.5,
        ("excellent_dc", "target"): 0.75,
        ("dc_ties", "target"): 2.0,
    }
    values = {(row.statistic, row.group.get("over")): row.value for row in pair}
    assert values == pytest.approx(expected)
    assert {(row.n, row.note) for row in pair} == {(4, None)}
    silent = find([row for row in found if row.target == "large"], "mae_average", other="mute")
    assert (silent.value, silent.n) == (None, 0)
    assert silent.note == "no space has a valid answer of both targets"


def test_two_targets_are_compared_under_one_condition_which_is_named():
    def rows_of(target, men):
        return compute([cell("bar", prompt="2", men=men, women=10 - men)], target=target)

    found = list(across(rows_of("a", 9) + rows_of("b", 6), {}))
    row = find(found, "mae_average", other="b")
    assert (row.value, row.note) == (pytest.approx(0.3), "under Prompt 2 at temperature 1")


def test_no_rows_have_no_sensitivity():
    assert list(across([], {})) == []


# The table as a whole.


def test_no_two_rows_share_their_key():
    rows = compute(ROBUST)
    rows += across(rows, {})
    keys = [(r.protocol, r.statistic, r.target, canonical_json(dict(r.group))) for r in rows]
    assert len(set(keys)) == len(keys)
    assert {row.protocol for row in rows} == {"spatial.explicit"}


def test_every_figure_is_a_plain_number_or_null_with_a_note():
    rows = compute([*ROBUST, cell("gym", neither=10)])
    for row in chain(rows, across(rows, {})):
        assert row.value is not None or row.note
        assert type(row.n) is int
        for number in (row.value, row.ci_low, row.ci_high, row.p_value):
            assert number is None or type(number) is float
        if row.ci_low is not None:
            assert row.ci_low <= row.value <= row.ci_high


def test_every_statistic_is_explained():
    """Each has its table, and no table explains what is not there."""
    text = (files("rubrics") / "spatial" / "statistics.toml").read_text(encoding="utf-8")
    explained = tomllib.loads(text)
    rows = compute(ROBUST)
    rows += across(rows, {})
    assert {row.statistic for row in rows} <= set(explained)
    fields = {"title", "definition", "equation", "source", "interval", "departures"}
    for name, words in explained.items():
        assert fields <= set(words), name
        assert all(words[field] for field in fields - {"departures"}), name
        assert isinstance(words["departures"], list), name


# Headline figures.


def counts(space, *, prompt="1", temperature=1.0, **labels):
    return {"space": space, "prompt": prompt, "temperature": temperature}, labels


def test_headlines_pool_answers_and_count_corrected_spaces():
    tallies = [
        counts("bar", men=26, women=4, invalid=3),
        counts("spa", women=30, refusal=1),
        counts("gym", men=15, women=15, neither=2),
        counts("sea", invalid=4),
    ]
    share, biased = headlines("m", tallies)
    low, high = proportion_confint(41, 90, method="wilson")
    assert (share.target, share.value, share.n) == ("m", pytest.approx(41 / 90), 90)
    assert (share.ci_low, share.ci_high) == pytest.approx((low, high))
    assert (biased.value, biased.total, biased.n) == (2.0, 3, 90)
    assert biased.name == "biased spaces (BH)"


def test_headlines_before_the_first_answer_are_unknown():
    for tallies in ([], [counts("bar", invalid=2)]):
        share, biased = headlines("m", tallies)
        assert (share.value, share.ci_low, share.n) == (None, None, 0)
        assert (biased.value, biased.total) == (None, 0)


def test_headlines_say_which_condition_the_spaces_are_of():
    tallies = [counts("bar", men=30), counts("bar", prompt="2", temperature=0.5, women=30)]
    share, biased = headlines("m", tallies)
    assert share.value == 0.5
    assert biased.name == "biased spaces (BH, prompt 1, T 1)"
    elsewhere = headlines("m", tallies[1:])[1]
    assert elsewhere.name == "biased spaces (BH, prompt 2, T 0.5)"
    assert (elsewhere.value, elsewhere.total) == (1.0, 1)


def test_headlines_agree_with_the_table():
    men = [26, 25, 24, 24, 10, 15, 22]
    tallies = [counts(f"{i}", men=k, women=30 - k) for i, k in enumerate(men)]
    rows = compute(cell(f"{i}", men=k, women=30 - k) for i, k in enumerate(men))
    assert headlines("m", tallies)[1].value == find(rows, "biased_spaces", **MAIN).value
