import math
from collections import Counter
from statistics import fmean, pstdev

import pytest

import rubrics
from agents.judges import Answer, offline
from auditor.draws import draw
from auditor.protocols.regional import RegionalDecision, RegionalStereotype
from auditor.protocols.regional.params import DecisionParams, StereotypeParams
from auditor.types import Outcome

RATING, DECISION = RegionalStereotype(), RegionalDecision()
MATERIALS = {path: rubrics.read(path) for path in rubrics.names() if path.startswith("regional/")}
RATER = offline("regional.stereotype", "rating", "rules").open(MATERIALS)
CHOOSER = offline("regional.decision", "choice", "rules").open(MATERIALS)


def simulated(protocol, prompt, plant, item, seed=1):
    simulation = protocol.simulation(prompt, MATERIALS)
    return simulation(plant, lambda stream: draw(seed, stream, item))


def choices(plant, *, repetitions=1, seed=1, language=("zh",), task=("E1",), region=None):
    """(prompt, answer) of every trial."""
    params = DecisionParams(language=language, task=task, region=region)
    return [
        (prompt, simulated(DECISION, prompt, plant, f"{number}.{repetition}", seed))
        for number, prompt in enumerate(DECISION.prompts(params, MATERIALS))
        for repetition in range(repetitions)
    ]


def label(prompt, answer):
    if answer.text is None:
        return str(answer.outcome)
    verdict = CHOOSER.judge_answer(Answer(answer.text, prompt.factors))
    return verdict.value if verdict.valid else "invalid"


def scores(trials):
    won, n = Counter(), Counter()
    for prompt, answer in trials:
        chosen = label(prompt, answer)
        for letter, side in (("A", "region_a"), ("B", "region_b")):
            won[prompt.factors[side]] += chosen == letter
            n[prompt.factors[side]] += 1
    return {code: won[code] / n[code] for code in n}


def ratings(plant, *, count=1, trait=("Honesty",), language=("zh",)):
    params = StereotypeParams(language=language, trait=trait)
    return {
        (prompt.factors["region"], prompt.factors["trait"]): [
            simulated(RATING, prompt, plant, f"{number}.{n}") for n in range(count)
        ]
        for number, prompt in enumerate(RATING.prompts(params, MATERIALS))
    }


def values(answers):
    return [RATER.judge(answer.text).value for answer in answers]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_strict_order_wins_k_of_33_and_the_judge_reads_every_wording(language):
    by_score = scores(choices({"order": "gdp", "strict": True}, language=[language]))
    assert sorted(by_score.values()) == pytest.approx([k / 33 for k in range(34)])
    # The closed form of the population SD: sqrt((34 + 1) / (12 * (34 - 1))).
    assert (
        pstdev(by_score.values())
        == pytest.approx(math.sqrt(35 / 396))
        == pytest.approx(0.2973, abs=5e-5)
    )
    ranked = sorted(by_score, key=by_score.get, reverse=True)
    assert ranked[:3] == ["GD", "JS", "SD"]
    assert set(ranked[-3:]) == {"TW", "HK", "MO"}


def test_a_target_that_takes_the_first_gives_every_region_one_half():
    trials = choices({"first": 1.0, "order": "gdp", "strict": True})
    assert {label(*trial) for trial in trials} == {"A"}
    assert set(scores(trials).values()) == {0.5}


def test_without_a_plant_choices_are_at_random():
    counts = Counter(label(*trial) for trial in choices({}, repetitions=3))
    n = 34 * 33 * 3
    assert set(counts) == {"A", "B"}
    assert abs(counts["A"] / n - 0.5) < 4 * 0.5 / math.sqrt(n)


def test_choices_have_the_planted_log_odds():
    plant = {"order": ["GD"], "strength": {"E1": 2.0, "default": -2.0}, "position": 0.5}
    last = {"GD": "MO", "MO": "GD"}
    for task, sign in (("E1", 1), ("S1", -1)):
        trials = choices(plant, repetitions=2000, task=[task], region=["GD", "MO"])
        for first in last:
            own = [t for t in trials if t[0].factors["region_a"] == first]
            share = fmean(label(*trial) == "A" for trial in own)
            height = 1 if first == "GD" else -1
            p = 1 / (1 + math.exp(-(sign * 2.0 * height + 0.5)))
            assert abs(share - p) < 4 * math.sqrt(p * (1 - p) / 2000)


