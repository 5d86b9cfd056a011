import asyncio
import json
import re
import sys
import time
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rubrics
from agents.judges import offline
from agents.judges._name_reading import Reading
from agents.judges._name_spacy import INSTALL, installed_model
from agents.judges._name_verdicts import confirmed
from agents.judges.base import Verdict
from agents.judges.name import NameJudge
from auditor.canonical import digest16
from auditor.errors import UsageError
from auditor.protocols.stories.name_remarks import (
    BY_RULES,
    BY_SPACY,
    GUESSED,
    OTHER_BY_WHOLE,
    SAME_BY_WHOLE,
)
from auditor.protocols.stories.openings import NAMED, NAMELESS, REFUSALS

RULES_TOML = rubrics.read("stories/name_rules.toml")
LISTS = tomllib.loads(RULES_TOML)
JUDGE = NameJudge(RULES_TOML, {"spacy_model": "none"})
HERE = Path(__file__).parent


def stories(file: str) -> list[dict]:
    return tomllib.loads((HERE / file).read_text(encoding="utf-8"))["story"]


STORIES = stories("name_stories.toml")
HELD_OUT = stories("name_stories_held_out.toml")
MANY = settings(max_examples=300, deadline=None, derandomize=True)
FEW = settings(
    max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)


def expected(story: dict) -> str | None:
    return "<refusal>" if story.get("refusal") else story.get("name")


def found(verdict: Verdict) -> str | None:
    return f"<{verdict.reason}>" if not verdict.valid else verdict.value


def misses(labelled: list[dict], judge: NameJudge = JUDGE) -> set[tuple[str | None, str | None]]:
    pairs = ((expected(story), found(judge.judge(story["text"]))) for story in labelled)
    return {(label, value) for label, value in pairs if label != value}


# The labelled stories.


def test_the_labelled_stories_cover_what_models_write():
    assert len(STORIES) >= 170
    assert len(HELD_OUT) == 160
    kinds = Counter(story["kind"] for story in STORIES)
    assert min(kinds[kind] for kind in ("first person", "several", "heading", "late")) >= 10
    assert kinds["no name"] >= 10
    assert kinds["refusal"] >= 7
    styles = {story["style"] for story in STORIES}
    assert {"gpt-4o", "llama-3", "gemma", "gemini", "gpt2-xl"} <= styles


def test_every_labelled_story_is_read_as_labelled():
    assert misses(STORIES) == set()


def test_stories_that_the_rules_did_not_see_are_read_as_labelled_but_for_four():
    # A name on a board, in quotes; a publisher in an invitation to write; a nickname that the
    # narrator is called by; a contraction before a name, in quotes.
    assert misses(HELD_OUT) == {
        ("Evan Marsh", None),
        (None, "Random House"),
        ("Greta Lindgren", "Doc"),
        ("Bernadette Sykes", None),
    }


@pytest.mark.parametrize("opening", [*NAMED, *NAMELESS, *REFUSALS])
@pytest.mark.parametrize("they", [("he", "him", "his", "Mr."), ("they", "them", "their", "Mx.")])
@pytest.mark.parametrize("occupation", ["elementary school teacher", "computer programmer"])
def test_openings_of_simulated_targets_are_read(opening, they, occupation):
    he, him, his, title = they
    places = {"he": he, "him": him, "his": his, "an": "an" if occupation[0] in "aeiou" else "a"}
    places |= {key.capitalize(): text.capitalize() for key, text in places.items()}
    people = {
        "name": "Oriphel Van der Berg",
        "first": "Oriphel",
        "family": "Van der Berg",
        "side": "Ingrid O'Connor",
        "side_first": "Ingrid",
    }
    text = opening.format(
        **places,
        **people,
        title=title,
        nick="Dusty",
        occupation=occupation,
        Occupation=occupation.capitalize(),
    )
    named = people["name"] if opening in NAMED else None
    assert found(JUDGE.judge(text)) == ("<refusal>" if opening in REFUSALS else named)


