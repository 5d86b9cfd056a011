"""What `spatial.tracing` asks and computes, held against scipy, statsmodels and closed forms."""

import json
import math
import tomllib
from math import log

import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.proportion import proportion_confint

import rubrics
from agents.judges.score import ScoreJudge
from auditor import protocols
from auditor.draws import draw
from auditor.errors import StatisticsError, UsageError
from auditor.protocols.base import CellRecord, Reading, TrialRecord
from auditor.protocols.spatial_explicit.prompts import all_spaces
from auditor.protocols.spatial_tracing.params import SpatialTracingParams
from auditor.types import Cell, Message, Outcome, TargetRequest

PROTOCOL = protocols.get("spatial.tracing")
MATERIALS = {path: rubrics.read(path) for path in PROTOCOL.materials}
SPACES = all_spaces(MATERIALS)
PUBLIC, PRIVATE = (
    [space.name for space in SPACES if space.domain == domain] for domain in ("public", "private")
)
JUDGE = ScoreJudge()


def trial(value=None, *, repetition=0, outcome=Outcome.ANSWERED, valid=True):
    readings = {} if value is None and valid else {"score": Reading(valid, value)}
    return TrialRecord(repetition, outcome, readings)


def cell(space, label, *trials, prompt="1"):
    return CellRecord({"space": space, "label": label, "prompt": prompt}, trials)


def cells(kind, scores, prompt="1"):
    """Both cells of every space, from (men, women); None: that answer has no trial."""
    return [
        cell(space, label, *([] if score is None else [trial({kind: score})]), prompt=prompt)
        for space, pair in scores.items()
        for label, score in zip(("men", "women"), pair, strict=True)
    ]


def compute(given, target="m"):
    return list(PROTOCOL.statistics(target, iter(given), None, MATERIALS))


def find(rows, statistic, **group):
    found = [row for row in rows if row.statistic == statistic and dict(row.group) == group]
    assert len(found) == 1, f"{len(found)} rows of {statistic} {group}"
    return found[0]


def rewards(margins, target="m"):
    """All rows of a reward model with these margins by space."""
    return compute(cells("reward", {s: (m / 2, -m / 2) for s, m in margins.items()}), target)


# Prompts and requests.


def test_both_answers_to_the_question_of_the_forced_choice_are_to_be_scored():
    params = SpatialTracingParams(prompt=["1", "3"], spaces=["kitchen", "bank"])
    prompts = list(PROTOCOL.prompts(params, MATERIALS))
    assert len(prompts) == PROTOCOL.count(params, MATERIALS) == 8
    explicit = protocols.get("spatial.explicit")
    wording = [p.messages for p in explicit.prompts(explicit.params_type(), MATERIALS)]
    for prompt in prompts:
        assert prompt.messages[-1] == Message("assistant", prompt.factors["label"])
        assert prompt.params == {"score": True}
        assert prompt.factors["prompt"] == "3" or prompt.messages[:-1] in wording
    assert PROTOCOL.repetitions(params) == 1
    assert PROTOCOL.count(SpatialTracingParams(), MATERIALS) == 124


def test_that_a_score_is_asked_for_is_part_of_a_cells_key():
    prompt = next(PROTOCOL.prompts(SpatialTracingParams(), MATERIALS))
    target = TargetRequest(provider="local", model="m", params={"temperature": 0.5})

    def asked(each):
        return Cell(protocol="p", target="t", request=target, prompt=each, repetitions=1)

    plain = type(prompt)(factors=prompt.factors, messages=prompt.messages)
    assert asked(prompt).params == {"temperature": 0.5, "score": True}
    assert asked(prompt).key != asked(plain).key


def test_a_space_that_is_none_is_refused():
    with pytest.raises(UsageError, match="kitchn"):
        list(PROTOCOL.prompts(SpatialTracingParams(spaces=["kitchn"]), MATERIALS))


# Rewards.


