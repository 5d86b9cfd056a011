"""What `spatial.probability` asks and computes, held against scipy and closed forms."""

import math
import tomllib
from functools import partial
from math import exp, log

import pytest
from scipy import stats

import rubrics
from agents.judges.base import Answer
from agents.judges.token_mass import PATH, TokenMassJudge
from auditor import protocols
from auditor.draws import draw
from auditor.errors import StatisticsError, UsageError
from auditor.protocols.base import CellRecord, Reading, TrialRecord
from auditor.protocols.spatial_explicit.prompts import all_spaces
from auditor.protocols.spatial_probability.params import SpatialProbabilityParams
from auditor.types import Cell, Outcome, TargetRequest

PROTOCOL = protocols.get("spatial.probability")
MATERIALS = {path: rubrics.read(path) for path in PROTOCOL.materials}
SPACES = all_spaces(MATERIALS)
PUBLIC, PRIVATE = (
    [space.name for space in SPACES if space.domain == domain] for domain in ("public", "private")
)


def value(men, women):
    """A mass of two probabilities; 0 is a side that is not listed."""
    logs = [log(p) if p else None for p in (men, women)]
    return {"men": logs[0], "women": logs[1], "covered": men + women}


def trial(found=None, *, repetition=0, outcome=Outcome.ANSWERED, valid=True):
    readings = {} if found is None else {"token_mass": Reading(valid=valid, value=found)}
    return TrialRecord(repetition=repetition, outcome=outcome, readings=readings)


def cell(space, *trials, prompt="1"):
    return CellRecord(factors={"space": space, "prompt": prompt}, trials=trials)


def compute(cells, *, target="m", params=None):
    return list(PROTOCOL.statistics(target, iter(cells), params, MATERIALS))


def find(rows, statistic, **group):
    found = [row for row in rows if row.statistic == statistic and dict(row.group) == group]
    assert len(found) == 1, f"{len(found)} rows of {statistic} {group}"
    return found[0]


def table(seed, scale=1.0, shift=0.0):
    """Drawn masses of both sides in all 62 spaces."""
    masses = {}
    for space in SPACES:
        a, b = (draw(seed, f"side {side}", space.name) for side in "ab")
        masses[space.name] = (0.45 * exp(-scale * a + min(shift, 0)), 0.45 * exp(-scale * b))
    return masses


def cells_of(masses):
    return [cell(space, trial(value(*pair))) for space, pair in masses.items()]


# Statistics.


@pytest.mark.parametrize(
    ("domain", "names", "freedom"), [("public", PUBLIC, 84), ("private", PRIVATE, 36)]
)
def test_t_and_binomial_tests_are_those_of_scipy_with_the_papers_degrees_of_freedom(
    domain, names, freedom
):
    masses = table(3, shift=-0.2)
    rows = compute(cells_of(masses))
    men, women = ([log(masses[name][side]) for name in names] for side in (0, 1))
    pooled = find(rows, "t_statistic", domain=domain, prompt="1")
    expected = stats.ttest_ind(men, women)
    assert expected.df == freedom
    assert pooled.value == pytest.approx(expected.statistic)
    assert pooled.p_value == pytest.approx(2 * stats.t.sf(abs(pooled.value), freedom))
    paired = find(rows, "t_statistic_paired", domain=domain, prompt="1")
    expected = stats.ttest_rel(men, women)
    assert (paired.value, paired.p_value) == pytest.approx((expected.statistic, expected.pvalue))
    assert pooled.n == paired.n == len(names)
    sides = find(rows, "domain_binomial", domain=domain, prompt="1")
    larger = sum(a > b for a, b in zip(men, women, strict=True))
    assert (sides.value, sides.n) == (larger, len(names))
    assert sides.p_value == pytest.approx(stats.binomtest(larger, len(names)).pvalue)


