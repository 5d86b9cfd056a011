"""Everything that is wrong with a spec, each with its line, collected into one UsageError."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from auditor.errors import UsageError
from auditor.harmless import harmless, spelled_out
from auditor.spec.positions import Path, Positions
from auditor.types import JSON

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_LONGEST_VALUE = 60


class Problems:
    """Collects the problems of one file; they come out in the order of its lines."""

    def __init__(self, source: str, positions: Positions) -> None:
        self.source = harmless(source)
        self._positions = positions
        self._found: list[tuple[int, str]] = []

    def line(self, path: Path) -> int:
        """Line of a key, for messages that point to a second place."""
        return self._positions.line(path)

    def add(self, path: Path, said: str, allowed: str) -> None:
        """One problem at a key: what is there, and what may be there instead."""
        sentence = f"{spelled(path)}: {said}; allowed: {allowed}"
        problem = (self.line(path), spelled_out(sentence))
        if problem not in self._found:
            self._found.append(problem)

    def add_value(self, path: Path, value: JSON, allowed: str) -> None:
        """One problem with a value that may be shown."""
        self.add(path, f"value {shown(value)}", allowed)

    def add_unknown(self, path: Path, names: Iterable[str]) -> None:
        """A key that is none. Its value is not shown: it may be a secret in the wrong place."""
        known = list(names)
        close = get_close_matches(str(path[-1]), known, n=1)
        meant = f", close to {close[0]}" if close else ""
        self.add(path, f"unknown key{meant}", ", ".join(known))

    def raise_any(self) -> None:
        """Raise one UsageError that lists all problems by line, if there are any.

        Its message has one line a problem, "file:line: key: value; allowed: ..."; `where` is the
        file and line of the first.
        """
        if not self._found:
            return
        found = sorted(self._found, key=lambda problem: problem[0])
        lines = [f"{self.source}:{line}: {sentence}" for line, sentence in found]
        raise UsageError("\n".join(lines), where=f"{self.source}:{found[0][0]}")


def spelled(path: Path) -> str:
    """A path as TOML spells it, with 0-based places: targets[0].params.temperature."""
    parts = []
    for part in path:
        if isinstance(part, int):
            parts.append(f"[{part}]")
        else:
            key = part if _BARE_KEY.fullmatch(part) else _quoted(part)
            parts.append(f".{key}" if parts else key)
    return "".join(parts)


def shown(value: JSON) -> str:
    """A value in one short printable line."""
    text = _written(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 3]}..."


def _written(value: JSON) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, Mapping):
        pairs = (f"{spelled((str(key),))} = {_written(item)}" for key, item in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_written(item) for item in value)}]"
    if isinstance(value, int) and abs(value) >= 10**_LONGEST_VALUE:
        return f"a number of more than {_LONGEST_VALUE} digits"  # str() refuses very long ones
    return str(value)


def _quoted(text: str) -> str:
    return spelled_out(json.dumps(text[: _LONGEST_VALUE * 2], ensure_ascii=False))
