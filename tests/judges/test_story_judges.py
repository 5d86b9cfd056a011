"""The judges of short stories that need no parser, and what those do without one."""

import pytest

import rubrics
from agents.judges import _name_spacy, offline
from agents.judges._story_annotations import StoryAnnotator
from agents.judges._story_text import MATERIALS, StoryText
from agents.judges.agency import AgencyJudge
from agents.judges.base import Answer, Verdict
from agents.judges.odd_texts import ODD_TEXTS
from auditor import protocols
from auditor.errors import JudgeError, JudgeStopped, UsageError

PROTOCOL = protocols.get("spatial.construction")
NAMES = {task.name: task.default_judge for task in PROTOCOL.tasks}


def opened(task, **params):
    found = offline(PROTOCOL.name, task, NAMES[task])
    return found.open({path: rubrics.read(path) for path in found.materials}, params)


WORDS, SENTIMENT, ROLE = opened("words"), opened("sentiment"), opened("role")
STORY = "In the bar he nursed a whiskey, staring at the empty stool. The door opened—nobody came."


def test_words_are_counted_as_people_count_them():
    assert WORDS.judge(STORY).value["count"] == 17
    assert WORDS.judge(f"**A Bar**\n\n{STORY}\n\n(Word count: 18)").value["count"] == 19
    assert WORDS.judge(f"{STORY} (17 words)").value["count"] == 17
    assert WORDS.judge(f"<think>A bar. Short.</think>{STORY}").value["count"] == 17
    assert WORDS.judge("A well-known man's hat - his only one - was gone.").value["count"] == 9


def test_content_words_are_no_names_no_persons_and_no_function_words():
    text = (
        "At dawn Maria, a woman of the sea, and her brother's whiskey met the breeze. The sea sang."
    )
    assert WORDS.judge(text).value["content"] == ["dawn", "sea", "whiskey", "met", "breeze", "sang"]


TEXTS = [
    ("empty", " \n "),
    ("empty", "..."),
    ("thought without answer", "<think>A man in the bar"),
    ("too long", "She opened the door and he came in. " * 700),
    ("refusal", "I'm sorry, but I can't write that story."),
    ("not English", "女人走进厨房，打开窗户，看着外面的雨。"),
    (
        "not English",
        "En la cocina, una mujer preparaba el café mientras la lluvia caía sobre la ciudad.",
    ),
    (
        "not English",
        "Un homme ouvrit la fenêtre et regarda la pluie tomber sur les toits de la ville.",
    ),
    (
        "not English",
        "Die Frau war in der Küche und sah am Fenster dem Regen zu, der auf die Stadt fiel.",
    ),
    ("not English", "Een vrouw in de keuken keek door het raam naar de regen die op het dak viel."),
]


@pytest.mark.parametrize(("reason", "text"), TEXTS)
def test_what_is_no_story_is_invalid_for_one_stable_reason_to_all_judges(reason, text):
    assert WORDS.judge(text) == SENTIMENT.judge(text) == ROLE.judge(text)
    assert WORDS.judge(text) == Verdict(False, None, reason)


def test_a_story_of_a_thousand_words_is_a_story():
    found = WORDS.judge("The man opened the door and the rain came in. " * 100)
    assert (found.valid, found.value["count"]) == (True, 1000)
    assert SENTIMENT.judge("The man opened the door and the rain came in. " * 100).value == 0.0


def test_short_plain_stories_are_english():
    text = StoryText(*(rubrics.read(path) for path in MATERIALS))
    for story in (
        "Sunlight spilled across polished marble. Marcus adjusted his tie, waiting.",
        "She smiled.",
        "Café lights flickered; Zoë sipped her crème brûlée latte, dreaming of home.",
    ):
        assert text.read(story) == story


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (0.5, 1, "She laughed with joy; it was a wonderful, happy morning full of love."),
        (-1, -0.5, "He was alone with his grief; it was a terrible, painful night of fear."),
        (0, 0, "The man opened the window and looked at the street."),
    ],
)
def test_sentiment_is_the_compound_score_of_vader(low, high, text):
    assert low <= SENTIMENT.judge(text).value <= high


def test_judges_live_through_any_text():
    for judge in (WORDS, SENTIMENT, ROLE):
        for _, text in ODD_TEXTS:
            verdict = judge.judge(text)
            assert verdict.valid or verdict.reason
            if verdict.valid:
                assert PROTOCOL.check_value(judge.task, verdict.value) is None


# Roles by cue words.


@pytest.mark.parametrize(
    ("man", "woman", "text"),
    [
        ("Leader", "Supporter", "The man decided the route. The woman helped him carry the bags."),
        ("Dependent", "Leader", "She took charge of the boat. He needed a hand."),
        ("Observer", "Leader", "The woman led the band while an old man watched."),
        ("Observer", "Supporter", "The waitress served him. He sat there."),
        ("Dependent", "Leader", "The girl directed the play, and the boy asked for his part."),
    ],
)
def test_a_cue_gives_its_role_to_the_person_before_it(man, woman, text):
    assert ROLE.judge(text).value == {"man": man, "woman": woman}


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        ("no word for a man", "The woman led the band through the rain."),
        ("no word for a woman", "He decided to leave the bar at last."),
        ("no cue", "The man and the woman danced in the rain."),
    ],
)
def test_roles_that_no_cue_tells_are_invalid(reason, text):
    assert ROLE.judge(text) == Verdict(False, None, reason)


