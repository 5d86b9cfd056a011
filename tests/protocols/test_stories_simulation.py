import math
import re
import tomllib
from collections import Counter

import pytest

import rubrics
from auditor.draws import draw
from auditor.protocols.stories import Stories
from auditor.protocols.stories.openings import NAMED, NAMELESS, REFUSALS
from auditor.protocols.stories.params import StoriesParams
from auditor.types import Outcome

PROTOCOL = Stories()
MATERIALS = {path: rubrics.read(path) for path in PROTOCOL.materials}
LISTS = tomllib.loads(rubrics.read("stories/sim_names.toml"))
PROMPTS = {
    prompt.factors["occupation"]: prompt for prompt in PROTOCOL.prompts(StoriesParams(), MATERIALS)
}
PRONOUNS = {"male": {"he", "him", "his"}, "female": {"she", "her"}}


def pattern(template):
    """What the template's texts look like, with the protagonist's name to be read off."""
    text = re.escape(template)
    text = text.replace(r"\{name\}", "(?P<name>[A-Z]@)", 1).replace(r"\{name\}", "(?P=name)")
    text = text.replace(r"\{first\}", "(?P<first>[A-Z]@)", 1).replace(r"\{first\}", "(?P=first)")
    return re.compile(re.sub(r"\\\{\w+\\\}", "@", text).replace("@", "[^\n]+?"))


NAMED_PATTERNS = [pattern(template) for template in NAMED]
KINDS = {name: kind for kind in ("female", "male", "neutral", "unknown") for name in LISTS[kind]}
NO_NAME = [pattern(template) for template in NAMELESS]


def answers(plant, count, *, occupation="baker", seed=1):
    simulate = PROTOCOL.simulation(PROMPTS[occupation], MATERIALS)
    for item in range(count):
        yield simulate(plant, lambda stream, item=item: draw(seed, stream, f"{occupation}.{item}"))


def protagonist(text):
    """The name in a story, read with the template that it was made from; None without one."""
    for candidate in NAMED_PATTERNS:
        if found := candidate.fullmatch(text):
            groups = found.groupdict()
            return groups.get("name") or groups["first"]
    return None


def label(answer):
    if answer.text is None:
        return answer.outcome.value
    if answer.text in REFUSALS:
        return "refusal"
    if any(candidate.fullmatch(answer.text) for candidate in NO_NAME):
        return "no_name"
    return KINDS[protagonist(answer.text).split(" ")[0]]


def within_sampling_error(successes, n, p, sigmas=4.5):
    return abs(successes - n * p) <= sigmas * math.sqrt(n * p * (1 - p)) + 1e-9


def ratings():
    rows = rubrics.read("stories/occupations.csv").splitlines()[1:]
    return {row.split(",")[0]: (float(row.split(",")[1]) - 1) / 6 for row in rows}


def test_a_slope_of_1_plants_the_stereotype_ratings_themselves():
    statistic = 0.0
    for occupation, p in ratings().items():
        counts = Counter(
            label(answer) for answer in answers({"slope": 1}, 75, occupation=occupation)
        )
        assert counts["male"] + counts["female"] == 75
        statistic += (counts["male"] - 75 * p) ** 2 / (75 * p * (1 - p))
    # Chi-squared with 106 degrees of freedom: mean 106, variance 212.
    assert abs(statistic - 106) < 4 * math.sqrt(212)


@pytest.mark.parametrize("p", [0.0, 0.1, 0.5, 1.0])
def test_one_planted_number_holds_among_gendered_names_whatever_else_is_said(p):
    plant = {"male": p, "refusal": 0.2, "no_name": 0.2, "unknown": 0.1, "neutral": 0.1}
    counts = Counter(label(answer) for answer in answers(plant, 3000))
    n = counts["male"] + counts["female"]
    assert within_sampling_error(n, 3000, 0.4)
    assert within_sampling_error(counts["male"], n, p)


def test_each_planted_rate_is_recovered():
    plant = {
        "refusal": 0.05,
        "api_refusal": 0.06,
        "filtered": 0.07,
        "empty": 0.08,
        "no_name": 0.1,
        "unknown": 0.12,
        "neutral": 0.2,
    }
    counts = Counter(label(answer) for answer in answers(plant, 4000))
    renamed = {"api_refusal": "refused", "filtered": "filtered", "empty": "empty"}
    for kind, rate in plant.items():
        assert within_sampling_error(counts[renamed.get(kind, kind)], 4000, rate), kind


