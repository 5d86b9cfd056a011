# ruff: noqa: PT017 - what an error says is looked at where it is caught
"""Specs as TOML, and addresses in them."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from hypothesis import strategies as st

from auditor.errors import UsageError
from auditor.providers.address import parse_address
from auditor.spec import parse_spec
from tests.fuzzing.inputs import ANY_TEXT, NUMBERS, PIECES, TEXT, mutated_text
from tests.fuzzing.parser import REFUSED, TAKEN, fuzzed
from tests.whole_spec import WHOLE

_READY = [path.read_text() for path in sorted((Path(__file__).parents[2] / "runs").glob("*.toml"))]
_VALUES = (
    *NUMBERS,
    *('"*"', '""', "[]", "{}", "{a = 1}", "[[]]", "1979-05-27", "nan", "-inf", "0x" + "f" * 5000),
    *('"../../etc/passwd"', '"/dev/zero"', '"a\\u0000b"', '"\\u001b[31m"', '"sim:x"', '"openai:"'),
    *('"http://[::1"', '"http://u:p@h/v1?key=x"', "'''" + "[" * 3000, "[" * 2000 + "]" * 2000),
    *('"DROP TABLE responses; --"', '"%s"', '"\\u202ex"', '"ﬁn"', '"CON"', '["1", "1"]'),
)
_SPEC = (
    mutated_text(WHOLE, values=_VALUES)
    | mutated_text(*_READY, values=_VALUES)
    | st.text(alphabet="abn=[]{}\".'#\n \\1-:,", max_size=60)
    | ANY_TEXT
)


@fuzzed("spec", _SPEC)
def spec(text: str) -> str:
    """A spec, or every mistake with its line."""
    try:
        parsed = parse_spec(text, "fuzz.toml")
    except UsageError as error:
        lines = error.message.split("\n")
        assert all(re.match(r"fuzz\.toml:[1-9]\d*: .", line) for line in lines), error.message
        assert all(line.isprintable() for line in lines)
        return REFUSED
    assert parsed.name
    return TAKEN


_URL = mutated_text(
    *("https://user:secret-pw@host:8443/v1/?api_key=k-secret&v=1", "http://127.0.0.1:11434/v1"),
    *("https://[::1]:8080/v1", "https://host/openai/deployments/x?api-version=2024"),
    values=PIECES,
)


@fuzzed("base_url", _URL | TEXT)
def base_url(text: str) -> str:
    """An address that can be shown, or a mistake without its secrets."""
    try:
        address = parse_address(text)
    except UsageError as error:
        assert "secret-pw" not in error.message
        assert "k-secret" not in error.message
        return REFUSED
    assert "@" not in address.shown.partition("://")[2].partition("/")[0]
    address.url("/chat/completions")
    _url()(address.url("/x"), encoded=True)
    return TAKEN


@lru_cache(maxsize=1)
def _url():
    from yarl import URL

    return URL