@pytest.mark.parametrize(
    ("pair", "label", "margin"),
    [
        ((0.3, 0.1), 1.0, 0.2),
        ((-5.0, -4.5), 0.0, -0.5),
        ((3e-15, 1e-15), 1.0, 2e-15),
        ((0.3, 0.1 + 0.2), None, 0.0),
    ],
)
def test_the_higher_reward_is_the_label_and_a_tie_is_null(pair, label, margin):
    rows = compute(cells("reward", {"kitchen": pair}))
    row = find(rows, "reward_label", space="kitchen")
    assert (row.value, row.n) == (label, 2)
    assert row.note == ("both answers have the same reward" if label is None else None)
    assert find(rows, "reward_margin", space="kitchen").value == pytest.approx(
        margin, rel=1e-9, abs=0
    )


@pytest.mark.parametrize(
    ("pair", "missing", "n"),
    [((0.5, None), "women", 1), ((None, 0.5), "men", 1), ((None, None), "men and women", 0)],
)
def test_a_missing_reward_leaves_null_and_says_whose(pair, missing, n):
    rows = compute(cells("reward", {"kitchen": pair, "bank": (1.0, 0.0)}))
    for statistic in ("reward_label", "reward_margin"):
        row = find(rows, statistic, space="kitchen")
        assert (row.value, row.n, row.note) == (None, n, f"no reward of {missing}")
    private = find(rows, "reward_men_spaces", domain="private")
    assert (private.value, private.n, private.p_value) == (None, 0, None)
    assert private.note == "no space has a preferred answer; 1 space without both rewards left out"


def test_repetitions_are_averaged():
    given = [
        cell("kitchen", "men", trial({"reward": 1.0}), trial({"reward": -4.0}, repetition=1)),
        cell("kitchen", "women", trial({"reward": -1.0})),
    ]
    row = find(compute(given), "reward_margin", space="kitchen")
    assert (row.value, row.n) == (pytest.approx(-1.5 + 1.0), 3)


def test_spaces_of_a_domain_are_tested_against_a_fair_coin_without_ties():
    margins = dict(zip(PUBLIC, [1.0] * 30 + [-1.0] * 11 + [0.0] * 2, strict=True))
    row = find(rewards(margins), "reward_men_spaces", domain="public")
    assert (row.value, row.n) == (30, 41)
    assert row.p_value == pytest.approx(stats.binomtest(30, 41).pvalue)
    assert row.note == "2 spaces with equal rewards left out"


def test_agreement_has_wilsons_interval_and_kappa_its_own_and_fishers_exact_p():
    first = {space.name: draw(1, "m", space.name) - 0.4 for space in SPACES}
    second = {name: m + draw(2, "m", name) - 0.5 for name, m in first.items()}
    second["kitchen"], first["bank"] = 0.0, 0.0
    rows = [*rewards(first, "a"), *rewards(second, "b")]
    found = list(PROTOCOL.across(rows, MATERIALS))
    assert {(row.target, row.group["other"]) for row in found} == {("a", "b")}
    names = [name for name in first if name not in ("kitchen", "bank")]
    labels = [[m[name] > 0 for name in names] for m in (first, second)]
    pairs = list(zip(*labels, strict=True))
    alike = sum(a == b for a, b in pairs)
    row = find(found, "reward_agreement", other="b")
    assert (row.value, row.n) == (pytest.approx(alike / 60), 60)
    low, high = proportion_confint(alike, 60, method="wilson")
    assert (row.ci_low, row.ci_high) == (pytest.approx(low), pytest.approx(high))
    kappa = find(found, "reward_kappa", other="b")
    assert (kappa.value, kappa.n) == (pytest.approx(cohen_kappa_score(*labels)), 60)
    table = [[pairs.count((x, y)) for y in (True, False)] for x in (True, False)]
    assert kappa.p_value == pytest.approx(stats.fisher_exact(table).pvalue)
    assert kappa.ci_low < kappa.value < kappa.ci_high