def test_an_occupation_overrides_the_default_of_a_table():
    plant = {"male": {"baker": 1.0, "default": 0.0}, "no_name": {"cook": 1.0}}
    assert {label(answer) for answer in answers(plant, 40)} == {"male"}
    assert {label(answer) for answer in answers(plant, 40, occupation="plumber")} == {"female"}
    assert {label(answer) for answer in answers(plant, 40, occupation="cook")} == {"no_name"}


def test_an_occupation_that_a_table_leaves_out_is_unbiased():
    counts = Counter(label(a) for a in answers({"male": {"cook": 1.0}}, 1000))
    assert within_sampling_error(counts["male"], 1000, 0.5)


def test_each_opening_is_as_likely_for_a_man_as_for_a_woman():
    openings = {
        gender: Counter(
            next(n for n, p in enumerate(NAMED_PATTERNS) if p.fullmatch(answer.text))
            for answer in answers({"male": float(gender == "male")}, 3000)
        )
        for gender in ("male", "female")
    }
    assert openings["male"] == openings["female"]
    assert set(openings["male"]) == set(range(len(NAMED)))


def test_every_opening_names_its_protagonist_and_fits_the_pronouns_to_the_gender():
    for gender, own in PRONOUNS.items():
        other = PRONOUNS["female" if gender == "male" else "male"]
        for answer in answers({"male": float(gender == "male")}, 400):
            name = protagonist(answer.text)
            assert KINDS[name.split(" ")[0]] == gender
            assert answer.text.count(name) >= 1 or name.split(" ")[0] in answer.text
            if "My name is" in answer.text or "my grandmother" in answer.text:
                continue
            words = set(re.findall(r"[a-z]+", answer.text.lower()))
            assert words & own, answer.text
            assert not words & other, answer.text


def test_no_place_in_a_template_is_left_open():
    plant = {"no_name": 0.2, "refusal": 0.2, "unknown": 0.2, "neutral": 0.2}
    for occupation in ("architect", "emergency medical care"):
        for answer in answers(plant, 300, occupation=occupation):
            assert "{" not in answer.text
            assert f"a {occupation}" not in answer.text if occupation[0] in "ae" else True


def test_an_answer_depends_on_its_own_trial_alone():
    plant = {"slope": 0.5, "refusal": 0.1}
    few = [answer.text for answer in answers(plant, 10)]
    many = [answer.text for answer in answers(plant, 50)]
    assert many[:10] == few
    assert [answer.text for answer in answers(plant, 10, seed=2)] != few


def test_answers_without_text_have_the_endpoints_outcome():
    for key, outcome in (
        ("api_refusal", Outcome.REFUSED),
        ("filtered", Outcome.FILTERED),
        ("empty", Outcome.EMPTY),
    ):
        (answer,) = answers({key: 1.0}, 1)
        assert (answer.text, answer.outcome) == (None, outcome)


def test_a_plant_for_several_protocols_stands_in_its_own_table():
    plant = {"spatial.explicit": {"men": 0.1}, "stories": {"male": 1.0}}
    assert PROTOCOL.check_plant(plant, MATERIALS) is None
    assert {label(answer) for answer in answers(plant, 50)} == {"male"}


@pytest.mark.parametrize(
    "plant",
    [
        {},
        {"male": 0.2},
        {"male": {"baker": 0.1, "default": 0.3}, "neutral": {"cook": 0.5}},
        {"male": 0.5, "slope": 1},
        {"slope": -1.0, "refusal": 0.5, "unknown": 0.5},
    ],
)
def test_plants_that_can_be_simulated_are_taken(plant):
    assert PROTOCOL.check_plant(plant, MATERIALS) is None


@pytest.mark.parametrize(
    ("plant", "said"),
    [
        ({"men": 0.5}, "men: no part of a plant; allowed: male, slope, refusal"),
        ({"mal": 0.5}, "mal: no part of a plant (did you mean 'male'?)"),
        ({"male": 1.5}, "male: value 1.5; allowed: a number from 0 to 1"),
        ({"male": True}, "male: value True"),
        ({"male": {"bakker": 0.5}}, "male.bakker: no part of a plant (did you mean 'baker'?)"),
        ({"neutral": {"cook": -0.1}}, "neutral.cook: value -0.1"),
        ({"slope": {"baker": 1}}, "slope: value"),
        ({"slope": 2}, "slope: value 2; allowed: a number from -1 to 1"),
        ({"male": 0.9, "slope": 1}, "male, slope: together 1.0"),
        ({"refusal": 0.6, "unknown": 0.6}, "refusal, unknown: they add up to 1.2 for"),
        ({"refusal": 10**5000}, "refusal: value a huge number"),
    ],
)
def test_other_plants_are_refused_with_key_and_value(plant, said):
    wrong = PROTOCOL.check_plant(plant, MATERIALS)
    assert said in wrong
    assert "; allowed: " in wrong
