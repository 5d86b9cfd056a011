"""No text makes the parser raise anything but a UsageError that names its source and a line."""

import re

from hypothesis import example, given, settings
from hypothesis import strategies as st

from auditor.errors import UsageError
from auditor.spec import parse_spec

WHOLE = """name = "whole"
seed = 7
tuned_from = {"their chat" = "m"}
max_failure_rate = 0.25
budget = {usd = 5, calls = 20000, tokens = 2000000}
judges = [{task = "choice", judge = "rules"}, {task = "choice", model = "anthropic:claude"}]
[endpoints.local]
provider = "openai"
base_url = "http://127.0.0.1:11434/v1"
api_key_env = "LOCAL_KEY"
concurrency = 4
requests_per_minute = 90
price = {input = 0, output = 0.5}
[[targets]]
name = "llama"
model = "openai:llama3.2"
endpoint = "local"
params = {max_tokens = 16, stop = ["a"], top_p = 0.9}
extra_body = {options = {num_ctx = 2048}}
system = "Be brief."
samples_per_request = 5
[[targets]]
model = "sim:m"
tuned_from = "llama"
extra_body = {men = {kitchen = 0.1}, slope = 0.0, neither = {"0" = 0.5}, prompt_shift = {"2" = 0}}
[protocols."spatial.explicit"]
repetitions = 5
prompt = ["0", "1"]
temperature = [0, 0.5]
spaces = ["private"]
null_level = 0.02
"""
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
