import math
import re
from collections import Counter
from functools import cache

import pytest

import rubrics
from agents.judges.choice import ChoiceJudge
from auditor.draws import draw
from auditor.protocols.spatial_explicit import SpatialExplicit
from auditor.protocols.spatial_explicit.params import SpatialExplicitParams
from auditor.protocols.spatial_explicit.simulation import GENDERED, NEITHER, NOISE, REFUSALS
from auditor.types import Outcome

PROTOCOL = SpatialExplicit()
JUDGE = ChoiceJudge(rubrics.read("spatial/choice.toml"))
MATERIALS = {path: rubrics.read(path) for path in PROTOCOL.materials}
PROMPTS = list(
    PROTOCOL.prompts(SpatialExplicitParams(prompt=["0", "1", "2", "3", "4", "5"]), MATERIALS)
)
SPACES = [prompt.factors["space"] for prompt in PROMPTS[:62]]


def simulation(space="kitchen", prompt="1"):
    found = next(
        each
        for each in PROMPTS
        if each.factors["space"] == space and each.factors["prompt"] == prompt
    )
    return PROTOCOL.simulation(found, MATERIALS)


def answers(plant, count, *, space="kitchen", prompt="1", seed=1):
    simulate = simulation(space, prompt)
    for item in range(count):
        yield simulate(plant, lambda stream, item=item: draw(seed, stream, f"{space}.{item}"))


@cache
def filled(wordings, space="kitchen"):
    return frozenset(wording.replace("{space}", space) for wording in wordings)


def label(answer, space="kitchen"):
    """Kind of an answer by what it says: of gendered wordings, the gender named first."""
    if answer.text is None:
        return answer.outcome.value
    for kind, wordings in (("neither", NEITHER), ("refusal", REFUSALS), ("noise", NOISE)):
        if answer.text in filled(wordings, space):
            return kind
    return re.search(r"\b(men|women)\b", answer.text.lower()).group()


def within_sampling_error(successes, n, p, sigmas=4.5):
    return abs(successes - n * p) <= sigmas * math.sqrt(n * p * (1 - p)) + 1e-9


def planted_line(slope):
    return [0.5 + slope * (place / 61 - 0.5) for place in range(62)]


def test_the_planted_slope_is_recovered_at_every_space_over_many_seeds():
    plant = {"slope": 0.8, "refusal": 0.05, "neither": 0.03, "noise": 0.02}
    statistic = 0.0
    for space, p in zip(SPACES, planted_line(0.8), strict=True):
        counts = Counter(
            label(answer, space)
            for seed in range(12)
            for answer in answers(plant, 30, space=space, seed=seed)
        )
        n = counts["men"] + counts["women"]
        assert within_sampling_error(counts["men"], n, p), space
        statistic += (counts["men"] - n * p) ** 2 / (n * p * (1 - p))
    # Chi-squared with 62 degrees of freedom: mean 62, variance 124. Both tails are failures.
    assert abs(statistic - 62) < 4 * math.sqrt(124)


@pytest.mark.parametrize("p", [0.0, 0.02, 0.5, 0.9, 1.0])
def test_one_planted_number_holds_among_gendered_answers_whatever_else_is_said(p):
    plant = {"men": p, "refusal": 0.2, "api_refusal": 0.1, "neither": 0.2, "noise": 0.1}
    counts = Counter(label(answer) for answer in answers(plant, 4000))
    n = counts["men"] + counts["women"]
    assert within_sampling_error(n, 4000, 0.4)
    assert within_sampling_error(counts["men"], n, p)


def test_each_planted_rate_is_recovered():
    rates = {
        "refusal": 0.1,
        "api_refusal": 0.05,
        "filtered": 0.04,
        "empty": 0.03,
        "neither": 0.2,
        "noise": 0.08,
    }
    counts = Counter(label(answer) for answer in answers(rates, 6000))
    for kind, outcome in (("api_refusal", "refused"), ("filtered",) * 2, ("empty",) * 2):
        assert within_sampling_error(counts[outcome], 6000, rates[kind]), kind
    for kind in ("refusal", "neither", "noise"):
        assert within_sampling_error(counts[kind], 6000, rates[kind]), kind
    assert within_sampling_error(counts["men"] + counts["women"], 6000, 0.5)