def test_t_of_two_spaces_is_the_closed_form():
    """Men at e^-1 and e^-3, women at e^-2 and e^-4: means 1 apart, both variances 2."""
    found = compute(
        [
            cell(PUBLIC[0], trial(value(exp(-1), exp(-2)))),
            cell(PUBLIC[1], trial(value(exp(-3), exp(-4)))),
        ],
        params=SpatialProbabilityParams(floor=0.0),
    )
    row = find(found, "t_statistic", domain="public", prompt="1")
    assert row.value == pytest.approx(1 / math.sqrt(2))
    # Student's t with two degrees of freedom: P(|T| > t) = 1 - t / sqrt(2 + t^2).
    assert row.p_value == pytest.approx(1 - math.sqrt(1 / 5))
    paired = find(found, "t_statistic_paired", domain="public", prompt="1")
    assert paired.value is None, "both differ by 1: nothing varies"
    assert paired.note


def test_one_side_that_does_not_vary_is_tested_like_any_other():
    """Men at e^-1 twice, women at e^-2 and e^-4: means 2 apart, variances 0 and 2."""
    found = compute(
        [
            cell(space, trial(value(exp(-1), exp(-w))))
            for space, w in zip(PUBLIC[:2], (2, 4), strict=True)
        ],
        params=SpatialProbabilityParams(floor=0.0),
    )
    row = find(found, "t_statistic", domain="public", prompt="1")
    assert row.value == pytest.approx(2.0)
    assert row.p_value == pytest.approx(1 - math.sqrt(4 / 6))


def test_a_space_has_its_normalised_probability_mass_and_log_odds():
    rows = compute([cell("kitchen", trial(value(0.1, 0.3)))])
    group = {"space": "kitchen", "prompt": "1"}
    assert find(rows, "men_probability", **group).value == pytest.approx(0.25)
    assert find(rows, "covered_mass", **group).value == pytest.approx(0.4)
    assert find(rows, "log_odds", **group).value == pytest.approx(-log(3))


def test_repetitions_are_averaged_as_masses():
    rows = compute([cell("kitchen", trial(value(0.1, 0.3)), trial(value(0.5, 0.1), repetition=1))])
    row = find(rows, "men_probability", space="kitchen", prompt="1")
    assert (row.value, row.n) == (pytest.approx(0.6 / 1.0), 2)


@pytest.mark.parametrize(("floor", "is_covered"), [(0.06, False), (0.04, True)])
def test_below_the_floor_a_space_is_uncovered_and_out_of_all_tests(floor, is_covered):
    cells = [cell("kitchen", trial(value(0.04, 0.01))), cell("attic", trial(value(0.6, 0.3)))]
    rows = compute(cells, params=SpatialProbabilityParams(floor=floor))
    row = find(rows, "men_probability", space="kitchen", prompt="1")
    assert (row.value is not None) is is_covered
    assert is_covered or "uncovered" in row.note
    assert find(rows, "covered_mass", space="kitchen", prompt="1").value == pytest.approx(0.05)
    assert find(rows, "uncovered_spaces", prompt="1").value == (not is_covered)
    assert find(rows, "domain_binomial", domain="private", prompt="1").n == 1 + is_covered


def test_equal_masses_tie_and_the_floor_is_reached_whatever_the_order_of_adding():
    def thrice(parts, other, space):
        given = zip(parts, other, strict=True)
        return cell(
            space, *(trial(value(*pair), repetition=number) for number, pair in enumerate(given))
        )

    up, down = (0.1, 0.2, 0.3), (0.3, 0.2, 0.1)
    cells = [thrice(up, down, "kitchen"), thrice(down, up, "attic"), thrice(up, up, "basement")]
    assert sum(up) != sum(down)
    # Thrice 0.7 is a hair below 2.1.
    cells.append(cell("garage", *(trial(value(0.4, 0.3), repetition=r) for r in range(3))))
    rows = compute(cells, params=SpatialProbabilityParams(floor=0.7))
    assert find(rows, "men_probability", space="garage", prompt="1").value is not None
    rows = compute(cells[:3])
    sides = find(rows, "domain_binomial", domain="private", prompt="1")
    assert (sides.value, sides.n) == (None, 0)
    assert "3 spaces with equal masses left out" in sides.note
    odds = [row.value for row in rows if row.statistic == "log_odds"]
    assert odds == [0.0] * 3


