"""Unicode normal forms of texts, however many marks stand in a row."""

import itertools
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.judges.model.name import normalised as of_quote
from auditor.normal_form import normal_form
from auditor.protocols.grap.instructions import normalised as of_instruction
from auditor.protocols.likeness import as_read

JOINER = "\u034f"


MARKED = st.text(st.sampled_from("ae\u0345\u0301\u0f73\uac00"), max_size=30)


@given(st.lists(st.text(max_size=20) | MARKED, max_size=4), st.sampled_from(["NFC", "NFKC"]))
def test_without_long_rows_of_marks_it_is_the_normal_form(parts, form):
    text = "x".join(parts)
    assert normal_form(form, text) == unicodedata.normalize(form, text)


def test_thirty_marks_in_a_row_stay_as_they_are_and_further_ones_stand_behind_a_joiner():
    row, in_order = "\u0345\u0301" * 15, "\u0301" * 15 + "\u0345" * 15
    assert normal_form("NFC", f"x{row}") == f"x{in_order}"
    assert normal_form("NFC", f"x{row}{row}y") == f"x{in_order}{JOINER}{in_order}y"


def rows_of_marks(text):
    """How many marks stand behind each other, wherever they do."""
    groups = itertools.groupby(text, lambda each: unicodedata.combining(each) > 0)
    return [len(list(group)) for is_mark, group in groups if is_mark]


def test_no_character_grows_into_a_long_row_of_marks():
    """Some are no marks themselves, and decompose into marks alone."""
    for code in itertools.chain(range(0x300, 0xD800), range(0xE000, 0x1F000)):
        character = chr(code)
        whole = unicodedata.normalize("NFKD", character)
        if unicodedata.combining(whole[0]):
            row = normal_form("NFKC", f"\u0345{character}" * 40)
            assert max(rows_of_marks(row)) <= 60, f"U+{code:04X}"


@pytest.mark.parametrize("read", [of_quote, of_instruction, as_read])
def test_a_text_of_marks_alone_is_read_at_once(read):
    # Sorted in one row, these would take half an hour.
    assert read("\u0345\u0301" * 150_000) is not None
