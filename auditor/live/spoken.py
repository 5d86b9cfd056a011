"""What others write to the terminal while the view is on it, said above the view."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from typing import Any, TextIO


class Spoken(io.TextIOBase):
    """Stands in for a standard stream: every whole line goes to `say`."""

    def __init__(self, stream: TextIO, say: Callable[[str], None]) -> None:
        self._stream = stream
        self._say = say
        self._begun = ""

    @property
    def rich_proxied_file(self) -> TextIO:
        """The stream itself, by the name under which rich looks for it."""
        return self._stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The stream's own."""
        return self._stream.encoding

    def write(self, text: str) -> int:
        """Say the lines that are complete, keep the rest."""
        *lines, self._begun = (self._begun + text).split("\n")
        for line in lines:
            self._say(line)
        return len(text)

    def flush(self) -> None:
        """Say an unfinished line too."""
        if self._begun:
            line, self._begun = self._begun, ""
            self._say(line)

    def isatty(self) -> bool:
        """Only terminals are stood in for."""
        return True

    def fileno(self) -> int:
        """The stream's own."""
        return self._stream.fileno()

    def writable(self) -> bool:
        """Always."""
        return True


class StandardStreams:
    """Puts stdout and stderr behind `say` where they are terminals, and gives them back."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._kept: dict[str, tuple[TextIO, Spoken]] = {}

    def take(self) -> None:
        """From here on what others print stands above the view."""
        for name in ("stdout", "stderr"):
            stream = getattr(sys, name)
            if stream is not None and stream.isatty() and not isinstance(stream, Spoken):
                self._kept[name] = (stream, Spoken(stream, self._say))
                setattr(sys, name, self._kept[name][1])

    def give_back(self) -> None:
        """The streams as they were; a stand-in that somebody replaced is left alone."""
        for name, (stream, spoken) in self._kept.items():
            spoken.flush()
            if getattr(sys, name) is spoken:
                setattr(sys, name, stream)
        self._kept.clear()
