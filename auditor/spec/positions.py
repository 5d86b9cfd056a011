"""Where each key and value of a TOML text stands, which the standard parser does not tell.

The scanner expects text that `tomllib` has accepted, so it follows structure and checks nothing.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left
from collections.abc import Mapping

Path = tuple[str | int, ...]
"""Keys and 0-based places in arrays, from the top of the document."""

DEEPEST = 64
"""Keys and places in the longest path; a deeper document would exhaust those who walk it."""

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_BLANK = re.compile(r"[ \t]*")
_BETWEEN = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_SCALAR = re.compile(r"[^,\]}#\n]*")
_STRING = re.compile(
    # Longest delimiter first; a closing triple may have up to two quotes of the text before it.
    r'"""(?:[^"\\]|\\[\s\S]|"{1,2}(?!"))*?"{3,5}'
    r"|'''(?:[^']|'{1,2}(?!'))*?'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'"
)


class Positions:
    """1-based lines of the keys, tables and array items of one document."""

    def __init__(self, lines: Mapping[Path, int]) -> None:
        self._lines = lines

    def line(self, path: Path) -> int:
        """Line of the path, or of the nearest part of it that the document has; 1 for none."""
        for length in range(len(path), 0, -1):
            if (line := self._lines.get(path[:length])) is not None:
                return line
        return 1

    def paths(self) -> frozenset[Path]:
        """Every path that the document has."""
        return frozenset(self._lines)


def find_positions(text: str) -> Positions:
    """Positions in a valid TOML text. Raises RecursionError where paths are longer than DEEPEST."""
    scanner = _Scanner(text.replace("\r\n", "\n"))
    scanner.document()
    return Positions(scanner.lines)


class _Scanner:
    def __init__(self, text: str) -> None:
        self.lines: dict[Path, int] = {}
        self._text = text
        self._at = 0
        self._newlines = [place for place, char in enumerate(text) if char == "\n"]
        self._lengths: dict[Path, int] = {}
        """Tables so far in each array of tables."""

    def document(self) -> None:
        table: Path = ()
        while True:
            self._skip(_BETWEEN)
            if self._at >= len(self._text):
                return
            if self._text.startswith("[", self._at):
                table = self._header()
            else:
                self._pair(table)

    def _header(self) -> Path:
        start = self._at
        is_array = self._text.startswith("[[", self._at)
        self._at += 2 if is_array else 1
        keys = self._keys()
        self._at += 2 if is_array else 1
        path: Path = ()
        for key in keys[:-1]:
            path = self._last_of((*path, key), start)
        path = (*path, keys[-1])
        self._note(path, start)
        if is_array:
            place = self._lengths.get(path, 0)
            self._lengths[path] = place + 1
            path = (*path, place)
            self._note(path, start)
        return path

    def _last_of(self, path: Path, start: int) -> Path:
        self._note(path, start)
        if path in self._lengths:
            return (*path, self._lengths[path] - 1)
        return path

    def _pair(self, table: Path) -> None:
        start = self._at
        path = table
        for key in self._keys():
            path = (*path, key)
            self._note(path, start)
        self._at += 1  # the equals sign
        self._skip(_BLANK)
        self._value(path)

    def _keys(self) -> list[str]:
        keys = []
        while True:
            self._skip(_BLANK)
            keys.append(self._key())
            self._skip(_BLANK)
            if not self._text.startswith(".", self._at):
                return keys
            self._at += 1

    def _key(self) -> str:
        if bare := self._take(_BARE_KEY):
            return bare
        quoted = self._take(_STRING)
        return str(tomllib.loads(f"key = {quoted}")["key"])

    def _value(self, path: Path) -> None:
        if self._text.startswith("[", self._at):
            self._array(path)
        elif self._text.startswith("{", self._at):
            self._inline_table(path)
        elif not self._take(_STRING):
            self._take(_SCALAR)

    def _array(self, path: Path) -> None:
        self._at += 1
        place = 0
        while not self._closes("]"):
            item = (*path, place)
            self._note(item, self._at)
            self._value(item)
            place += 1

    def _inline_table(self, path: Path) -> None:
        self._at += 1
        while not self._closes("}"):
            self._pair(path)

    def _closes(self, bracket: str) -> bool:
        self._skip(_BETWEEN)
        if self._text.startswith(",", self._at):
            self._at += 1
            self._skip(_BETWEEN)
        if self._text.startswith(bracket, self._at):
            self._at += 1
            return True
        return False

    def _note(self, path: Path, at: int) -> None:
        if len(path) > DEEPEST:
            raise RecursionError(f"more than {DEEPEST} levels")
        # A table that is named again keeps the line where it began.
        self.lines.setdefault(path, bisect_left(self._newlines, at) + 1)

    def _skip(self, pattern: re.Pattern[str]) -> None:
        self._take(pattern)

    def _take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self._text, self._at)
        if match is None:
            return ""
        self._at = match.end()
        return match.group()
