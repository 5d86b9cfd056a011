import tomllib
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.spec.positions import find_positions

TEXT = '''# a comment with [brackets] and = signs
name = "x"  # line 2
"quoted key".'other one'. bare = 1

[budget]
usd = 1.0
calls = 0x10
[endpoints."a.b"]
text = """
[not.a.header]
key = 1 \\
""\\""" in it""""
literal = \'\'\'
it's ''two'' quotes\'\'\'\'
when = 1979-05-27 07:32:00
[[targets]]
list = [ # comment, with ] and "
  1, [2, "a]"],

  {a = "}", b = {c = 1}}, # more
]
[targets.params]
stop = ["#", ","]
[[targets]]
[[targets.inner]]
x = 1
[[targets.inner]]
y = {}
empty = []
[targets.inner.deep]
z = true
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("name",), 2),
        (("quoted key", "other one", "bare"), 3),
        (("budget",), 5),
        (("budget", "calls"), 7),
        (("endpoints", "a.b"), 8),
        (("endpoints", "a.b", "literal"), 13),
        (("endpoints", "a.b", "when"), 15),
        (("targets",), 16),
        (("targets", 0), 16),
        (("targets", 0, "list"), 17),
        (("targets", 0, "list", 1, 1), 18),
        (("targets", 0, "list", 2), 20),
        (("targets", 0, "list", 2, "b", "c"), 20),
        (("targets", 0, "params", "stop", 1), 23),
        (("targets", 1), 24),
        (("targets", 1, "inner", 0, "x"), 26),
        (("targets", 1, "inner", 1, "y"), 28),
        (("targets", 1, "inner", 1, "deep", "z"), 31),
    ],
    ids=str,
)
def test_a_path_stands_at_the_line_where_its_key_or_item_begins(path, line):
    assert find_positions(TEXT).line(path) == line


def test_a_path_that_is_not_there_stands_where_its_nearest_table_does():
    positions = find_positions(TEXT)
    assert positions.line(("targets", 0, "model")) == 16
    assert positions.line(("budget", "tokens", "x")) == 5
    assert positions.line(("nothing",)) == 1


def test_windows_line_ends_count_once():
    assert find_positions("a = 1\r\n\r\nb = 2\r\n").line(("b",)) == 3


def paths(value: object, path: tuple = ()) -> Iterator[tuple]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        yield (*path, key)
        if isinstance(item, dict | list):
            yield from paths(item, (*path, key))


def test_every_path_of_the_parsed_document_is_found_and_no_other():
    assert find_positions(TEXT).paths() == frozenset(paths(tomllib.loads(TEXT)))


# A small writer of random TOML: every kind of key, string, array, table and comment.
KEYS = st.one_of(
    st.from_regex(r"[A-Za-z0-9_-]{1,4}", fullmatch=True),
    st.sampled_from(['"a b"', "'c.d'", '"e\\"f"', '""', "'#'", '"\\u005b"']),
)
STRINGS = st.sampled_from(
    [
        '""',
        '"a # b"',
        '"\\\\"',
        "''",
        "'c \\'",
        '"""\nx "" y"""',
        '"""a\\"""b"""',
        '"""""a"""',
        '"""a"""""',
        "'''\n''b'''''",
        '""""""',
        "''''''",
    ]
)
SCALARS = st.one_of(
    STRINGS, st.sampled_from(["1", "-0.5", "1e3", "inf", "true", "1979-05-27 07:32:00", "0b1"])
)
BLANKS = st.sampled_from(["", " ", "\n", "\n# ]}\n", "\t"])


def arrays(values):
    items = st.lists(st.tuples(BLANKS, values, BLANKS), max_size=3)
    return st.builds(
        lambda parts, comma: (
            "[" + ",".join(map("".join, parts)) + ("," * (comma and bool(parts))) + "\n]"
        ),
        items,
        st.booleans(),
    )


def inline_tables(values):
    pairs = st.lists(st.tuples(KEYS, values), max_size=3, unique_by=lambda pair: pair[0])
    return pairs.map(lambda some: "{" + ", ".join(f"{k} = {v}" for k, v in some) + "}")


VALUES = st.recursive(SCALARS, lambda inner: arrays(inner) | inline_tables(inner), max_leaves=6)
DOTTED = st.lists(KEYS, min_size=1, max_size=3).map(" . ".join)
STATEMENTS = st.one_of(
    st.builds("{} = {}".format, DOTTED, VALUES),
    DOTTED.map("[{}]".format),
    DOTTED.map("[[ {} ]] # [x]".format),
    st.sampled_from(["", "# a = 1", "  \t"]),
)


@settings(derandomize=True, deadline=None, max_examples=80, database=None)
@given(st.lists(STATEMENTS, max_size=8).map("\n".join))
def test_random_documents_have_the_paths_that_the_parser_sees(text):
    try:
        parsed = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    assert find_positions(text).paths() == frozenset(paths(parsed))
