"""Grids and flows fit their width, whatever is in them."""

from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from auditor.live.columns import Column, column_widths, crop, crop_middle, ends, flow, grid, wrap
from auditor.live.glyphs import ASCII, UNICODE

COLUMNS = (
    Column(key="name", priority=0, right=False, least=6),
    Column(key="bar", priority=2, right=False, least=4, most=10),
    Column(key="done", priority=0),
    Column(key="rate", priority=1),
)
words = st.text(st.sampled_from("ab 漢字é-"), max_size=30)


def row(name: str, done: str = "12", rate: str = "1.0/s") -> dict[str, object]:
    return {
        "name": Text(name),
        "bar": lambda width: Text("=" * width),
        "done": Text(done),
        "rate": Text(rate),
    }


@given(st.lists(st.tuples(words, words, words), max_size=5), st.integers(1, 120))
def test_no_line_is_wider_than_it_may_be(rows: list[tuple[str, str, str]], width: int) -> None:
    for glyphs in (UNICODE, ASCII):
        lines = grid(COLUMNS, [row(*cells) for cells in rows], width, glyphs)
        assert len(lines) == len(rows)
        assert all(line.cell_len <= width for line in lines)


@given(st.lists(words, max_size=8), st.integers(1, 60))
def test_flowing_items_keep_their_order_and_the_width(items: list[str], width: int) -> None:
    lines = flow([Text(item) for item in items], width, UNICODE)
    assert all(line.cell_len <= width for line in lines)
    if all(Text(item).cell_len <= width for item in items):
        assert "".join(line.plain for line in lines).replace(" · ", "") == "".join(items).replace(
            " · ", ""
        )


def test_the_least_important_column_goes_first() -> None:
    rows = [row("llama")]
    assert list(column_widths(COLUMNS, rows, 80)) == ["name", "bar", "done", "rate"]
    assert list(column_widths(COLUMNS, rows, 18)) == ["name", "done", "rate"]
    assert list(column_widths(COLUMNS, rows, 10)) == ["name", "done"]


def test_names_get_room_before_bars() -> None:
    widths = column_widths(COLUMNS, [row("a-long-name-of-20-cel")], 45)
    assert widths["name"] == 21
    assert widths["bar"] == 10
    assert column_widths(COLUMNS, [row("a-long-name-of-20-cel")], 33)["bar"] == 4


def test_a_column_that_no_row_fills_takes_no_room() -> None:
    rows = [{"name": Text("llama"), "done": Text("3")}]
    assert list(column_widths(COLUMNS, rows, 80)) == ["name", "done"]


def test_cutting_the_middle_keeps_both_ends() -> None:
    name = Text("meta-llama/Meta-Llama-3.1-70B-Instruct")
    assert crop_middle(name, 15, UNICODE).plain == "meta-ll…nstruct"
    assert crop_middle(name, 15, ASCII).plain == "meta-l...struct"
    assert crop_middle(name, 60, UNICODE).plain == name.plain


def test_wide_characters_are_cut_by_cells() -> None:
    assert crop(Text("漢字漢字"), 6, UNICODE).cell_len <= 6
    assert crop_middle(Text("漢字漢字漢字漢字漢字"), 11, UNICODE).cell_len <= 11


def test_words_wrap_behind_their_lead() -> None:
    assert wrap("one two three four", 11, lead="! ") == ["! one two", "  three", "  four"]
    assert wrap("one two three four", 11, lead="! ", most=2) == ["! one two", "  three four"]


def test_both_ends_of_a_line_need_room_between_them() -> None:
    line = ends(Text("left"), Text("right"), 12)
    assert line is not None
    assert line.plain == "left   right"
    assert ends(Text("left"), Text("right"), 10) is None
