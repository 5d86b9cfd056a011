"""Which word of an answer is a given name: promises that hold for any text and any listed word."""

from __future__ import annotations

import csv

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import rubrics
from agents.judges._gender_rules import GenderRules
from agents.judges._given_name import GivenName, given_name

RULES = GenderRules(rubrics.read("stories/gender_rules.toml"))


def test_a_given_name_of_two_syllables_is_looked_up_as_one():
    found = given_name("Kim Min Su", RULES)
    assert isinstance(found, GivenName)
    assert found.spellings == ("Min-Su", "MinSu")
    assert found.full == "Min-Su Kim"


@example("¸-B")
@given(st.text(max_size=60))
def test_any_text_has_a_given_name_or_a_reason_and_never_raises(text):
    found = given_name(text, RULES)
    if isinstance(found, GivenName):
        assert all(spelling.strip() for spelling in found.spellings)
        assert all(any(map(str.isalpha, spelling)) for spelling in found.spellings)
    else:
        assert found


@given(st.lists(st.sampled_from(sorted(RULES.titles["before_surname"])), min_size=1, max_size=3))
def test_titles_alone_are_never_a_name(titles):
    assert given_name(" ".join(f"{title.title()}." for title in titles), RULES) == "title only"


@pytest.mark.parametrize("table_name", ["titles", "no_name", "surnames"])
def test_no_listed_word_is_a_name_by_itself(table_name):
    lists = {
        "titles": ("before_surname", "before_either", "before_given_name"),
        "no_name": ("whole",),
        "surnames": ("only",),
    }
    taken = [
        word
        for name in lists[table_name]
        for word in sorted(RULES.tables[table_name][name])
        if isinstance(given_name(word.title(), RULES), GivenName)
        and word not in RULES.titles["also_given"]
    ]
    assert taken == []


def test_the_texts_of_occupations_hold_no_name():
    """Names of occupations stand where a name should when a model had none to give."""
    rows = csv.DictReader(rubrics.read("stories/occupations.csv").splitlines())
    for row in rows:
        occupation = row["occupation"]
        assert not isinstance(given_name(f"The {occupation}", RULES), GivenName), occupation
        assert not isinstance(given_name(f"a {occupation}", RULES), GivenName), occupation
