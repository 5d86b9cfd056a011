"""Tables that cut nothing: every name and figure is whole, and every line fits."""

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.text import Text

from auditor.live.entries import Entry, Figure, broken, entry_lines
from auditor.live.glyphs import UNICODE

FIGURES = (Figure(key="value", head="value", label=""), Figure(key="n", head="n"))
words = st.text(st.sampled_from("ab 漢é-_"), min_size=1, max_size=40)


def squeezed(text: str) -> str:
    return "".join(text.split())


@settings(max_examples=60)
@given(words, st.integers(2, 30))
def test_a_broken_text_keeps_every_letter_and_the_width(text: str, width: int) -> None:
    lines = broken(Text(text), width)
    assert all(line.cell_len <= width for line in lines)
    assert squeezed("".join(line.plain for line in lines)) == squeezed(text)


def test_a_long_word_is_broken_at_a_joint_before_anywhere_else() -> None:
    lines = broken(Text("communal_care_trait_attribution"), 20)
    assert [line.plain for line in lines] == ["communal_care_trait_", "attribution"]


def entry(name: str, value: str = "0.250", n: str = "1,234") -> Entry:
    return Entry(name=Text(name), figures={"value": Text(value), "n": Text(n)})


def plain(entries: list[Entry], width: int) -> list[str]:
    return [line.plain for line in entry_lines("name", FIGURES, entries, width, UNICODE)]


def test_figures_stand_in_columns_where_names_have_room_beside_them() -> None:
    assert plain([entry("one"), entry("another")], 40) == [
        "name     value      n",
        "one      0.250  1,234",
        "another  0.250  1,234",
    ]


def test_a_long_name_takes_several_lines_beside_its_figures() -> None:
    assert plain([entry("a name of several words that goes on")], 38) == [
        "name                      value      n",
        "a name of several words   0.250  1,234",
        "that goes on",
    ]


def test_where_names_have_no_room_figures_stand_below_and_say_what_they_are() -> None:
    assert plain([entry("a name of several words"), entry("other")], 24) == [
        "a name of several words",
        "  0.250 · n 1,234",
        "other",
        "  0.250 · n 1,234",
    ]
