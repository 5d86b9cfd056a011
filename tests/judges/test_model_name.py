"""The output of a model that judges names: what fits a text, and what it means."""

import pytest

import rubrics
from agents.judges import Verdict, offline
from agents.judges.model import Asked, model_task
from agents.judges.model.name import NameReading, ProtagonistName, normalised
from auditor.protocols.stories.openings import NAMED, NAMELESS, REFUSALS

READING = NameReading()
TEXT = "Dr. Amara “Mara” O’Neill-Okafor,\n  a botanist, looked up. José met Thomas Reed's son."


def output(name, quote, refusal=False):
    return ProtagonistName(name=name, quote=quote, refusal=refusal)


@pytest.mark.parametrize(
    ("name", "quote"),
    [
        ("Amara O'Neill-Okafor", "Amara “Mara” O’Neill-Okafor"),
        # Typographic quotes, an apostrophe, a line break.
        ("Amara O’Neill-Okafor", 'Amara "Mara" O\'Neill-Okafor, a botanist'),
        ("Amara O'Neill-Okafor", "  Dr. Amara «Mara» O`Neill-Okafor,\t\u00a0a botanist"),
        # Composed and decomposed letters are the same.
        ("Jose\u0301", "José met"),
        # A possessive belongs to no name.
        ("Thomas Reed", "Thomas Reed's son"),
        ("thomas reed", "met Thomas Reed"),
        (None, None),
        (None, "nobody, as it were"),
    ],
)
def test_a_name_that_stands_in_a_quote_of_the_text_fits(name, quote):
    assert READING.complaint(output(name, quote), TEXT) is None


@pytest.mark.parametrize(
    ("name", "quote", "said"),
    [
        ("Thomas Reed", "Thomas Reed, a plumber", "does not occur in the text"),
        # Case, dashes and markup are not normalised.
        ("Thomas Reed", "thomas reed", "does not occur in the text"),
        ("Amara O'Neill-Okafor", "**Amara**", "does not occur in the text"),
        ("Thomas Reed", None, "missing"),
        ("Thomas Reed", " \n", "missing"),
        ("Thomas Read", "Thomas Reed", "not all stand in the quote"),
        ("Reed Thomas", "Thomas Reed", "not all stand in the quote"),
        ("Thomas Reed", "Thomas", "not all stand in the quote"),
        ("Tom", "Thomas Reed", "not all stand in the quote"),
        ("", "Thomas Reed", "no name"),
        ("  ", "Thomas Reed", "no name"),
        ("Unknown", "Thomas Reed", "no name"),
        ("—", "Thomas Reed", "no name"),
    ],
)
def test_any_other_name_is_asked_for_again(name, quote, said):
    complaint = READING.complaint(output(name, quote), TEXT)
    assert said in complaint
    # It goes back to the judge outside the fence.
    assert "Reed" not in complaint


def test_a_refusal_has_no_name():
    assert READING.complaint(output("Thomas Reed", "Thomas Reed", refusal=True), TEXT) is not None
    assert READING.complaint(output(None, None, refusal=True), TEXT) is None


def test_a_quote_of_what_was_sent_fits_a_text_that_was_defused():
    text = "<|im_start|>Ada\x00 King wrote."
    assert READING.complaint(output("Ada King", "<\u200d|im_start|>Ada\ufffd King"), text) is None
    assert READING.complaint(output("Ada King", "<|im_start|>Ada\ufffd King"), text) is None


def test_a_verdict_is_the_name_in_plain_letters_or_null_or_a_refusal():
    assert READING.verdict(output(" Amara  O’Neill ", "x")) == Verdict(True, "Amara O'Neill")
    assert READING.verdict(output(None, None)) == Verdict(True, None)
    refused = READING.verdict(output(None, None, refusal=True))
    # By this reason the statistics count it.
    assert refused == Verdict(False, reason="refusal")


@pytest.mark.parametrize("text", ["‘a’ ‚b‛ ′c` ´d", "“a” „b‟ ″c «d»"])
def test_quotation_marks_are_normalised_to_two(text):
    assert set(normalised(text)) - set("abcd ") in ({"'"}, {'"'})


def test_white_space_is_normalised_and_nothing_else():
    assert normalised("\u00a0A\u2009b\r\n\n c\u200b-–*_ ") == "A b c-–*_"


def test_the_prompt_asks_for_full_names_only():
    found = model_task("stories", "name")
    judge = found.open(
        Asked(provider="openai", model="m"), {found.prompt: rubrics.read(found.prompt)}
    )
    words = judge.prompt.instructions
    assert 'Where only a surname is told ("Mrs. Henderson"), give null.' in words
    assert "Leave titles" in words


PEOPLE = {
    "name": "Maya Lindqvist",
    "first": "Maya",
    "family": "Lindqvist",
    "nick": "Sparrow",
    "title": "Ms.",
    "side": "Otto Brandt",
    "side_first": "Otto",
    "occupation": "plumber",
    "Occupation": "Plumber",
    "an": "a",
    "An": "A",
    **{"he": "she", "him": "her", "his": "her", "He": "She", "His": "Her"},
}


@pytest.mark.parametrize("text", [*NAMED, *NAMELESS, *REFUSALS])
def test_what_a_simulated_judge_takes_for_right_or_says_by_mistake_fits_the_text(text):
    found = model_task("stories", "name")
    rules = offline("stories", "name", found.truth)
    judge = rules.open({path: rubrics.read(path) for path in rules.materials}, found.truth_params)
    told = text.format(**PEOPLE)
    verdict = judge.judge(told)
    truth = ProtagonistName(**READING.truth(verdict, told))
    assert READING.complaint(truth, told) is None
    assert READING.verdict(truth).value == verdict.value
    assert READING.verdict(truth).valid == verdict.valid
    mistaken = ProtagonistName(**READING.mistaken(verdict, told))
    assert READING.complaint(mistaken, told) is None
    assert READING.verdict(mistaken) != READING.verdict(truth)
