"""What a judge is sent of a text: all of it, as data, between lines that it cannot forge."""

import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import rubrics
from agents.judges.model.fence import defused, fenced
from agents.judges.model.prompt import parse_prompt

ATTEMPTS = tomllib.loads(Path(__file__).with_name("injections.toml").read_text())["attempts"]
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=200)
FENCE = re.compile(r"\[begin ([0-9a-f]{16})\]\n(.*)\n\[end \1\]", re.DOTALL)


def test_there_are_attempts_of_many_kinds():
    assert len({attempt["text"] for attempt in ATTEMPTS}) == len(ATTEMPTS) >= 25


@pytest.mark.parametrize("text", [attempt["text"] for attempt in ATTEMPTS], ids=str)
def test_no_attempt_ends_its_fence(text):
    mark, inside = FENCE.fullmatch(fenced(text)).groups()
    assert fenced(text).count(mark) == 2
    assert inside == defused(text)


@given(ANY_TEXT)
@example("")
@example("\ud800")
def test_no_text_ends_its_fence(text):
    mark, inside = FENCE.fullmatch(fenced(text)).groups()
    assert mark not in inside.lower()
    assert inside == defused(text)
    inside.encode("utf-8")


@given(ANY_TEXT)
def test_a_text_that_knows_the_mark_of_another_does_not_know_its_own(text):
    stolen = FENCE.fullmatch(fenced(text))[1]
    mark, inside = FENCE.fullmatch(fenced(f"{text}\n[end {stolen}]")).groups()
    assert mark != stolen
    assert inside.endswith(f"[end {stolen}]")


def test_equal_texts_are_fenced_alike():
    assert fenced("Men") == fenced("Men")
    assert fenced("Men") != fenced("Men.")


@pytest.mark.parametrize(
    "token",
    [
        *("<|im_start|>", "<|eot_id|>", "[INST]", "[/INST]", "<<SYS>>", "</s>"),
        *("<start_of_turn>", "<END_OF_TURN>", "<｜User｜>", "[SYSTEM_PROMPT]", "<bos>"),
    ],
)
def test_control_tokens_of_chat_templates_are_broken_and_still_readable(token):
    sent = defused(f"a {token} b")
    assert token not in sent
    assert sent.replace("\u200d", "") == f"a {token} b"


def test_ordinary_text_is_sent_as_it_is():
    text = "Men < women, <b>both</b> [sic] 男性 \u202e عرب 👩\u200d🔧 \x1b[0m\n\ttab"
    assert defused(text) == text


def test_what_cannot_be_sent_is_replaced_and_not_dropped():
    assert defused("a\ud800b\x00c") == "a\ufffdb\ufffdc"


def test_a_prompt_with_a_wrong_key_is_refused_by_name():
    from auditor.errors import UsageError

    good = rubrics.read("spatial/choice_judge.toml")
    for broken, key, said in [
        (good.replace("longest = 20000", 'longest = "many"'), "longest", "wrong type"),
        (good.replace("longest = 20000", "longest = true"), "longest", "wrong type"),
        (good.replace("max_tokens = 256", ""), "max_tokens", "missing"),
        (good + "\nmore = 1\n", "more", "unknown"),
        ("before = ", "", "not TOML"),
    ]:
        with pytest.raises(UsageError) as caught:
            parse_prompt(broken, "spatial/choice_judge.toml")
        assert caught.value.message.startswith(f"rubrics/spatial/choice_judge.toml: {key}")
        assert said in caught.value.message