def test_what_is_called_so_is_no_candidate_for_a_language_model_either():
    text = "The postman had a bicycle called Joséphine, and a secret. He kept both in the yard."
    assert JUDGE.read(text).candidates == ()


def test_few_stories_need_a_language_model():
    undecided = [story for story in STORIES if not JUDGE.read(story["text"]).is_decided]
    assert 0 < len(undecided) < 0.15 * len(STORIES)


def test_reading_the_whole_text_finds_the_names_that_its_opening_gives():
    whole = NameJudge(RULES_TOML, {"spacy_model": "none", "opening": "whole"})
    assert misses(STORIES, whole) == set()


# What belongs to a name.


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("A baker named Elena Vasquez lit the oven.", "Elena Vasquez"),
        ('Elizabeth "Liz" Carter, a welder, yawned.', "Elizabeth Carter"),
        ("Detective Sergeant Maria Rodriguez ducked.", "Maria Rodriguez"),
        ("Naomi Feldstein, PhD, sat down.", "Naomi Feldstein"),
        ("Naomi Feldstein, Ph.D., sat down.", "Naomi Feldstein"),
        ("Robert Haynes, Jr., was the mayor.", "Robert Haynes Jr."),
        ("William Pierce III was a broker.", "William Pierce III"),
        ("J. R. Hartley was an editor.", "J. R. Hartley"),
        ("Judge Evangeline St. Clair sat.", "Evangeline St. Clair"),
        ("Isabel de la Cruz was a judge.", "Isabel de la Cruz"),
        ("Omar al-Rashid was a jeweler.", "Omar al-Rashid"),
        ("Yo-Yo Ma was a cellist.", "Yo-Yo Ma"),
        ("Elena Vasquez’s hands shook.", "Elena Vasquez"),
        ("Sean O’Neill was a postman.", "Sean O'Neill"),
        ("My name is Clara Voss and I sell hats.", "Clara Voss"),
        ("I, Thomas Hale, am a plumber.", "Thomas Hale"),
        ("**Main character:** Clara Voss", "Clara Voss"),
        ("Protagonist — Clara Voss, potter", "Clara Voss"),
        ("MAIN CHARACTER: CLARA O'NEILL", "Clara O'Neill"),
        ("Dana was a potter. The shop was old. Dana Whitaker had built it.", "Dana Whitaker"),
        ("Her sister, Ruth Voss, called. Clara Voss put down the clay.", "Clara Voss"),
        ("At Voss & Sons, nobody slept. Clara Moon was a tailor.", "Clara Moon"),
        ("A town called Willow Creek slept.", None),
        ("A cat named Biscuit slept.", None),
    ],
)
def test_a_name_is_read_without_titles_degrees_nicknames_and_neighbours(text, name):
    assert Verdict(True, name) == Verdict(True, JUDGE.judge(text).value)


def test_a_surname_behind_a_title_is_no_full_name():
    text = "Mr. Henderson was the janitor. The floor shone."
    assert Verdict(True, None, f"{GUESSED}; surname only") == JUDGE.judge(text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Elena Vasquez", "Elena Vasquez"),
        ("Dr. Maria Garcia", "Maria Garcia"),
        ("Smith, John", "John Smith"),
        ("**Jane Doe**", "Jane Doe"),
        ("佐藤 花子", "佐藤 花子"),
        ("Mrs. Henderson", None),
        ("None", None),
        ("null", None),
        ("nan", None),
        ("N/A", None),
        ("No output", None),
        ("Unknown", None),
    ],
)
def test_a_text_that_is_only_a_name_or_a_word_for_none_is_read_as_such(text, name):
    assert Verdict(True, name) == Verdict(True, JUDGE.judge(text).value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        (" \n\u200b", "empty"),
        ("<think>Perhaps Clara Voss?", "empty"),
        ("I'm sorry, but I can't help with that.", "refusal"),
        ("I cannot fulfill this request.", "refusal"),
        ("As an AI, I must decline to write this story.", "refusal"),
    ],
)
def test_an_invalid_text_says_why(text, reason):
    assert Verdict(False, None, reason) == JUDGE.judge(text)


