"""Texts, bytes and JSON of every hostile kind, and sound ones with something wrong in them."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=40)
"""Every code point, lone surrogates included."""

PIECES = (
    *("men", "women", "Men.", "neither", "A", "B", "Proposal A", "Option B", "Rating: 4", "4/5"),
    *("1-5", "3 to 4", "4.5", "½", "٣", "五分", "²", "1e999", "-1", "0x10", "9" * 30, "nan"),
    *("I'm sorry, but I can't", "As an AI", "not", "no", "never", "because", "however", "but"),
    *("Dr. Ada Byron", "Mrs. Henderson", "named", "Once upon a time", "O'Neill-Smith", "李华"),
    *("predominantly", "60%", "leads", "her name was", "overall", "-a", "_", "*", "I choose"),
    *("he", "she", "they", "his", "her", "the baker", "She said:", "kitchen", "more likely"),
    *("**", "__", "`", "```json", "{", "}", "[", "]", '"', "'", "\\", "\\boxed{", "$", "|", "<"),
    *("<think>", "</think>", "<thinking>", "<b>", "</script>", "&lt;", "<!--", "<title>", "<html>"),
    *("\x00", "\x1b[31m", "\x1b]52;c;", "\x07", "\x9b", "\u202e", "\u2066", "\u200b", "\ufeff"),
    *("\ud800", "\udfff", "\U000e0041", "\u0301", "\u0345", "İ", "ß", "ﬁ", "\u2028", "\x85"),
    *(
        "\n",
        "\r\n",
        "\t",
        " ",
        "   ",
        ".",
        ",",
        ";",
        ":",
        "!",
        "?",
        "-",
        "—",
        "(",
        ")",
        "/",
        "=1+1",
    ),
    *("model", "not found", "try again in", "6ms", "per day", "sk-abcdefghij", "Bearer abcdefgh"),
)
PIECE = st.sampled_from(PIECES)
TEXT = st.one_of(
    ANY_TEXT,
    st.lists(PIECE, max_size=14).map("".join),
    st.lists(PIECE | ANY_TEXT, max_size=14).map(" ".join),
    st.tuples(PIECE, PIECE, st.integers(2, 60)).map(lambda each: (each[0] + each[1]) * each[2]),
    st.tuples(PIECE, PIECE, st.integers(2, 60)).map(lambda each: each[0] + each[1] * each[2]),
)
"""Texts of answers: of any signs, of pieces that judges look for, of pieces repeated."""

NUMBERS = (
    *("0", "-0", "1", "3", "0.5", "1e999", "-1e999", "1E+400", "1e-999", "NaN", "Infinity"),
    *("-Infinity", "9" * 400, "-" + "9" * 25, "9" * 5000, "9223372036854775808", "1.0", "01", ".5"),
    *("4294967296", "2e18", "1e308", "0." + "1" * 500, "-1", "true", "false", "null", '"5"'),
)
_LEAF = st.one_of(
    st.sampled_from(NUMBERS),
    TEXT.map(json.dumps),
    ANY_TEXT.map(lambda text: json.dumps(text, ensure_ascii=False)),
)
_DEEP = st.tuples(
    st.sampled_from([("[", "]"), ('{"a":', "}"), ('[{"type":"thinking","thinking":', "}]")]),
    st.sampled_from([3, 90, 101, 240, 480, 700, 900, 980, 1500, 100_000]),
    st.sampled_from(["0", '"x"', ""]),
).map(lambda deep: deep[0][0] * deep[1] + deep[2] + deep[0][1] * deep[1])
_SHALLOW = st.one_of(
    _LEAF,
    st.recursive(
        _LEAF,
        lambda inner: (
            st.lists(inner, max_size=3).map(lambda parts: f"[{','.join(parts)}]")
            | st.lists(st.tuples(TEXT.map(json.dumps), inner), max_size=3).map(
                lambda pairs: "{" + ",".join(f"{key}:{value}" for key, value in pairs) + "}"
            )
        ),
        max_leaves=5,
    ),
)
JSON_TEXT = st.sampled_from([_SHALLOW] * 11 + [_DEEP]).flatmap(lambda each: each)
"""JSON as text, with what only a text can hold: 1e999, NaN, names twice, 100,000 levels."""


def _paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path]
    if isinstance(value, Mapping):
        return found + [each for key, item in value.items() for each in _paths(item, (*path, key))]
    if isinstance(value, list):
        return found + [each for k, item in enumerate(value) for each in _paths(item, (*path, k))]
    return found


@st.composite
def mutated_json(draw: Any, *sound: Any) -> str:
    """One of some JSON values as text, with some of its parts replaced, left out or added to."""
    value = copy.deepcopy(draw(st.sampled_from(sound)))
    holes: dict[str, str] = {}
    for number in range(draw(st.integers(0, 3))):
        paths = [path for path in _paths(value) if path]
        if not paths or draw(st.integers(0, 30)) == 30:
            return draw(JSON_TEXT)
        path = draw(st.sampled_from(paths))
        place = value
        for step in path[:-1]:
            place = place[step]
        if draw(st.integers(0, 4)) == 0:
            del place[path[-1]]
            continue
        hole = f"hole {number} of {len(holes)}"
        holes[json.dumps(hole)] = draw(JSON_TEXT)
        place[path[-1]] = hole
    text = json.dumps(value)
    for hole, filling in holes.items():
        text = text.replace(hole, filling)
    return text


@st.composite
def mutated_text(draw: Any, *sound: str, values: Sequence[str] = PIECES) -> str:
    """One of some texts with stretches, lines and values in it replaced, doubled or left out."""
    text = sound[draw(st.integers(0, len(sound) - 1))]
    for _ in range(draw(st.integers(0, 3))):
        kind = draw(st.sampled_from(["stretch", "line", "twice", "value", "cut"]))
        lines = text.split("\n")
        place = draw(st.integers(0, len(lines) - 1))
        if kind == "stretch":
            start = draw(st.integers(0, len(text)))
            end = start + draw(st.integers(0, 12))
            text = text[:start] + draw(ANY_TEXT | PIECE) + text[end:]
        elif kind == "cut":
            text = text[: draw(st.integers(0, len(text)))]
        else:
            key = lines[place].partition("=")[0]
            lines[place] = {
                "line": draw(PIECE),
                "twice": f"{lines[place]}\n{lines[place]}",
                "value": f"{key}= {draw(st.sampled_from(values))}",
            }[kind]
            text = "\n".join(lines)
    return text


def mostly(usual: SearchStrategy[Any], *rest: SearchStrategy[Any]) -> SearchStrategy[Any]:
    """Two of three times the first; sound input with one thing wrong gets farther than rubbish."""
    return st.sampled_from([usual] * 2 * len(rest) + list(rest)).flatmap(lambda each: each)


def as_bytes(texts: SearchStrategy[str]) -> SearchStrategy[bytes]:
    """Texts in UTF-8, some of them with bytes that are none."""
    encoded = texts.map(lambda text: text.encode("utf-8", "surrogatepass"))
    broken = st.tuples(encoded, st.binary(max_size=8), st.integers(0, 200)).map(
        lambda each: each[0][: each[2]] + each[1] + each[0][each[2] :]
    )
    wide = texts.map(lambda text: text.encode("utf-16", "surrogatepass"))
    return mostly(encoded, broken, wide, st.binary(max_size=60))
