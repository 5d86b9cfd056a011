"""The few signs that the view draws with, in Unicode and for terminals that know only ASCII."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from auditor.harmless import harmless

_TYPOGRAPHY = str.maketrans(
    {"—": "-", "–": "-", "…": "...", "·": "|", "≤": "<=", "≥": ">=", "×": "x", "é": "e"}
)


@dataclass(frozen=True, kw_only=True)
class Glyphs:
    """One set of signs, and how text is made to go with it."""

    full: str
    half: str
    """Half a cell of a bar; empty where there is none."""
    ahead: str
    """Work that lies ready: sources that a judge has not read yet."""
    empty: str
    complete: str
    waiting: str
    stopped: str
    active: str
    ellipsis: str
    ascii_only: bool

    def plain(self, text: str, limit: int | None = None, *, keep_lines: bool = False) -> str:
        """Any text as this terminal can show it: harmless, and escaped to ASCII if need be."""
        shown = harmless(text, limit, keep_lines=keep_lines)
        if not self.ascii_only or shown.isascii():
            return shown
        return shown.translate(_TYPOGRAPHY).encode("ascii", "backslashreplace").decode("ascii")

    def text(self, *parts: str | tuple[str, str]) -> Text:
        """A line of texts and (text, style) pairs. Markup in them means nothing."""
        line = Text(no_wrap=True)
        for part in parts:
            content, style = part if isinstance(part, tuple) else (part, "")
            line.append(self.plain(content), style or None)
        return line


UNICODE = Glyphs(
    full="━",
    half="╸",
    ahead="╍",
    empty="─",
    complete="✓",
    waiting="‖",
    stopped="×",
    active=" ",
    ellipsis="…",
    ascii_only=False,
)
ASCII = Glyphs(
    full="#",
    half="",
    ahead="=",
    empty=".",
    complete="+",
    waiting="~",
    stopped="x",
    active=" ",
    ellipsis="...",
    ascii_only=True,
)


def speaks_ascii_only(encoding: str, environ: Mapping[str, str] | None = None) -> bool:
    """Whether a stream should get nothing but ASCII.

    True where it cannot encode more, and where the locale says C or POSIX by name: Python
    writes UTF-8 there all the same, but the terminal was told otherwise. No locale at all
    (containers) says nothing, and the encoding decides.
    """
    environ = os.environ if environ is None else environ
    if not encoding.lower().replace("_", "-").startswith("utf"):
        return True
    names = ("LC_ALL", "LC_CTYPE", "LANG")
    locale = next((environ[name] for name in names if environ.get(name)), "")
    return locale in ("C", "POSIX")


def glyphs_for(console: Console) -> Glyphs:
    """The signs that a console's terminal can show."""
    return ASCII if speaks_ascii_only(console.encoding) else UNICODE
