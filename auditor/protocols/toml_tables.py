"""TOML files read whole: packaged ones once, and users' with the line of what is no TOML."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

_PLACE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")


@lru_cache(maxsize=16)
def tables_of(text: str) -> Mapping[str, Any]:
    """The tables of a packaged file, which is TOML; parsed once, as every prompt asks for them."""
    return tomllib.loads(text)


class NotTOML(ValueError):
    """A text that cannot be read as TOML: in which line, and why."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line


def toml_table(text: str) -> dict[str, Any]:
    """The table of a TOML text. A byte order mark in front is passed over.

    Raises NotTOML, also for what the grammar allows and nothing can hold: values nested a thousand
    deep, numbers of thousands of digits. These are said of line 1.
    """
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        place = _PLACE.search(str(error))
        at_end = text.count("\n") + (not text.endswith("\n"))
        line = int(place[1]) if place and place[1] else at_end
        raise NotTOML(line, _PLACE.sub("", str(error))) from None
    except RecursionError:
        raise NotTOML(1, "values nest too deeply") from None
    except ValueError as error:  # numbers beyond what Python reads
        raise NotTOML(1, f"a value that is none ({error})") from None