def test_reward_models_that_decide_nothing_together_have_null_agreement():
    rows = rewards({"kitchen": 1.0, "bank": 0.0}, "a") + rewards({"kitchen": 0.0, "bank": 1.0}, "b")
    found = list(PROTOCOL.across(rows, MATERIALS))
    assert [(row.statistic, row.value, row.n) for row in found] == [
        ("reward_agreement", None, 0),
        ("reward_kappa", None, 0),
    ]
    assert all(row.note == "no space has a preferred answer of both" for row in found)


def test_a_prompt_other_than_the_default_stands_in_the_group_and_is_kept_apart():
    def of(target, sign):
        given = [
            *cells("reward", {"kitchen": (1.0, 0.0)}),
            *cells("reward", {"kitchen": (sign, 0.0)}, prompt="4"),
        ]
        return compute(given, target)

    rows = of("a", -1.0)
    assert find(rows, "reward_label", space="kitchen").value == 1
    assert find(rows, "reward_label", space="kitchen", prompt="4").value == 0
    assert find(rows, "refusal_rate").n == 4
    assert find(rows, "refusal_rate", prompt="4").n == 2
    found = list(PROTOCOL.across([*rows, *of("b", 1.0)], MATERIALS))
    assert find(found, "reward_agreement", other="b").value == 1
    assert find(found, "reward_agreement", other="b", prompt="4").value == 0


# Log-probabilities.


@pytest.mark.parametrize(
    ("pair", "share"),
    [
        ((log(0.1), log(0.3)), 0.25),
        ((-2.0, -2.0), 0.5),
        ((-900.0, -900.0 - log(3)), 0.75),  # exp of either is 0
        ((-900.0, -1.0), 0.0),
    ],
)
def test_men_probability_is_the_normalised_share_however_small_both_are(pair, share):
    rows = compute(cells("log_probability", {"kitchen": pair}))
    row = find(rows, "men_probability", space="kitchen")
    assert (row.value, row.n, row.note) == (pytest.approx(share), 2, None)
    assert not [row for row in rows if row.statistic.startswith("reward")]


def test_a_missing_log_probability_leaves_null():
    rows = compute(cells("log_probability", {"kitchen": (-1.0, None), "bank": (-1.0, -1.0)}))
    row = find(rows, "men_probability", space="kitchen")
    assert (row.value, row.n, row.note) == (None, 1, "no log-probability of women")


def test_base_and_tuned_scores_give_the_shift_of_their_shares():
    """0.25 to 0.75 in the kitchen, 0.25 to 0.25 in the bank."""
    base = {space: (log(0.1), log(0.3)) for space in ("kitchen", "bank")}
    tuned = {"kitchen": (log(0.3), log(0.1)), "bank": (log(0.2), log(0.6))}
    rows = compute(cells("log_probability", tuned), "tuned")
    rows += compute(cells("log_probability", base), "base")
    found = list(PROTOCOL.across(rows, MATERIALS, bases={"tuned": "base"}))
    assert {row.statistic for row in found} == {"tuning_shift"}
    assert find(found, "tuning_shift", space="kitchen", other="base").value == pytest.approx(0.5)
    assert find(found, "tuning_shift", space="bank", other="base").value == pytest.approx(0.0)
    assert find(found, "tuning_shift", other="base").value == pytest.approx(0.25)


# Outcomes, values, words.


def test_every_outcome_is_counted_once():
    trials = [
        trial({"reward": 1.0}),
        trial({"reward": 1.0}, outcome=Outcome.TRUNCATED),
        trial(None, valid=False),
        trial(outcome=Outcome.REFUSED),
        trial(outcome=Outcome.FILTERED),
        trial(outcome=Outcome.EMPTY),
        trial(outcome=Outcome.TRUNCATED),
        trial(),
    ]
    rows = compute([cell("kitchen", "men", *trials)])
    for group in ({}, {"space": "kitchen"}):
        refusal, invalid = (find(rows, f"{name}_rate", **group) for name in ("refusal", "invalid"))
        assert (refusal.value, refusal.n) == (pytest.approx(2 / 7), 7)
        assert (invalid.value, invalid.n) == (pytest.approx(3 / 7), 7)
        assert "1 of 8 responses is not annotated" in refusal.note
        assert find(rows, "truncated_rate", **group).value == pytest.approx(2 / 8)
    assert find(rows, "reward_label", space="kitchen").n == 2


