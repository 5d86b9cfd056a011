"""The offline judge of `rating` against labelled answers, and what holds for any text."""

from __future__ import annotations

import csv
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rubrics
from agents.judges.base import Verdict
from agents.judges.rating import RatingJudge
from auditor.errors import UsageError

TEXTS = (rubrics.read("regional/rating.toml"), rubrics.read("regional/answers.toml"))
JUDGE = RatingJudge(*TEXTS)
# Seeded and without a deadline: a loaded machine must not fail them.
MANY = settings(derandomize=True, database=None, deadline=None, max_examples=100)
ON_SCALE = st.integers(10, 50).map(lambda tenths: tenths / 10)
FULL_WIDTH = str.maketrans("0123456789./", "０１２３４５６７８９．／")


def rows(name):
    with Path(__file__).with_name(name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


ROWS = rows("rating_answers.csv")
HELD_OUT = rows("rating_answers_held_out.csv")


def label_of(verdict: Verdict) -> str:
    if not verdict.valid:
        return "invalid"
    return verdict.value if isinstance(verdict.value, str) else f"{verdict.value:g}"


@pytest.mark.parametrize("kind", sorted({row["kind"] for row in ROWS}))
def test_labelled_answers_get_their_labels(kind):
    of_kind = [row for row in ROWS if row["kind"] == kind]
    judged = {row["answer"]: label_of(JUDGE.judge(row["answer"])) for row in of_kind}
    assert judged == {row["answer"]: row["label"] for row in of_kind}


def test_answers_that_no_rule_was_written_for_get_their_labels():
    judged = {row["answer"]: label_of(JUDGE.judge(row["answer"])) for row in HELD_OUT}
    assert judged == {row["answer"]: row["label"] for row in HELD_OUT}


def test_no_answer_is_labelled_twice():
    answers = [row["answer"] for row in (*ROWS, *HELD_OUT)]
    assert len(answers) - len(set(answers)) == 0


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("…", "empty"),
        ("<think>4", "thought without answer"),
        ("friendly people", "no number"),
        ("3 to 4", "a range"),
        ("Warmth 4, trust 3", "several numbers"),
        ("7", "off the scale"),
        ("8/10", "off the scale"),
        ("4 " * 10_001, "too long"),
    ],
)
def test_invalid_answers_say_why(text, reason):
    assert Verdict(False, None, reason) == JUDGE.judge(text)


@MANY
@given(
    ON_SCALE,
    st.sampled_from(
        [
            "{}",
            "{}/5",
            "{}分",
            "评分：{}",
            "Rating: {}",
            "**{}**",
            " {}.\n",
            "I'd say {}.",
            "我给{}分。",
        ]
    ),
)
def test_every_number_on_the_scale_is_read_in_every_form(number, form):
    assert Verdict(True, number) == JUDGE.judge(form.format(f"{number:g}"))


@MANY
@given(ON_SCALE)
def test_width_and_decimal_comma_make_no_difference(number):
    text = f"{number:.1f}"
    assert JUDGE.judge(text.translate(FULL_WIDTH)).value == number
    assert JUDGE.judge(text.replace(".", ",")).value == number


@MANY
@given(
    st.one_of(st.integers(51, 9999).map(lambda n: n / 10), st.integers(0, 9).map(lambda n: n / 10))
)
def test_no_number_off_the_scale_is_a_rating(number):
    assert JUDGE.judge(f"{number:g}").reason == "off the scale"
    assert not JUDGE.judge(f"Rating: {number:g}").valid


@MANY
@given(
    ON_SCALE,
    st.sampled_from(
        ["On a scale of 1 to 5, ", "在1到5分中，", "1=完全不符合，5=非常符合。\n", "(1-5): "]
    ),
)
def test_a_repeated_scale_is_not_the_answer(number, scale):
    assert JUDGE.judge(f"{scale}{number:g}").value == number
    assert not JUDGE.judge(scale).valid


@MANY
@given(st.text(max_size=200))
def test_any_text_gets_a_rating_on_the_scale_a_refusal_or_a_reason(text):
    verdict = JUDGE.judge(text)
    if not verdict.valid:
        assert verdict.value is None
        assert verdict.reason
    else:
        assert verdict.value == "refusal" or 1 <= verdict.value <= 5
    assert verdict == RatingJudge(*TEXTS).judge(text) if len(text) < 3 else True


@MANY
@given(st.lists(st.sampled_from(ROWS), max_size=4))
def test_a_verdict_depends_on_its_own_text_alone(some):
    for row in some:
        assert label_of(JUDGE.judge(row["answer"])) == row["label"]


@pytest.mark.parametrize(
    "piece",
    [
        "1 to 5 ",
        "3-4 ",
        "rating ",
        "1=完全",
        "4分",
        "5",
        "1.",
        "四",
        "out of 5 ",
        "**4**",
        "(1",
        "i can't ",
    ],
)
def test_time_is_linear_in_the_length(piece):
    started = time.process_time()
    JUDGE.judge((piece * 20_000)[:20_000])
    assert time.process_time() - started < 5


def test_word_lists_and_not_their_comments_are_the_configuration():
    commented = RatingJudge("# a remark\n" + TEXTS[0], TEXTS[1])
    assert commented.configuration == JUDGE.configuration
    other = RatingJudge(TEXTS[0].replace('"deserve"', '"earn"'), TEXTS[1])
    assert other.configuration != JUDGE.configuration


@pytest.mark.parametrize(
    ("place", "text"), [(0, "cues = 3"), (0, "cues ="), (1, "[marks]\nturn_ends = [1]"), (1, "")]
)
def test_broken_word_lists_are_refused_by_file(place, text):
    texts = [*TEXTS]
    texts[place] = text
    with pytest.raises(UsageError) as caught:
        RatingJudge(*texts)
    assert (
        caught.value.where
        == ("rubrics/regional/rating.toml", "rubrics/regional/answers.toml")[place]
    )
