"""Hostile text is shown as visible escapes and does nothing."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.harmless import harmless, spelled_out

any_text = st.text(st.characters(exclude_categories=()), max_size=60)
"""Every code point, lone surrogates included."""


@given(any_text)
def test_nothing_that_acts_or_hides_is_left(text: str) -> None:
    shown = harmless(text)
    shown.encode("utf-8")
    for character in shown:
        assert character in "\u200c\u200d" or unicodedata.category(character) not in {
            "Cc",
            "Cf",
            "Cs",
            "Cn",
            "Zl",
            "Zp",
        }
    assert len((shown + ".").splitlines()) == 1


@given(any_text)
def test_what_is_shown_is_shown_the_same_again(text: str) -> None:
    assert harmless(harmless(text)) == harmless(text)


@given(any_text, st.integers(0, 80))
def test_a_limit_is_never_passed_and_cuts_only_what_is_longer(text: str, limit: int) -> None:
    shown = harmless(text, limit)
    assert len(shown) <= limit
    whole = harmless(text)
    assert shown == whole if len(whole) <= limit else shown != whole


@given(any_text)
def test_kept_lines_are_the_only_controls_that_stay(text: str) -> None:
    shown = harmless(text, keep_lines=True)
    assert {c for c in shown if unicodedata.category(c) == "Cc"} <= {"\n", "\t"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, ünïcode, 漢字, 👍", "plain, ünïcode, 漢字, 👍"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\x00b", "a\\x00b"),
        ("\x9b2J", "\\x9b2J"),
        ("\x7f", "\\x7f"),
        ("one\r\ntwo\tthree", "one\\r\\ntwo\\tthree"),
        ("\u202egpj.exe", "\\u202egpj.exe"),
        ("a\u2066b\u2069", "a\\u2066b\\u2069"),
        ("zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"),
        ("\ud800 lone", "\\ud800 lone"),
        ("tag \U000e0041", "tag \\U000e0041"),
        ("line\u2028separator", "line\\u2028separator"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("no\u00a0break", "no\u00a0break"),
        ("[bold]not markup[/bold]", "[bold]not markup[/bold]"),
    ],
)
def test_examples(text: str, shown: str) -> None:
    assert harmless(text) == shown


def test_an_escape_is_never_cut_in_two() -> None:
    assert harmless("\x1b" * 10, 6) == "\\x1b…"
    assert harmless("abcdef", 6) == "abcdef"
    assert harmless("abcdefg", 6) == "abcde…"


def test_paragraphs_keep_their_lines_without_carriage_returns() -> None:
    assert harmless("a\r\nb\rc\td", keep_lines=True) == "a\nb\\rc\td"


def test_spaces_that_look_like_spaces_are_spelled_out_where_a_person_has_to_find_them():
    assert spelled_out("a b\xa0c\u2003d\u200de\x1b") == "a b\\xa0c\\u2003d\\u200de\\x1b"
    assert spelled_out("plain 地区 text") == "plain 地区 text"