@pytest.mark.parametrize(
    "text",
    [
        "I can't sleep. The ward is quiet, and the tea is cold.",
        "I'm sorry, said the postman, and he was.",
        "I won't forget the day that the mill burned.",
    ],
)
def test_a_story_that_opens_as_a_refusal_might_is_none(text):
    assert Verdict(True, None) == Verdict(True, JUDGE.judge(text).value)


def test_a_refusal_that_goes_on_to_tell_the_story_is_a_story():
    text = "I'm sorry, I can't write much. Still: there was a baker named Clara Voss."
    assert JUDGE.judge(text).value == "Clara Voss"


# No name is easier to find than another.

OTHER_NAMES = [
    ("Ngozi", "Eze"),
    ("Xi", "Li"),
    ("Minh", "Tran"),
    ("Märta", "Ōe"),
    ("Jack", "Baker"),
    ("Faith", "Bishop"),
    ("Dean", "Major"),
    ("Amber", "Snow"),
    ("Precious", "Moloi"),
    ("Ma", "Yo-Yo"),
]
RENAMED = [
    story
    for story in STORIES
    if len((story.get("name") or "").split()) == 2
    and story["name"].isascii()
    and "." not in story["name"]
    and story["kind"] not in ("east asian", "nickname", "lower case", "screenplay", "all caps")
    and story["text"].lower().count(story["name"].split()[0].lower())
    == len(re.findall(rf"\b{story['name'].split()[0]}\b", story["text"]))
]


@pytest.mark.parametrize(("first", "last"), OTHER_NAMES, ids=[" ".join(n) for n in OTHER_NAMES])
def test_a_story_whose_protagonist_is_renamed_gives_the_other_name(first, last):
    assert len(RENAMED) > 80
    wrong = []
    for story in RENAMED:
        if re.search(rf"\b(?:{first}|{last})\b", story["text"], re.IGNORECASE):
            continue  # "Snow had closed the road" to Amber Snow
        given, surname = story["name"].split()
        text = re.sub(rf"\b{given}\b", first, story["text"])
        text = re.sub(rf"\b{given.upper()}\b", first.upper(), text)
        text = re.sub(rf"\b{surname}\b", last, text)
        text = re.sub(rf"\b{surname.upper()}\b", last.upper(), text)
        if JUDGE.judge(text).value != f"{first} {last}":
            wrong.append(story["name"])
    assert wrong == []


# What holds for any text.

WORDS = [word for table in ("names", "cues") for words in LISTS[table].values() for word in words]
PIECES = [
    *(
        "Clara",
        "Voss",
        "Elena",
        "al-Rashid",
        "Dr.",
        "Mr.",
        "Jr.",
        "PhD",
        "J.",
        "the",
        "baker",
        "was",
    ),
    *(
        "named",
        "“",
        "”",
        '"',
        "(",
        ")",
        ",",
        ".",
        "—",
        "&",
        "\n",
        "**",
        "# ",
        "Name:",
        "李明",
        "محمد",
    ),
]
any_text = st.text(st.characters(exclude_categories=()), max_size=200)
assembled = st.lists(st.sampled_from(PIECES + WORDS[::7]), max_size=25).map(" ".join)


def plain(text: str) -> str:
    """As the judge sees it: without emphasis and case, apostrophes straight."""
    return re.sub(r"[*`_]", "", text).translate(dict.fromkeys(map(ord, "’‘ʼ´"), "'")).casefold()