def test_a_rate_may_differ_by_prompt():
    plant = {"neither": {"0": 1.0}}
    assert {label(answer) for answer in answers(plant, 200, prompt="0")} == {"neither"}
    assert {label(answer) for answer in answers(plant, 200, prompt="1")} == {"men", "women"}


def test_a_prompts_shift_moves_its_probability_alone():
    plant = {"men": 0.5, "prompt_shift": {"2": 0.5}}
    assert {label(answer) for answer in answers(plant, 100, prompt="2")} == {"men"}
    assert {label(answer) for answer in answers(plant, 100, prompt="1")} == {"men", "women"}


@pytest.mark.parametrize(
    ("space", "expected"),
    [("kitchen", {"women"}), ("attic", {"men"}), ("park", {"women"}), ("mall", {"men"})],
)
def test_a_space_overrides_its_domain_and_the_domain_the_default(space, expected):
    plant = {"men": {"kitchen": 0, "private": 1, "mall": 1, "default": 0}}
    assert {label(answer, space) for answer in answers(plant, 50, space=space)} == expected


def test_a_table_without_a_space_leaves_it_unbiased():
    counts = Counter(label(answer, "mall") for answer in answers({"men": {"kitchen": 0}}, 2000))
    assert counts["men"] == 0
    counts = Counter(
        label(answer, "mall") for answer in answers({"men": {"kitchen": 0}}, 2000, space="mall")
    )
    assert within_sampling_error(counts["men"], 2000, 0.5)


@pytest.mark.parametrize("space", SPACES)
def test_the_offline_judge_reads_every_wording_as_it_is_meant(space):
    meant = dict.fromkeys(filled(NEITHER, space), "neither")
    meant |= dict.fromkeys(filled(REFUSALS, space), "refusal")
    meant |= dict.fromkeys(filled(NOISE, space))
    simulate = simulation(space)
    for gender, number in (("men", 0.0), ("women", 0.99)):
        for place in range(len(GENDERED)):
            draws = {"kind": 0.99, "gender": number, "wording": (place + 0.5) / len(GENDERED)}
            meant[simulate({}, draws.__getitem__).text] = gender
    assert {text: JUDGE.judge(text).value for text in meant} == meant


def test_the_same_draws_give_the_same_answer():
    plant = {"slope": 0.5, "refusal": 0.1, "neither": 0.1}
    assert list(answers(plant, 200, seed=7)) == list(answers(plant, 200, seed=7))
    assert list(answers(plant, 200, seed=7)) != list(answers(plant, 200, seed=8))


def test_the_wording_says_nothing_about_the_gender():
    """Each wording is equally likely under men and women: a judge's error cannot hide in it."""
    fixed = {"kind": 0.99, "wording": 0.0}
    for place in range(len(GENDERED)):
        fixed["wording"] = (place + 0.5) / len(GENDERED)
        men, women = (
            simulation()({}, lambda stream, g=gender: {**fixed, "gender": g}[stream]).text
            for gender in (0.0, 0.99)
        )
        swapped = re.sub(
            r"women|men|Women|Men|WOMEN|MEN",
            lambda word: {"women": "men", "Women": "Men", "WOMEN": "MEN"}.get(
                word.group(), {"men": "women", "Men": "Women", "MEN": "WOMEN"}.get(word.group())
            ),
            men,
        )
        assert women == swapped


@pytest.mark.parametrize("edge", [0.0, 1 - 2**-53])
def test_the_ends_of_the_unit_interval_are_answers_too(edge):
    answer = simulation()({"refusal": 0.5, "noise": 0.5}, lambda _: edge)
    assert answer.text in filled(REFUSALS) | filled(NOISE)


def test_answers_without_text_have_the_endpoints_outcome():
    for kind, outcome in (
        ("api_refusal", Outcome.REFUSED),
        ("filtered", Outcome.FILTERED),
        ("empty", Outcome.EMPTY),
    ):
        answer = next(answers({kind: 1.0}, 1))
        assert (answer.text, answer.outcome, answer.token_logprobs) == (None, outcome, None)


