"""A judge that is a command, as a spec names it: words without a key in them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath

from auditor.spec.positions import Path
from auditor.spec.problems import Problems

_KEY_OPTION = re.compile(
    r"--?(?:(?:api|access|auth|secret|private)[-_]?)?(?:key|token|secret|password|passwd|auth)"
    r"(?:=|\Z)",
    re.IGNORECASE,
)
_KEY = re.compile(
    # As vendors mint them; "sk-learn-judge" is none.
    r"\b(?:sk|pk|rk|gsk|xai|nvapi|hf|pplx)[-_](?=[\w-]*\d)[\w-]{16,}|\bAIza[\w-]{20,}"
)
_MOST_WORDS = 100


def check_command(words: Sequence[str], path: Path, problems: Problems) -> None:
    """Report what no command may be, and words that are or announce a key: specs are stored."""
    place = (*path, "command")
    is_one = 0 < len(words) <= _MOST_WORDS and words[0] and words[0].isprintable()
    if not is_one or any("\0" in word for word in words):
        problems.add(place, "no command", f"a list of 1 to {_MOST_WORDS} texts, the program first")
        return
    if any(_KEY_OPTION.match(word) or _KEY.search(word) for word in words):
        problems.add(
            place,
            "value not shown: it seems to hold a key",
            "no key in a spec; the program finds it in its environment",
        )


def default_name(words: Sequence[str]) -> str:
    """What a command is called where the spec gives it no name: its program's file."""
    return PurePath(words[0]).name or words[0]