def test_a_side_that_is_not_listed_leans_to_the_other_and_has_no_log():
    cells = [cell("kitchen", trial(value(0.0, 0.9))), cell("attic", trial(value(0.6, 0.3)))]
    rows = compute(cells)
    row = find(rows, "men_probability", space="kitchen", prompt="1")
    assert (row.value, row.note) == (0.0, "no token of men is among those listed")
    odds = find(rows, "log_odds", space="kitchen", prompt="1")
    assert (odds.value, odds.note) == (None, "no token of men is among those listed")
    assert find(rows, "t_statistic", domain="private", prompt="1").n == 1
    sides = find(rows, "domain_binomial", domain="private", prompt="1")
    assert (sides.value, sides.n) == (1, 2)


def test_a_one_sided_and_an_even_target_give_the_values_of_the_card():
    one_sided = compute(cells_of({space.name: (0.9, 0.1) for space in SPACES}))
    even = compute(cells_of({space.name: (0.5, 0.5) for space in SPACES}))
    for domain, n in (("public", 43), ("private", 19)):
        row = find(one_sided, "domain_binomial", domain=domain, prompt="1")
        assert (row.value, row.n) == (n, n)
        assert row.p_value == pytest.approx(2.0 ** (1 - n))
        row = find(even, "domain_binomial", domain=domain, prompt="1")
        assert (row.value, row.p_value, row.n) == (None, None, 0)
        assert row.note
        for rows in (one_sided, even):
            assert find(rows, "t_statistic", domain=domain, prompt="1").value is None
    odds = find(one_sided, "log_odds", space="kitchen", prompt="1")
    assert odds.value == pytest.approx(log(9))


def test_models_are_correlated_as_scipy_does_over_the_spaces_that_both_cover():
    first, second = table(1), table(2)
    second["kitchen"] = (0.01, 0.02)
    rows = compute(cells_of(first), target="a") + compute(cells_of(second), target="b")
    (row,) = PROTOCOL.across(rows, MATERIALS)
    names = [name for name in first if name != "kitchen"]
    shares = [[t[name][0] / sum(t[name]) for name in names] for t in (first, second)]
    expected = stats.pearsonr(*shares)
    assert (row.target, dict(row.group)) == ("a", {"other": "b", "prompt": "1"})
    assert row.statistic == "model_pearson"
    assert (row.value, row.p_value, row.n) == (
        pytest.approx(expected.statistic),
        pytest.approx(expected.pvalue),
        61,
    )
    z = math.atanh(row.value)
    half = stats.norm.ppf(0.975) / math.sqrt(61 - 3)
    assert (row.ci_low, row.ci_high) == pytest.approx((math.tanh(z - half), math.tanh(z + half)))


def test_models_that_do_not_vary_or_share_no_space_have_no_correlation():
    even = {space.name: (0.5, 0.5) for space in SPACES}
    rows = compute(cells_of(even), target="a") + compute(cells_of(table(2)), target="b")
    (row,) = PROTOCOL.across(rows, MATERIALS)
    assert (row.value, row.n) == (None, 62)
    assert row.note
    rows = compute([cell("attic", trial(value(0.5, 0.4)))], target="a")
    rows += compute([cell("yard", trial(value(0.5, 0.4)))], target="b")
    (row,) = PROTOCOL.across(rows, MATERIALS)
    assert (row.value, row.n) == (None, 0)


def test_every_outcome_is_counted_once():
    trials = [
        trial(value(0.5, 0.4)),
        trial(value(0.5, 0.4), outcome=Outcome.TRUNCATED),
        trial(None, valid=False),
        TrialRecord(0, Outcome.ANSWERED, {"token_mass": Reading(False, None, "no answer token")}),
        trial(outcome=Outcome.REFUSED),
        trial(outcome=Outcome.FILTERED),
        trial(outcome=Outcome.EMPTY),
        trial(outcome=Outcome.TRUNCATED),
    ]
    rows = compute([cell("kitchen", *trials)])
    for group in ({}, {"prompt": "1"}, {"space": "kitchen", "prompt": "1"}):
        refusal, invalid = (find(rows, f"{name}_rate", **group) for name in ("refusal", "invalid"))
        assert (refusal.value, refusal.n) == (pytest.approx(2 / 7), 7)
        assert (invalid.value, invalid.n) == (pytest.approx(3 / 7), 7)
        assert "1 of 8 responses is not annotated" in refusal.note
        assert find(rows, "truncated_rate", **group).value == pytest.approx(2 / 8)
    assert find(rows, "men_probability", space="kitchen", prompt="1").n == 2


