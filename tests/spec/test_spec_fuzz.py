"""No text makes the parser raise anything but a UsageError that names its source and a line."""

import re

from hypothesis import example, given, settings
from hypothesis import strategies as st

from auditor.errors import UsageError
from auditor.spec import parse_spec
from tests.whole_spec import WHOLE

LINES = WHOLE.splitlines()
KEYS = sorted(set(re.findall(r"[a-z_]+(?= =)", WHOLE)))
ODD = st.sampled_from(
    [
        "1",
        "-1",
        "0",
        "1.5",
        "nan",
        "-inf",
        "1e400",
        "0x" + "f" * 5000,
        "9" * 400,
        "true",
        '""',
        '"*"',
        '"\\u0000\\u001b"',
        '"openai:"',
        '"sim:x"',
        '"http://[::1"',
        '"local"',
        "[]",
        "[[]]",
        "[1, 'a', {}]",
        "{}",
        "{a = 1}",
        "{men = 1, '' = 2}",
        "1979-05-27",
        "07:32:00",
        "1979-05-27T07:32:00Z",
    ]
)
QUICK = settings(derandomize=True, deadline=None, max_examples=100, database=None)


def refusal(text: str) -> UsageError | None:
    try:
        parse_spec(text, "fuzz.toml")
    except UsageError as error:
        return error
    return None


def parse_or_refuse(text: str) -> None:
    error = refusal(text)
    if error is None:
        return
    lines = error.message.split("\n")
    assert all(re.match(r"fuzz\.toml:[1-9]\d*: .", line) for line in lines)
    assert re.fullmatch(r"fuzz\.toml:[1-9]\d*", error.where or "")
    assert all(line.isprintable() for line in lines)


def test_the_spec_that_is_mutated_is_sound():
    assert parse_spec(WHOLE, "whole.toml").name == "whole"


@QUICK
@given(st.text())
def test_any_text(text):
    parse_or_refuse(text)


@QUICK
@given(st.text(alphabet="abn=[]{}\".'#\n \\1-:,", max_size=60))
def test_any_text_of_toml_characters(text):
    parse_or_refuse(text)


@QUICK
@given(st.sampled_from(LINES), ODD)
def test_any_value_replaced(line, value):
    key = line.partition("=")[0]
    parse_or_refuse(WHOLE.replace(line, f"{key} = {value}" if "=" in line else f"{value}"))


@QUICK
@given(st.integers(0, len(LINES)), st.sampled_from(KEYS), ODD)
def test_any_key_added_anywhere(place, key, value):
    parse_or_refuse("\n".join([*LINES[:place], f"{key} = {value}", *LINES[place:]]))


@QUICK
@given(st.permutations(LINES), st.integers(0, len(LINES)))
def test_lines_in_any_order_and_number(lines, count):
    parse_or_refuse("\n".join(lines[:count]))


@QUICK
@example(place=WHOLE.index('choice"'), length=0, text="\xa0")
@example(place=WHOLE.index('choice"'), length=0, text="\u200d")
@given(st.integers(0, len(WHOLE)), st.integers(0, 12), st.text(max_size=3))
def test_any_stretch_replaced(place, length, text):
    parse_or_refuse(WHOLE[:place] + text + WHOLE[place + length :])


@QUICK
@given(
    st.recursive(ODD, lambda inner: st.lists(inner, max_size=3).map(lambda x: f"[{','.join(x)}]")),
    st.sampled_from(["targets", "judges", "endpoints", "protocols", "budget"]),
)
def test_any_value_in_the_place_of_tables(value, key):
    parse_or_refuse(f'name = "x"\n{key} = {value}\n')