@pytest.mark.parametrize("given", [[], [cell("kitchen", "men", trial(None, valid=False))]])
def test_without_a_score_there_are_rates_alone(given):
    rows = compute(given)
    assert {row.statistic for row in rows} == {"refusal_rate", "invalid_rate", "truncated_rate"}
    assert all(row.value is not None or row.note for row in rows)


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"reward": None},
        {"reward": math.nan},
        {"reward": math.inf},
        {"reward": True},
        {"reward": 10**400},
        {"reward": 1.7e308},
        {"log_probability": -1.7e308},
        {"reward": 1.0, "log_probability": -1.0},
        {"log_probability": 0.1},
        {"log_probability": -math.inf},
        {"log_probability": "-1"},
        {"label": 1.0},
        -1.0,
        "men",
    ],
)
def test_a_value_that_is_no_score_is_refused(wrong):
    assert PROTOCOL.check_value("score", wrong)
    with pytest.raises(StatisticsError, match="score"):
        compute([cell("kitchen", "men", trial(wrong))])


def test_every_statistic_is_explained_and_unique():
    words = tomllib.loads(rubrics.read("spatial/statistics.toml"))
    margins = {space.name: draw(1, "m", space.name) - 0.5 for space in SPACES}
    logs = {space.name: (-1.0, -2.0) for space in SPACES}
    rows = [*rewards(margins, "a"), *rewards(margins, "b")]
    rows += compute([*cells("log_probability", logs), *cells("reward", {"bank": (1.0, 0.0)})], "c")
    rows += PROTOCOL.across(rows, MATERIALS, bases={"c": "a"})
    assert {row.statistic for row in rows} <= set(words)
    keys = [(row.statistic, row.target, tuple(sorted(row.group.items()))) for row in rows]
    assert len(set(keys)) == len(keys)
    assert all(row.value is not None or row.note for row in rows)


def test_even_and_one_sided_targets_give_the_values_of_the_card():
    even = rewards(dict.fromkeys([*PUBLIC, *PRIVATE], 0.0), "e")
    one_sided = [rewards(dict.fromkeys([*PUBLIC, *PRIVATE], log(9)), name) for name in "ab"]
    for domain, n in (("public", 43), ("private", 19)):
        row = find(even, "reward_men_spaces", domain=domain)
        assert (row.value, row.p_value, row.n) == (None, None, 0)
        row = find(one_sided[0], "reward_men_spaces", domain=domain)
        assert (row.value, row.n, row.p_value) == (n, n, pytest.approx(2.0 ** (1 - n)))
    found = list(PROTOCOL.across([*one_sided[0], *one_sided[1]], MATERIALS))
    row = find(found, "reward_agreement", other="b")
    z = stats.norm.ppf(0.975)
    assert (row.value, row.ci_low, row.ci_high) == (1, pytest.approx(62 / (62 + z * z)), 1)
    kappa = find(found, "reward_kappa", other="b")
    assert kappa.value is None
    assert "one class" in kappa.note


def test_headlines_count_judged_responses():
    tallies = [({"space": "bar"}, {"valid": 3, "invalid": 1}), ({"space": "spa"}, {})]
    (headline,) = PROTOCOL.headlines("m", tallies)
    assert (headline.value, headline.n) == (0.75, 4)
    (headline,) = PROTOCOL.headlines("m", [])
    assert headline.value is None


# Simulated targets.


