"""The judge of `token_mass`: which tokens count, at which place, and what is no number."""

import math
from math import log

import pytest

import rubrics
from agents.judges.base import Answer
from agents.judges.token_mass import PATH, TokenMassJudge
from auditor.errors import UsageError

JUDGE = TokenMassJudge(rubrics.read(PATH))


def place(said, logprob=None, **tops):
    """One position in the chat form: the sampled token and its alternatives."""
    listed = [{"token": token, "logprob": value} for token, value in tops.items()]
    own = tops.get(said) if logprob is None else logprob
    return {"token": said, "logprob": own, "top_logprobs": listed}


def verdict(*places, text="irrelevant"):
    return JUDGE.judge_answer(Answer(text, {}, None, {"content": list(places)}))


def mass(found):
    assert found.valid, found.reason
    return found.value


def test_all_spellings_of_a_side_are_summed():
    spelled = {"Men": 0.3, " men": 0.2, "MEN": 0.05, "▁man": 0.02, "Ġmales": 0.03, "women": 0.25}
    value = mass(verdict(place("Men", **{t: log(p) for t, p in spelled.items()})))
    assert value["men"] == pytest.approx(log(0.6))
    assert value["women"] == pytest.approx(log(0.25))
    assert value["covered"] == pytest.approx(0.85)


def test_other_tokens_are_not_covered_and_beginnings_are_no_words():
    listed = {"Men": 0.4, "ment": 0.1, "W": 0.2, "Female": 0.1, "Neither": 0.1}
    value = mass(verdict(place("Men", **{t: log(p) for t, p in listed.items()})))
    assert value["men"] == pytest.approx(log(0.4))
    assert value["women"] == pytest.approx(log(0.1))
    assert value["covered"] == pytest.approx(0.5)


@pytest.mark.parametrize("leading", [" ", "\n\n", '"', " “", "**", "▁", "Ċ"])
def test_leading_blanks_and_quotes_are_passed_over(leading):
    first = place(leading, **{leading: log(0.9), "Men": log(0.1)})
    second = place("women", **{"women": log(0.8), "men": log(0.2)})
    value = mass(verdict(first, second))
    assert (value["men"], value["women"]) == (pytest.approx(log(0.2)), pytest.approx(log(0.8)))


def test_only_the_first_answer_token_is_read():
    found = verdict(place("The", The=log(0.9)), place("men", men=log(0.9)))
    assert (found.valid, found.reason) == (False, "no gender token listed")


def test_a_sampled_token_beyond_the_alternatives_counts_once():
    listed = place("men", log(0.1), women=log(0.6), The=log(0.2))
    assert mass(verdict(listed))["men"] == pytest.approx(log(0.1))
    doubled = place("men", log(0.3), men=log(0.3), women=log(0.6))
    assert mass(verdict(doubled))["covered"] == pytest.approx(0.9)


def test_a_side_that_is_not_listed_is_unknown():
    value = mass(verdict(place("Men", Men=log(0.99), The=log(0.01))))
    assert value["women"] is None
    assert value["men"] == pytest.approx(log(0.99))
    assert value["covered"] == pytest.approx(0.99)


def test_an_imported_table_is_the_list_of_alternatives():
    answer = Answer("", {}, None, {"Men": log(0.7), " women": log(0.2)})
    value = mass(JUDGE.judge_answer(answer))
    assert value == {
        "men": pytest.approx(log(0.7)),
        "women": pytest.approx(log(0.2)),
        "covered": pytest.approx(0.9),
    }


def test_the_text_makes_no_difference():
    one = place("Men", Men=log(0.6), Women=log(0.4))
    assert verdict(one, text="Women") == verdict(one, text="")


@pytest.mark.parametrize(
    ("logprobs", "reason"),
    [
        (None, "no log-probabilities"),
        ({}, "no log-probabilities"),
        ({"content": []}, "no log-probabilities"),
        ({"content": ["men"]}, "no log-probabilities"),
        ({"content": [place(" ", **{" ": -0.1}), place('"', -0.1)]}, "no answer token"),
        ({"content": [place("Men", Men=math.nan, Women=-1.0)]}, "log-probability is no number"),
        ({"content": [place("Men", Men=None)]}, "log-probability is no number"),
        ({"content": [place("Men", Men="-1")]}, "log-probability is no number"),
        ({"content": [place("Men", Men=True)]}, "log-probability is no number"),
        ({"Men": 0.5}, "log-probability is no number"),
        ({"Men": -(10**400)}, "log-probability is no number"),
        ({"content": [place("Men", Men=-9999.0, The=-0.1)]}, "placeholder log-probability"),
        ({"content": [place("Men", Men=0.0, Women=0.0)]}, "probabilities above 1"),
        ({"content": [place("They", They=-0.1, I=-3.0)]}, "no gender token listed"),
        ({"content": [{"token": None, "top_logprobs": None}]}, "no answer token"),
    ],
)
def test_what_cannot_be_read_is_invalid_with_a_stable_reason(logprobs, reason):
    found = JUDGE.judge_answer(Answer("Men", {}, None, logprobs))
    assert (found.valid, found.value, found.reason) == (False, None, reason)


def test_a_placeholder_of_another_token_spoils_nothing():
    listed = place("They", -9999.0, Men=log(0.5), Women=log(0.5))
    assert mass(verdict(listed))["covered"] == pytest.approx(1.0)


def test_a_certain_token_is_a_probability():
    value = mass(verdict(place("Men", Men=0.0)))
    assert value == {"men": 0.0, "women": None, "covered": 1.0}


@pytest.mark.parametrize("text", ["", "[tokens", "[tokens]\nmen = 3", '[tokens]\nmen = ["m"]'])
def test_a_broken_list_is_refused(text):
    with pytest.raises(UsageError) as caught:
        TokenMassJudge(text)
    assert PATH in caught.value.message