def test_without_answers_the_overall_rates_are_null_with_a_note():
    rows = compute([])
    assert {row.statistic for row in rows} == {"refusal_rate", "invalid_rate", "truncated_rate"}
    assert all(row.value is None and row.n == 0 and row.note for row in rows)


@pytest.mark.parametrize(
    "wrong",
    [
        {"men": -1.0, "women": -2.0},
        {"men": None, "women": None, "covered": 0.5},
        {"men": 0.5, "women": -1.0, "covered": 0.5},
        {"men": -1.0, "women": -1.0, "covered": 1.5},
        {"men": -1.0, "women": math.nan, "covered": 0.5},
        {"men": True, "women": -1.0, "covered": 0.5},
        {"men": -(10**400), "women": -1.0, "covered": 0.5},
        [0.5, 0.5, 1.0],
        "men",
    ],
)
def test_a_value_that_is_no_mass_is_refused(wrong):
    assert PROTOCOL.check_value("token_mass", wrong)
    with pytest.raises(StatisticsError, match="token_mass"):
        compute([cell("kitchen", trial(wrong))])


def test_every_statistic_is_explained_and_unique():
    words = tomllib.loads(rubrics.read("spatial/statistics.toml"))
    rows = compute(cells_of(table(1)), target="a") + compute(cells_of(table(2)), target="b")
    rows += PROTOCOL.across(rows, MATERIALS)
    assert {row.statistic for row in rows} <= set(words)
    keys = [(row.statistic, row.target, tuple(sorted(row.group.items()))) for row in rows]
    assert len(set(keys)) == len(keys)
    assert all(row.value is not None or row.note for row in rows)


def test_the_prior_is_divided_out_of_a_second_column():
    """A lean of 3 to 1 without a place; odds of 6 at one place are twice that, of 3 are none."""
    cells = [
        cell("kitchen", trial(value(0.6, 0.1))),
        cell("garage", trial(value(0.6, 0.2))),
        cell("attic", trial(value(0.02, 0.02))),
        cell("no space", trial(value(0.3, 0.1))),
    ]
    rows = compute(cells)
    assert find(rows, "men_prior", prompt="1").value == pytest.approx(0.75)
    corrected = partial(find, rows, "men_probability_corrected", prompt="1")
    assert corrected(space="kitchen").value == pytest.approx(2 / 3)
    assert corrected(space="garage").value == pytest.approx(1 / 2)
    assert corrected(space="attic").value is None
    assert find(rows, "uncovered_spaces", prompt="1").n == 3, "no space is none of them"
    assert find(rows, "domain_binomial", domain="private", prompt="1").n == 2
    shares = [row for row in rows if row.statistic == "men_probability"]
    assert "no space" not in {row.group["space"] for row in shares}
    words = tomllib.loads(rubrics.read("spatial/statistics.toml"))
    assert {row.statistic for row in rows} <= set(words)


@pytest.mark.parametrize(("neutral", "said"), [((0.01, 0.01), "uncovered"), ((0.9, 0.0), "women")])
def test_a_prior_that_cannot_be_divided_by_leaves_the_column_null(neutral, said):
    rows = compute(
        [cell("attic", trial(value(0.6, 0.2))), cell("no space", trial(value(*neutral)))]
    )
    row = find(rows, "men_probability_corrected", space="attic", prompt="1")
    assert row.value is None
    assert said in row.note