def test_log_probabilities_normalise_to_the_planted_probability():
    plant = {"men": 0.3, "refusal": 0.1, "neither": 0.2, "noise": 0.05}
    logprobs = next(answers(plant, 1, seed=3)).token_logprobs
    mass = {token: math.exp(value) for token, value in logprobs.items()}
    men, women = mass["Men"] + mass["men"], mass["Women"] + mass["women"]
    assert men / (men + women) == pytest.approx(0.3)
    assert men + women == pytest.approx(0.65)
    assert mass["Neither"] == pytest.approx(0.2)
    assert sum(mass.values()) == pytest.approx(1)


def test_an_impossible_token_has_no_log_probability():
    logprobs = next(answers({"men": 1.0}, 1)).token_logprobs
    assert set(logprobs) == {"Men", "men"}
    assert sum(map(math.exp, logprobs.values())) == pytest.approx(1)


def test_log_probabilities_are_those_of_answers_that_have_text():
    plant = {"men": 0.5, "filtered": 0.5}
    logprobs = next(a for a in answers(plant, 50) if a.text is not None).token_logprobs
    assert sum(map(math.exp, logprobs.values())) == pytest.approx(1)


def test_a_plant_may_stand_in_a_table_of_the_protocols_name():
    plant = {"spatial.explicit": {"men": 1.0}, "stories": {"male": 0.0}}
    assert PROTOCOL.check_plant(plant, MATERIALS) is None
    assert {label(answer) for answer in answers(plant, 50)} == {"men"}


@pytest.mark.parametrize(
    "plant",
    [
        {},
        {"men": 0},
        {"men": 1.0, "slope": 0},
        {"slope": 1.0},
        {"slope": -1},
        {"men": {"public": 0.9, "private": 0.1, "kitchen": 0}, "refusal": 0.03},
        {"neither": {"0": 0.9}, "prompt_shift": {"2": 0.1, "5": -0.1}},
        {"men": 0.3, "slope": 0.6},
        {"refusal": 0.5, "neither": 0.3, "noise": 0.2},
    ],
    ids=repr,
)
def test_a_sound_plant_is_taken(plant):
    assert PROTOCOL.check_plant(plant, MATERIALS) is None


@pytest.mark.parametrize(
    ("plant", "said"),
    [
        ({"man": 0.5}, "man: no part of a plant (did you mean 'men'?); allowed: men, slope"),
        ({"men": 1.1}, "men: value 1.1; allowed: a number from 0 to 1"),
        ({"men": "half"}, "men: value 'half'; allowed: a number from 0 to 1"),
        ({"men": True}, "men: value True; allowed: a number from 0 to 1"),
        ({"men": {"kichen": 0.1}}, "men.kichen: no part of a plant (did you mean 'kitchen'?)"),
        ({"men": {"kitchen": -1}}, "men.kitchen: value -1; allowed: a number from 0 to 1"),
        ({"slope": 2}, "slope: value 2; allowed: a number from -1 to 1"),
        ({"prompt_shift": 0.1}, "prompt_shift: value 0.1; allowed: a table of prompt to number"),
        ({"prompt_shift": {"9": 0.1}}, "prompt_shift.9: no part of a plant; allowed: prompts 0, 1"),
        ({"refusal": -0.1}, "refusal: value -0.1; allowed: a number from 0 to 1"),
        ({"neither": {"0": 2}}, "neither.0: value 2; allowed: a number from 0 to 1"),
        ({"refusal": 0.6, "noise": 0.6}, "refusal, noise: they add up to 1.2 under prompt 0"),
        ({"men": 0.9, "slope": 0.8}, "men, slope, prompt_shift: together 1.01148 for 'police"),
        (
            {"men": 0.9, "prompt_shift": {"3": 0.2}},
            "men, slope, prompt_shift: together 1.1 for 'bus stop' under prompt 3; allowed: a pro",
        ),
        ({"men": 10**5000}, "men: value a huge number; allowed: a number from 0 to 1"),
    ],
    ids=lambda part: None if isinstance(part, dict) else part[:30],
)
def test_an_unsound_plant_is_refused_with_its_key_value_and_what_is_allowed(plant, said):
    assert PROTOCOL.check_plant(plant, MATERIALS).startswith(said)


def test_the_streams_of_one_answer_are_named_and_few():
    asked = []

    def recorded(stream):
        asked.append(stream)
        return 0.999

    simulation()({}, recorded)
    assert sorted(asked) == ["gender", "kind", "wording"]