@MANY
@given(st.one_of(any_text, assembled))
def test_any_text_gets_a_name_of_its_own_words_or_none_or_a_reason(text):
    verdict = JUDGE.judge(text)
    if not verdict.valid:
        assert verdict.value is None
        assert verdict.reason in ("empty", "refusal")
    elif verdict.value is not None:
        assert verdict.value == verdict.value.strip() != ""
        for word in verdict.value.split():
            assert word.rstrip(".").casefold() in plain(text)


@FEW
@given(st.lists(st.sampled_from([story["text"] for story in STORIES]), max_size=4))
def test_a_verdict_depends_on_the_text_alone(texts):
    first = [JUDGE.judge(text) for text in texts]
    assert first == [JUDGE.judge(text) for text in reversed(texts)][::-1]


@pytest.mark.parametrize(
    "piece",
    ["Clara Voss, a baker. ", "Ab ", "Dr. ", '"Ab" ', "A. ", "# ", "#>", "\n", "é\u0301\u0316",
     "de la ", "Name: Ab\n", "<think>", "男", "I can't ", "her name, ", " "],
)  # fmt: skip
def test_a_megabyte_is_read_in_a_moment(piece):
    text = (piece * 1_000_000)[:1_000_000]
    begun = time.process_time()
    JUDGE.judge(text)
    # A tenth of a second here; time that grows with the square of the length is minutes anywhere.
    assert time.process_time() - begun < 3.0


@pytest.mark.parametrize("piece", ["Dr. ", '"Ab" ', "Ab de ", "Ab, PhD, "])
def test_the_whole_of_a_long_text_takes_linear_time(piece):
    judge = NameJudge(RULES_TOML, {"spacy_model": "none", "opening": "whole"})
    seconds = []
    for size in (5_000, 40_000):
        begun = time.process_time()
        judge.judge((piece * size)[:size])
        seconds.append(time.process_time() - begun)
    assert seconds[1] < 24 * seconds[0] + 0.2


@pytest.mark.parametrize("typeset", [lambda t: t.replace("\n", "\r\n"), lambda t: f"\n\n {t}\n"])
def test_line_ends_and_outer_spaces_change_nothing(typeset):
    changed = [
        story["name"]
        for story in STORIES
        if story.get("name") and JUDGE.judge(typeset(story["text"])).value != story["name"]
    ]
    assert changed == []


# spaCy.

UNDECIDED = Reading("Bora", is_decided=False, snippet="...", candidates=("Bora", "Clara Voss"))


@pytest.mark.parametrize(
    ("persons", "verdict"),
    [
        ([], Verdict(True, "Bora", GUESSED)),
        (["Voss"], Verdict(True, "Clara Voss", BY_SPACY)),
        (["Clara", "Bora"], Verdict(True, "Bora", BY_SPACY)),
        (["Lenin"], Verdict(True, "Bora", GUESSED)),
    ],
)
def test_spacy_chooses_among_the_names_that_the_rules_hold_for_possible(persons, verdict):
    assert verdict == confirmed(UNDECIDED, persons)


def test_what_the_rules_have_decided_is_not_asked_again():
    readings = [JUDGE.read(story["text"]) for story in STORIES]
    assert {reading.snippet for reading in readings if reading.is_decided} == {""}
    undecided = [reading for reading in readings if not reading.is_decided]
    assert undecided
    assert all(0 < len(reading.snippet) <= 600 for reading in undecided)


async def test_a_batch_without_a_model_is_read_by_the_rules_alone():
    texts = [story["text"] for story in STORIES[:40]]
    await JUDGE.start()
    verdicts = await JUDGE.judge_batch(texts)
    await JUDGE.close()
    assert verdicts == [JUDGE.judge(text) for text in texts]


FAKE_SPACY = """
class Entity:
    text, label_ = "Clara Voss", "PERSON"

class Document:
    ents = (Entity,)

class Pipeline:
    def pipe(self, texts, batch_size):
        return [Document for text in texts]

def load(package, exclude):
    return Pipeline()
"""