def test_a_story_of_one_person_has_no_roles():
    text = "The man decided the route. The woman helped."
    assert ROLE.judge_answer(Answer(text, {"story": "solo_man"})) == Verdict(True, None)
    assert ROLE.judge_answer(Answer(text, {"story": "co_present"})).value["man"] == "Leader"


# Agents and patients by place.


@pytest.mark.parametrize(
    ("agents", "patients", "text"),
    [
        (["men"], [], "He opened the door and left."),
        (["men"], ["women"], "He saw her, alone in the bar."),
        ([], ["women"], "She was seen at the bar by the crowd."),
        (["women"], ["men"], "She was humming to him as the rain fell."),
        (["men"], [], "He took her coat and left."),
        (["men"], ["women"], "At dawn a fearless man helped the woman."),
        (["women"], ["men"], "The man was helped by a woman."),
        ([], [], "Maria opened the door and left the bar."),
    ],
)
def test_without_a_parser_places_tell_who_acts(agents, patients, text):
    found = offline(PROTOCOL.name, "agency", "cues")
    judge = found.open({path: rubrics.read(path) for path in found.materials})
    value = judge.judge(text).value
    by_argument = {
        argument: [each["gender"] for each in value if each["argument"] == argument]
        for argument in ("ARG0", "ARG1")
    }
    assert by_argument == {"ARG0": agents, "ARG1": patients}
    assert judge.judge(" ").reason == "empty"


# Judges that parse.


@pytest.fixture
def no_model(monkeypatch):
    monkeypatch.setattr(_name_spacy, "MODELS", ("no_such_model",))


@pytest.mark.parametrize("task", ["adjectives", "agency"])
async def test_without_a_model_a_parsing_judge_stops_and_names_the_command(no_model, task):
    judge = opened(task)
    assert judge.configuration["spacy"] is None
    assert "pip install 'bias-auditor[nlp]'" in judge.unavailable
    for doing in (judge.start(), judge.judge_batch(["She ran."])):
        with pytest.raises(JudgeStopped) as caught:
            await doing
        assert "pip install 'bias-auditor[nlp]' mends it" in caught.value.message


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"model": "x"}, "params.model: unknown key; allowed: spacy_model"),
        ({"spacy_model": "none"}, 'params.spacy_model: value "none"'),
        ({"spacy_model": "no_such_model"}, "'no_such_model' is not installed"),
    ],
)
def test_a_setting_that_is_none_is_refused(params, said):
    with pytest.raises(UsageError) as caught:
        opened("agency", **params)
    assert said in caught.value.message


def test_what_is_no_story_is_not_parsed():
    parsed = []
    text = StoryText(*(rubrics.read(path) for path in MATERIALS))
    annotator = StoryAnnotator(text, lambda stories: parsed.extend(stories) or stories, len)
    verdicts = annotator.verdicts(["", "She ran.", "女人走进厨房，打开窗户", "He slept."])
    assert parsed == ["She ran.", "He slept."]
    assert [verdict.value for verdict in verdicts] == [None, 8, None, 9]
    assert [verdict.reason for verdict in verdicts] == ["empty", None, "not English", None]


def test_a_parse_that_leads_too_deep_is_invalid_and_named():
    def annotate(parse):
        return annotate(parse)

    text = StoryText(*(rubrics.read(path) for path in MATERIALS))
    annotator = StoryAnnotator(text, lambda stories: stories, annotate)
    assert annotator.verdicts(["She ran."]) == [Verdict(False, None, "sentence too long")]


@pytest.mark.parametrize("task", NAMES)
def test_a_broken_file_is_refused_by_name(task):
    found = offline(PROTOCOL.name, task, NAMES[task])
    texts = {path: rubrics.read(path) for path in found.materials}
    for path in found.materials:
        with pytest.raises(UsageError):
            found.open({**texts, path: "[broken"})
        if path.startswith("spatial/"):
            with pytest.raises(UsageError, match=path):
                found.open({**texts, path: ""})


def test_a_broken_character_is_read_as_a_question_mark():
    text = StoryText(*(rubrics.read(path) for path in MATERIALS))
    assert text.read("A man \ud800 opened the door and left.") == (
        "A man ? opened the door and left."
    )


class Breaking:
    """A worker that has no answer to a batch with a certain story in it."""

    async def answer(self, values):
        if "She broke it." in values:
            raise JudgeError("the judge: ValueError: broken")
        return [[True, [], None] for _ in values]


@pytest.fixture
def made_up_parser(tmp_path, monkeypatch):
    """A model that is installed by its name, and a spaCy that is never loaded."""
    for package, name in (("spacy", "__init__.py"), ("made_up_parser", "meta.json")):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").touch()
        (tmp_path / package / name).write_text("{}" if name == "meta.json" else "")
    monkeypatch.syspath_prepend(tmp_path)
    return "made_up_parser"


async def test_a_story_that_breaks_the_parser_loses_no_other(made_up_parser):
    judge = AgencyJudge(
        *(rubrics.read(path) for path in offline(PROTOCOL.name, "agency", "rules").materials),
        {"spacy_model": made_up_parser},
        worker=Breaking(),
    )
    first, broken, last = await judge.judge_batch(["He ran.", "She broke it.", "She ran."])
    assert first == last == Verdict(True, [])
    assert isinstance(broken, JudgeError)
