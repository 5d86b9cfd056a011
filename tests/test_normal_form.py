"""Unicode normal forms of texts, however many marks stand in a row."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.judges.model.name import normalised as of_quote
from auditor.normal_form import normal_form
from auditor.protocols.grap.instructions import normalised as of_instruction
from auditor.protocols.likeness import as_read

JOINER = "\u034f"


@given(st.text(max_size=60), st.sampled_from(["NFC", "NFKC"]))
def test_without_long_rows_of_marks_it_is_the_normal_form(text, form):
    assert normal_form(form, text) == unicodedata.normalize(form, text)


def test_thirty_marks_in_a_row_stay_as_they_are_and_further_ones_stand_behind_a_joiner():
    row, in_order = "\u0345\u0301" * 15, "\u0301" * 15 + "\u0345" * 15
    assert normal_form("NFC", f"x{row}") == f"x{in_order}"
    assert normal_form("NFC", f"x{row}{row}y") == f"x{in_order}{JOINER}{in_order}y"


@pytest.mark.parametrize("read", [of_quote, of_instruction, as_read])
def test_a_text_of_marks_alone_is_read_at_once(read):
    # Sorted in one row, these would take half an hour.
    assert read("\u0345\u0301" * 150_000) is not None