def simulated(plant, *, is_reward=False, spaces=None):
    """All rows of a simulated target with this plant."""
    assert PROTOCOL.check_plant(plant, MATERIALS) is None
    given = []
    for asked in PROTOCOL.prompts(SpatialTracingParams(spaces=spaces), MATERIALS):
        key = f"{asked.factors['space']}/{asked.factors['label']}"
        simulation = PROTOCOL.simulation(asked, MATERIALS)
        answer = simulation(plant, lambda stream, key=key: draw(1, stream, key))
        text = json.dumps({"reward": answer.reward}) if is_reward else answer.text
        outcome, readings = answer.outcome, {}
        if outcome.is_judged:
            verdict = JUDGE.judge(text)
            readings = {"score": Reading(verdict.valid, verdict.value, verdict.reason)}
        given.append(CellRecord(asked.factors, [TrialRecord(0, outcome, readings)]))
    return compute(given)


@pytest.mark.parametrize("mass", [0.9, 0.01])
def test_a_planted_probability_is_read_exactly(mass):
    rows = simulated({"men": {"public": 0.8}, "slope": 0.1, "mass": mass})
    for place, space in enumerate(SPACES):
        planted = (0.8 if space.domain == "public" else 0.5) + 0.1 * (place / 61 - 0.5)
        row = find(rows, "men_probability", space=space.name)
        assert row.value == pytest.approx(planted)


def test_an_impossible_answer_has_a_log_that_is_a_number():
    rows = simulated({"men": {"default": 1.0, "kitchen": 0.0}})
    assert find(rows, "men_probability", space="kitchen").value == pytest.approx(0.0, abs=1e-200)
    assert find(rows, "men_probability", space="bank").value == pytest.approx(1.0)
    assert find(rows, "invalid_rate").value == 0


def test_rewards_lie_as_far_apart_as_the_log_odds_of_the_planted_probability():
    rows = simulated({"men": {"public": 0.9, "private": 0.2}, "mass": 0.3}, is_reward=True)
    assert find(rows, "reward_margin", space="bank").value == pytest.approx(log(9))
    assert find(rows, "reward_margin", space="kitchen").value == pytest.approx(-log(4))
    assert find(rows, "reward_men_spaces", domain="public").value == 43
    assert find(rows, "reward_men_spaces", domain="private").value == 0


def test_noise_turns_as_many_labels_as_the_difference_of_two_even_draws_does():
    """Margin m, noise a either way: P(men) = 1 - (2a - m)^2 / 8a^2 for 0 <= m <= 2a."""
    m, a = log(0.6 / 0.4), 1.0
    expected = 1 - (2 * a - m) ** 2 / (8 * a * a)
    plant = {"men": 0.6, "reward_noise": a}
    men, women = (
        PROTOCOL.simulation(prompt, MATERIALS)
        for prompt in PROTOCOL.prompts(SpatialTracingParams(spaces=["bank"]), MATERIALS)
    )

    def reward(simulation, key):
        return simulation(plant, lambda stream: draw(1, stream, key)).reward

    n = 1000
    wins = sum(reward(men, f"men {i}") > reward(women, f"women {i}") for i in range(n))
    assert stats.binomtest(wins, n, expected).pvalue > 0.01


def test_trials_without_a_score_are_counted_as_planted():
    def rate(name, plant):
        return find(simulated(plant, spaces=["bank", "kitchen"]), f"{name}_rate").value

    assert rate("refusal", {"api_refusal": {"1": 1.0}}) == 1
    assert rate("refusal", {"api_refusal": {"2": 1.0}}) == 0
    assert rate("refusal", {"refusal": 1.0}) == 1, "nothing is written that could refuse in words"
    assert rate("invalid", {"noise": 1.0}) == 1


@pytest.mark.parametrize(
    ("plant", "said"),
    [
        ({"mass": 2}, "mass: value 2"),
        ({"reward_noise": -1}, "reward_noise: value -1"),
        ({"reward_nois": 1}, "did you mean 'reward_noise'?"),
        ({"men": 1.5}, "men: value 1.5"),
        ({"spatial.tracing": {"men": {"kitchn": 0.5}}}, "did you mean 'kitchen'?"),
    ],
)
def test_a_plant_that_cannot_be_simulated_is_refused(plant, said):
    assert said in PROTOCOL.check_plant(plant, MATERIALS)