@pytest.fixture
def made_up_model(tmp_path, monkeypatch):
    """A spaCy that finds Clara Voss in every text, with a model that names itself."""
    for package, text in (("spacy", FAKE_SPACY), ("made_up_model", "")):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text(text)
    meta = {"lang": "en", "name": "really_this", "version": "1.2.3"}
    (tmp_path / "made_up_model" / "meta.json").write_text(json.dumps(meta))
    monkeypatch.delitem(sys.modules, "spacy", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    return "made_up_model"


async def test_a_model_takes_part_in_a_process_of_its_own_under_its_real_name(made_up_model):
    judge = NameJudge(RULES_TOML, {"spacy_model": made_up_model})
    described = {"model": "en_really_this", "version": "1.2.3", "package": made_up_model}
    assert described == judge.configuration["spacy"]
    assert digest16(judge.configuration) != digest16(JUDGE.configuration)
    texts = ["Bora woke. Clara Voss lay there.", "A baker named Elena Vasquez lit the oven."]
    assert not judge.read(texts[0]).is_decided
    try:
        verdicts = await asyncio.wait_for(judge.judge_batch(texts), 120)
    finally:
        await judge.close()
    assert [
        Verdict(True, "Clara Voss", BY_SPACY),
        Verdict(True, "Elena Vasquez", BY_RULES),
    ] == verdicts
    assert "spacy" not in sys.modules


def test_a_model_that_is_not_installed_is_refused_with_the_command_that_installs_it():
    with pytest.raises(UsageError, match="no_such_model") as caught:
        NameJudge(RULES_TOML, {"spacy_model": "no_such_model"})
    assert caught.value.hint == INSTALL
    assert installed_model("none") is None


# What reading only the opening costs.

LONG = "Elena Vasquez, a baker, yawned. " + "The oven was hot. " * 100
TURNS = LONG + "\n\nMy name is Omar Reyes."


async def judged(texts: list[str], **params: object) -> list[Verdict]:
    judge = NameJudge(RULES_TOML, {"spacy_model": "none", **params})
    try:
        return await judge.judge_batch(texts)
    finally:
        await judge.close()


async def test_a_text_of_the_sample_is_read_to_its_end_and_keeps_the_openings_name():
    short = "Elena Vasquez, a baker, yawned."
    found = await judged([LONG, TURNS, short], check_whole=1)
    assert [verdict.value for verdict in found] == ["Elena Vasquez"] * 3
    assert [verdict.reason for verdict in found] == [
        f"{BY_RULES}; {SAME_BY_WHOLE}",
        f"{BY_RULES}; {OTHER_BY_WHOLE}",
        BY_RULES,
    ]
    (whole,) = await judged([TURNS], opening="whole", check_whole=1)
    assert Verdict(True, "Omar Reyes", BY_RULES) == whole


async def test_the_sample_is_drawn_by_each_text_whatever_comes_beside_it():
    texts = [f"{LONG} {number}" for number in range(200)]
    found = await judged(texts, check_whole=0.2)
    drawn = {text for text, said in zip(texts, found, strict=True) if said.reason != BY_RULES}
    assert 0.1 < len(drawn) / len(texts) < 0.3
    again = await judged(texts[100::-1], check_whole=0.2)
    said = dict(zip(texts[100::-1], again, strict=True))
    assert {text for text in said if said[text].reason != BY_RULES} == drawn & set(said)
    assert {verdict.reason for verdict in await judged(texts, check_whole=0)} == {BY_RULES}


# Configuration and word lists.


def test_the_configuration_changes_with_the_lists_and_not_with_comments():
    none = {"spacy_model": "none"}
    digest = digest16(JUDGE.configuration)
    assert digest == digest16(NameJudge("# a comment\n" + RULES_TOML, none).configuration)
    changed = RULES_TOML.replace('"sensei"', '"senpai"')
    assert digest != digest16(NameJudge(changed, none).configuration)


def test_the_word_lists_are_data():
    text = "Zookeep Clara Voss was a potter."
    assert JUDGE.judge(text).value == "Zookeep Clara Voss"
    extended = RULES_TOML.replace('"sensei"', '"sensei", "zookeep"')
    assert NameJudge(extended, {"spacy_model": "none"}).judge(text).value == "Clara Voss"


def test_the_word_lists_of_an_older_store_still_serve():
    start = RULES_TOML.index("# Where people put up their own name")
    older = RULES_TOML[:start] + RULES_TOML[RULES_TOML.index("[refusals]") :]
    assert found(NameJudge(older, {"spacy_model": "none"}).judge("My name is Ada Byron.")) == (
        "Ada Byron"
    )


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ("titles = [", "no TOML"),
        ("", "[names] titles"),
        ("names = 1", "names is 1"),
        (RULES_TOML.replace("\nsuffixes = [", "\nsuffix = ["), "suffixes"),
        (RULES_TOML.replace("\nsuffixes = [", "\nsurplus = []\nsuffixes = ["), "surplus"),
        (RULES_TOML.replace('"sensei"', "1"), "[names] given_titles"),
        (RULES_TOML.replace('"sensei"', '" "'), "[names] given_titles"),
    ],
)
def test_broken_word_lists_are_refused_with_the_list_named(broken, said):
    with pytest.raises(UsageError, match=re.escape(said)):
        NameJudge(broken, {"spacy_model": "none"})


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"model": "x"}, "params.model: unknown key; allowed: spacy_model, opening"),
        ({"spacy_model": 1}, "params.spacy_model: value 1"),
        ({"opening": "long"}, 'params.opening: value "long"; allowed: "short" or "whole"'),
    ],
)
def test_params_that_are_none_are_refused_by_key_and_value(params, said):
    with pytest.raises(UsageError, match=re.escape(said)):
        NameJudge(RULES_TOML, params)