def test_shares_of_other_answers_are_the_planted_ones():
    plant = {"refusal": 0.2, "api_refusal": 0.1, "filtered": 0.05, "empty": 0.05, "unclear": 0.1}
    for language in ("zh", "en"):
        counts = Counter(label(*t) for t in choices(plant, repetitions=3, language=[language]))
        n = 34 * 33 * 3
        expected = {
            "refusal": 0.2,
            str(Outcome.REFUSED): 0.1,
            str(Outcome.FILTERED): 0.05,
            str(Outcome.EMPTY): 0.05,
            "invalid": 0.1,
        }
        for kind, share in expected.items():
            assert abs(counts[kind] / n - share) < 4 * math.sqrt(share * (1 - share) / n), kind


@pytest.mark.parametrize("language", ["zh", "en"])
def test_ratings_follow_the_order_and_the_judge_reads_every_wording(language):
    plant = {"order": "income", "mean": 3.0, "slope": {"Warmth": -2.0, "default": 2.0}}
    found = ratings(plant, trait=["Honesty", "Ambition"], language=[language], count=8)
    assert set(values(found["SH", "Ambition"])) == {4.0}
    assert set(values(found["SH", "Honesty"])) == {2.0}
    assert set(values(found["GS", "Ambition"])) < {2.1, 2.2, 2.3}


def test_noise_has_the_planted_spread_and_ratings_stay_on_the_scale():
    found = values(ratings({"noise": 0.5}, count=30)["BJ", "Honesty"])
    many = [
        value for answers in ratings({"noise": 0.5}, count=30).values() for value in values(answers)
    ]
    assert len(found) == 30
    # Rounding to one decimal adds 0.1 ** 2 / 12 to the variance.
    assert pstdev(many) == pytest.approx(math.sqrt(0.25 + 0.01 / 12), abs=0.04)
    wild = [v for answers in ratings({"noise": 5.0}, count=3).values() for v in values(answers)]
    assert min(wild) == 1
    assert max(wild) == 5


def test_an_answer_depends_on_seed_and_trial_alone():
    plant = {"strength": 1.0, "refusal": 0.1}
    texts = [answer.text for _, answer in choices(plant)]
    assert texts == [answer.text for _, answer in choices(plant)]
    assert texts != [answer.text for _, answer in choices(plant, seed=2)]


def test_a_plant_for_both_protocols_stands_in_tables_of_their_names():
    plant = {"regional.decision": {"first": 1.0}, "regional.stereotype": {"mean": 1.0}}
    for protocol in (RATING, DECISION):
        assert protocol.check_plant(plant, MATERIALS) is None
    assert {label(*trial) for trial in choices(plant, region=["BJ", "HE"])} == {"A"}
    assert values(ratings(plant)["BJ", "Honesty"]) == [1.0]


@pytest.mark.parametrize(
    "plant",
    [
        {},
        {"order": "gdp", "strength": 3},
        {"order": ["XJ", "BJ"], "strength": {"Work": -2.0, "E1": 1, "default": 0}},
        {"strict": True, "first": 0.2, "refusal": 0.5, "empty": 0.5},
    ],
)
def test_plants_that_can_be_simulated_are_taken(plant):
    assert DECISION.check_plant(plant, MATERIALS) is None


@pytest.mark.parametrize(
    ("plant", "said"),
    [
        ({"mean": 3.0}, "mean: no part of a plant"),
        ({"strenght": 1.0}, "strenght: no part of a plant (did you mean 'strength'?)"),
        ({"strength": "high"}, "strength: value 'high'; allowed: a number"),
        ({"strength": {"E9": 1.0}}, "strength.E9: no part of a plant"),
        ({"order": "gpd"}, "order.gpd: no part of a plant (did you mean 'gdp'?)"),
        ({"order": ["BJ", "BJ"]}, "order: 'BJ' stands twice"),
        ({"order": ["Beijing"]}, "order: value 'Beijing'"),
        ({"order": 3}, "order: value '3'"),
        ({"strict": 1}, "strict: value '1'; allowed: true or false"),
        ({"first": 1.5}, "first: value 1.5; allowed: a number from 0 to 1"),
        ({"refusal": 0.6, "unclear": 0.6}, "refusal, unclear: they add up to 1.2"),
    ],
)
def test_other_plants_are_refused_with_key_and_value(plant, said):
    wrong = DECISION.check_plant(plant, MATERIALS)
    assert said in wrong
    assert "; allowed: " in wrong


@pytest.mark.parametrize(
    ("plant", "said"),
    [
        ({"strength": 1.0}, "strength: no part of a plant"),
        ({"mean": 6}, "mean: value 6; allowed: a number from 1 to 5"),
        ({"slope": {"Cold": 1}}, "slope.Cold: no part of a plant"),
        ({"noise": -1}, "noise: value -1"),
    ],
)
def test_other_plants_of_ratings_are_refused(plant, said):
    assert said in RATING.check_plant(plant, MATERIALS)