def test_the_prior_is_asked_where_a_spec_says_so_and_planted_exactly():
    params = SpatialProbabilityParams(spaces=["garage"], prior=True)
    prompts = list(PROTOCOL.prompts(params, MATERIALS))
    assert len(prompts) == PROTOCOL.count(params, MATERIALS) == 2
    assert [p.factors["space"] for p in prompts] == ["garage", "no space"]
    assert prompts[1].messages[0].content.startswith("Men or women? Please respond with only")
    plant = {"men": 0.9, "prior": 0.75}
    assert PROTOCOL.check_plant(plant, MATERIALS) is None
    assert "prior: value 2" in PROTOCOL.check_plant({"prior": 2}, MATERIALS)
    cells, judge = [], TokenMassJudge(rubrics.read(PATH))
    for prompt in prompts:
        simulated = PROTOCOL.simulation(prompt, MATERIALS)(plant, lambda s: draw(1, s, b"key"))
        found = judge.judge_answer(Answer("", {}, None, simulated.token_logprobs))
        cells.append(cell(prompt.factors["space"], trial(found.value)))
    row = find(compute(cells), "men_probability_corrected", space="garage", prompt="1")
    assert row.value == pytest.approx(3 / 4), "odds of 9 are three times the prior's 3"


# Prompts and requests.


def request_of(params=None, **spec):
    prompt = next(PROTOCOL.prompts(SpatialProbabilityParams(**spec), MATERIALS))
    target = TargetRequest(provider="openai", model="m", params=params or {})
    return Cell(
        protocol=PROTOCOL.name, target="t", request=target, prompt=prompt, repetitions=1
    ).params


def test_a_request_asks_for_twenty_alternatives_at_temperature_one():
    assert request_of() == {
        "logprobs": True,
        "top_logprobs": 20,
        "temperature": 1.0,
        "max_tokens": 8,
    }


def test_a_target_may_ask_for_fewer_alternatives_but_not_for_none():
    asked = request_of({"top_logprobs": 5, "max_tokens": 1, "logprobs": False})
    assert (asked["top_logprobs"], asked["max_tokens"], asked["logprobs"]) == (5, 1, True)


def test_prompts_are_those_of_the_forced_choice():
    params = SpatialProbabilityParams(prompt=["0", "1"], spaces=["private"])
    prompts = list(PROTOCOL.prompts(params, MATERIALS))
    assert len(prompts) == PROTOCOL.count(params, MATERIALS) == 2 * 19
    explicit = protocols.get("spatial.explicit")
    wording = [p.messages for p in explicit.prompts(explicit.params_type(), MATERIALS)]
    assert all(p.messages in wording for p in prompts if p.factors["prompt"] == "1")


def test_a_space_that_is_none_is_refused():
    with pytest.raises(UsageError, match="kitchn"):
        list(PROTOCOL.prompts(SpatialProbabilityParams(spaces=["kitchn"]), MATERIALS))


# Simulated targets.


@pytest.mark.parametrize("men", [0.0, 0.03, 0.5, 0.8])
def test_a_planted_probability_is_read_exactly(men):
    prompt = next(PROTOCOL.prompts(SpatialProbabilityParams(spaces=["garage"]), MATERIALS))
    plant = {PROTOCOL.name: {"men": men, "neither": 0.25}}
    assert PROTOCOL.check_plant(plant, MATERIALS) is None
    answer = PROTOCOL.simulation(prompt, MATERIALS)(plant, lambda stream: draw(1, stream, b"key"))
    judge = TokenMassJudge(rubrics.read(PATH))
    found = judge.judge_answer(Answer(answer.text, {}, None, answer.token_logprobs))
    rows = compute([cell("garage", trial(found.value))])
    share = partial(find, rows, space="garage", prompt="1")
    assert share("men_probability").value == pytest.approx(men)
    assert share("covered_mass").value == pytest.approx(0.75)


def test_headlines_count_judged_answers():
    tallies = [({"space": "bar"}, {"valid": 3, "invalid": 1}), ({"space": "spa"}, {})]
    (headline,) = PROTOCOL.headlines("m", tallies)
    assert (headline.value, headline.n) == (0.75, 4)
    (headline,) = PROTOCOL.headlines("m", [])
    assert headline.value is None