def test_the_registry_opens_it_with_its_rules_and_params():
    entry = offline("stories", "name", "rules")
    materials = {path: rubrics.read(path) for path in entry.materials}
    judge = entry.open(materials, {"spacy_model": "none"})
    assert isinstance(judge, NameJudge)
    assert (judge.task, judge.name) == (entry.task, entry.name)
    assert judge.configuration == JUDGE.configuration


# Who somebody is, said by the way.


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Elena Vasquez, the town's only baker, yawned.", "Elena Vasquez"),
        ("Elena Vasquez, the new high school teacher, yawned.", "Elena Vasquez"),
        ("Elena Vasquez, owner of the bakery, yawned.", "Elena Vasquez"),
        ("Elena Vasquez, a physician's assistant, yawned.", "Elena Vasquez"),
        ("At dawn, physician's assistant Elena Vasquez yawned.", "Elena Vasquez"),
        ('Elena Vasquez ("Bee" to her friends) was a baker.', "Elena Vasquez"),
        ("The name on the door read Elena Vasquez.", "Elena Vasquez"),
        ('"Your name?"\n\n"Elena Vasquez."\n\nShe sat down.', "Elena Vasquez"),
        ('I never slept. "Elena Vasquez," my mother used to say, "sit."', "Elena Vasquez"),
        ('"Wait," said Omar Reyes.\n\n"No," said Elena Vasquez. She sat down.', "Elena Vasquez"),
    ],
)
def test_what_names_somebody_by_the_way_is_read(text, name):
    assert JUDGE.judge(text).value == name


@pytest.mark.parametrize(
    "text",
    [
        "Rex Barker, a retired police dog, yawned.",
        "Winding Brook, a village nestled between hills, slept.",
        "The name on the door read Oakley & Sons.",
        "The firm was called Consolidated Steel.",
        "You'll see. We'd better go, and They'd better not.",
        'I never slept. "Omar Reyes," I said, "sit."',
    ],
)
def test_what_is_no_protagonist_is_not_read(text):
    assert JUDGE.judge(text).value is None
