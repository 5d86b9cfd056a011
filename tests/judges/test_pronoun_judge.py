import re
import time
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rubrics
from agents.judges import offline
from agents.judges.base import Verdict
from agents.judges.pronouns import PronounJudge
from auditor.errors import UsageError

NAME_TOML = rubrics.read("stories/name_rules.toml")
PRONOUN_TOML = rubrics.read("stories/pronoun_rules.toml")
JUDGE = PronounJudge(NAME_TOML, PRONOUN_TOML)
HERE = Path(__file__).parent


def share_right(file: str) -> float:
    stories = tomllib.loads((HERE / file).read_text(encoding="utf-8"))["story"]
    told = [story for story in stories if not story.get("refusal") and story["kind"] != "name only"]
    right = [story for story in told if JUDGE.judge(story["text"]).value == story.get("pronouns")]
    return len(right) / len(told)


def test_nineteen_of_twenty_labelled_stories_are_read_as_labelled():
    assert share_right("name_stories.toml") >= 0.95


def test_nine_of_ten_stories_that_the_rules_did_not_see_are_read_as_labelled():
    assert share_right("name_stories_held_out.toml") >= 0.9


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("He left. Clara Voss was a baker. She knew her oven, and his.", "she"),
        ("Leo Voss was a baker. He burned himself, and she laughed.", "he"),
        ("Wren Voss was a baker. They loved their oven.", "they"),
        ('Leo Voss was a baker. "She is late, she is," he said.', "he"),
        ("Clara Voss was a baker. She hated them.", "she"),
        ("Her oven was cold. It belonged to a baker named Clara Voss.", "she"),
        ("My name is Clara Voss. I am a baker, and I know that he is not.", None),
        ("[he/she] was a baker.", None),
        ("Clara Voss was a baker.", None),
        ("She'd baked all night.", "she"),
    ],
)
def test_the_most_frequent_pronoun_of_the_narration_after_the_name_is_the_protagonists(text, value):
    assert Verdict(True, value) == JUDGE.judge(text)


def test_what_tells_no_story_is_invalid():
    assert Verdict(False, None, "empty") == JUDGE.judge(" ")
    assert Verdict(False, None, "refusal") == JUDGE.judge("I'm sorry, but I can't help with that.")


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.text(st.characters(exclude_categories=()), max_size=200))
def test_any_text_gets_one_of_the_values_or_a_reason(text):
    verdict = JUDGE.judge(text)
    assert verdict.value in ("he", "she", "they", None)
    assert verdict.valid or verdict.reason in ("empty", "refusal")


def test_a_megabyte_is_read_in_a_moment():
    begun = time.process_time()
    JUDGE.judge("She met Clara Voss. " * 50_000)
    # A tenth of a second here; time that grows with the square of the length is minutes anywhere.
    assert time.process_time() - begun < 3.0


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ("he = [", "no TOML"),
        ("", "[pronouns] he is None"),
        (PRONOUN_TOML.replace("they = [", "we = ["), "[pronouns] they is None"),
        (PRONOUN_TOML + "we = []", "[pronouns] we"),
    ],
)
def test_broken_word_lists_are_refused_with_the_list_named(broken, said):
    with pytest.raises(UsageError, match=re.escape(said)):
        PronounJudge(NAME_TOML, broken)


def test_the_registry_opens_it_with_both_word_lists():
    entry = offline("stories", "pronouns", "rules")
    judge = entry.open({path: rubrics.read(path) for path in entry.materials})
    assert isinstance(judge, PronounJudge)
    assert (judge.task, judge.name) == (entry.task, entry.name)
