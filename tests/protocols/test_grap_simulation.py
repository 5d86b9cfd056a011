import math
import tomllib
from collections import Counter, defaultdict
from statistics import mean, stdev

import pytest

import rubrics
from agents.judges import offline
from auditor.draws import draw
from auditor.protocols.grap import Grap
from auditor.protocols.grap.contrast import contrast
from auditor.protocols.grap.cues import cues_in
from auditor.protocols.grap.params import GrapParams
from auditor.types import Outcome

PROTOCOL = Grap()
MATERIALS = {path: rubrics.read(path) for path in PROTOCOL.materials}
SENTENCES = tomllib.loads(rubrics.read("grap/sim_sentences.toml"))["dimensions"]
PAIRS = 150
PLANT = {
    "difference": {
        "competence": -0.6,
        "agency_autonomy": -0.5,
        "communal_care_trait_attribution": 0.6,
        "need_for_protection_caution": 0.5,
    }
}


def lexicon(**params):
    found = offline("grap", "rubric", "lexicon")
    texts = {path: rubrics.read(path) for path in found.materials}
    return found.open(texts, {"setting": "response_only", **params})


def answers(plant, pairs=PAIRS, seed=1):
    """(level, answer) of every prompt."""
    for prompt in PROTOCOL.drawn_prompts(GrapParams(pairs=pairs), MATERIALS, 1):
        item = f"{prompt.factors['pair']}.{prompt.factors['gender']}"
        simulate = PROTOCOL.simulation(prompt, MATERIALS)
        yield (
            prompt.factors["gender"],
            simulate(plant, lambda stream, item=item: draw(seed, stream, item)),
        )


def differences(plant):
    """Mean difference and its z value by dimension, female minus male."""
    judge = lexicon()
    by_level = defaultdict(lambda: defaultdict(list))
    for level, answer in answers(plant):
        for key, score in judge.judge(answer.text).value.items():
            by_level[key][level].append(score)
    found = {}
    for key, scored in by_level.items():
        apart = [f - m for f, m in zip(scored["female"], scored["male"], strict=True)]
        found[key] = mean(apart), mean(apart) / (stdev(apart) / math.sqrt(len(apart)))
    return found


def test_planted_dimensions_come_out_of_the_lexicon_with_their_signs_and_no_others():
    found = differences(PLANT)
    for key, planted in PLANT["difference"].items():
        assert math.copysign(1, found[key][0]) == math.copysign(1, planted), key
        assert abs(found[key][1]) > 5, key
    others = [abs(z) for key, (_, z) in found.items() if key not in PLANT["difference"]]
    assert max(others) < 3.5  # 13 dimensions without a difference


def test_an_answer_has_a_sentence_for_each_dimension_whatever_is_planted():
    lengths = {
        len(answer.text.replace("\n\n", " ").split(". ")) for _, answer in answers(PLANT, pairs=5)
    }
    assert lengths <= set(range(len(SENTENCES), len(SENTENCES) + 4))


@pytest.mark.parametrize("dimension", list(SENTENCES))
def test_a_sentence_speaks_for_its_own_dimension_and_side_alone(dimension):
    judge = lexicon()
    # A sentence without any term, so that no answer is too short or not English.
    base = "the box is in the hall and you see it. "
    even = judge.judge(base).value
    for side, texts in SENTENCES[dimension].items():
        for text in texts:
            scores = judge.judge(base + text).value
            moved = {key for key, score in scores.items() if score != even[key]}
            assert moved == {dimension}, text
            assert (scores[dimension] > even[dimension]) == (side == "high"), text


def test_shares_of_refusals_and_answers_without_text_are_those_that_are_planted():
    plant = {"refusal": 0.2, "api_refusal": 0.1, "filtered": 0.1, "empty": 0.1}
    found = [answer for _, answer in answers(plant, pairs=250)]
    outcomes = Counter(answer.outcome for answer in found)
    for outcome in (Outcome.REFUSED, Outcome.FILTERED, Outcome.EMPTY):
        assert outcomes[outcome] == pytest.approx(50, abs=4 * math.sqrt(45))
    judge = lexicon()
    reasons = Counter(judge.judge(answer.text).reason for answer in found if answer.text)
    assert reasons["refusal"] == pytest.approx(100, abs=4 * math.sqrt(80))
    assert set(reasons) == {None, "refusal"}


def test_a_leak_names_the_asker_and_the_level_and_nothing_else_does():
    known = contrast(MATERIALS)
    for level, answer in answers({"leak": 1.0}, pairs=20):
        assert known.words[level] in cues_in(answer.text, known)
    assert all(cues_in(answer.text, known) == [] for _, answer in answers({}, pairs=20))


def test_the_same_draws_give_the_same_answer_and_others_another():
    first = [answer.text for _, answer in answers(PLANT, pairs=3)]
    assert first == [answer.text for _, answer in answers(PLANT, pairs=3)]
    assert first != [answer.text for _, answer in answers(PLANT, pairs=3, seed=2)]


@pytest.mark.parametrize(
    "plant",
    [
        {},
        PLANT,
        {"difference": 0.3, "level": 0.6, "refusal": 0.1, "leak": 0.5},
        {"grap": {"difference": {"ambition": 1}}, "stories": {"male": 2}},
        {"level": {"competence": 0.1}, "difference": {"competence": -0.2}},
    ],
)
def test_sound_plants_are_taken(plant):
    assert PROTOCOL.check_plant(plant, MATERIALS) is None


@pytest.mark.parametrize(
    ("plant", "said"),
    [
        ({"diference": 0.1}, "diference: no part of a plant (did you mean 'difference'?)"),
        ({"difference": {"competense": 0.1}}, "difference.competense: no part of a plant"),
        ({"difference": {"favorability": 0.1}}, "difference.favorability: no part of a plant"),
        ({"difference": 1.5}, "difference: value 1.5; allowed: a number from -1 to 1"),
        ({"difference": {"ambition": True}}, "difference.ambition: value True"),
        ({"level": -0.1}, "level: value -0.1; allowed: a number from 0 to 1"),
        ({"refusal": 0.6, "empty": 0.5}, "refusal, empty: they add up to 1.1"),
        ({"level": 0.9, "difference": {"ambition": 0.4}}, "difference, level: together 1.1 for"),
        ({"leak": "often"}, "leak: value 'often'"),
    ],
)
def test_a_plant_that_cannot_be_simulated_is_refused_with_its_key(plant, said):
    assert PROTOCOL.check_plant(plant, MATERIALS).startswith(said)
