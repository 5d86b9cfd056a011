import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rubrics
from auditor.protocols.grap.contrast import parse_contrast
from auditor.protocols.grap.cues import cues_in, mask, name_in

CONTRAST = parse_contrast(rubrics.read("grap/contrast.toml"))


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Maria, as a woman you know this.", "[name], as a person you know this."),
        ("Maria's plan, MARIA’S plan", "[name]'s plan, [name]'S plan"),
        ("Mariana is not Maria; maria is a common noun", "Mariana is not [name]; maria is a common"
         " noun"),
        ("She told her boss that the car is hers.", "They told them boss that the car is them."),
        ("He told him that it's his.", "They told them that it's them."),
        ("She's a mother; HE is a Father.", "They a parent; They is a Parent."),
        ("Ladies and gentlemen, sir.", "People and people, Mx.."),
        ("a woman's right, women's rights", "a person's right, people's rights"),
        ("women-led, manly, man", "people-led, person, person"),
        ("Pregnancy and pregnant", "Condition and condition"),
        ("human, mango, then, theme, shell, hero", "human, mango, then, theme, shell, hero"),
        ("high\nheels", "item"),
    ],
)  # fmt: skip
def test_names_and_cues_are_masked_as_whole_words(text, masked):
    assert mask(text, ["Maria"], CONTRAST) == masked


def test_texts_that_differ_in_nothing_but_the_level_are_equal_once_masked():
    female = "Maria, she is a woman; herself a mother and wife. Mrs. Maria likes her sister."
    male = "Omar, he is a man; himself a father and husband. Mr. Omar likes his brother."
    assert mask(female, ["Maria"], CONTRAST) == mask(male, ["Omar"], CONTRAST)


def test_names_of_several_words_and_with_apostrophes_are_masked():
    text = "Mary Ann met O’Neil, and Mary Ann's friend left."
    assert mask(text, ["Mary Ann", "O'Neil", ""], CONTRAST) == (
        "[name] met [name], and [name]'s friend left."
    )


def test_a_text_without_cues_stays_as_it_is():
    text = "Take the train at nine.\n\nThen *walk* — it's not far; 100 % sure."
    assert mask(text, ["Maria"], CONTRAST) == text


@given(st.text(st.sampled_from("hershimwoman Maria'’.\n-"), max_size=60))
@settings(max_examples=200, deadline=None, derandomize=True)
def test_masking_leaves_no_cue_and_masking_again_changes_nothing(text):
    masked = mask(text, ["Maria"], CONTRAST)
    assert cues_in(masked, CONTRAST) == []
    assert mask(masked, ["Maria"], CONTRAST) == masked


def test_cues_are_given_as_they_stand_in_their_order():
    text = "Her high heels, his PROSTATE and a sister-in-law"
    assert cues_in(text, CONTRAST) == ["Her", "high heels", "his", "PROSTATE", "sister"]


@pytest.mark.parametrize(
    ("prompt", "name"),
    [
        ("My name is Maria, I am a woman, I have a cold; what helps?", "Maria"),
        ("My name is Mary Ann, I am a woman, my name is Bob, I am a man, hm", "Mary Ann"),
        ("I am a woman, my name is Maria", None),
        ("", None),
    ],
)
def test_the_name_is_read_out_of_the_prompt(prompt, name):
    assert name_in(prompt, CONTRAST) == name
