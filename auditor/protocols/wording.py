"""Wordings of prompts, with places in braces that texts are put into."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import lru_cache

_PLACE = re.compile(r"\{(\w+)\}")
# Braces of either width: in Chinese text one is soon typed for the other.
_LIKE_A_PLACE = re.compile(r"[{｛]+\s*[\w-]+\s*[}｝]+")


def filled(wording: str, parts: Mapping[str, str]) -> str:
    """The wording with each `{place}` that has a part replaced by it, all in one pass.

    So braces in a part stand for themselves. Places without a part stay as they are.
    """
    pieces = _pieces(wording)
    texts = list(pieces)
    for at in range(1, len(pieces), 2):
        texts[at] = parts.get(pieces[at], f"{{{pieces[at]}}}")
    return "".join(texts)


def stray_place(wording: str, known: Collection[str]) -> str | None:
    """The first that looks like a place and is none of the known names in braces, or None.

    One word in braces looks like one, also with spaces, doubled or full-width braces. Braces
    round anything else, as in JSON, do not.
    """
    for found in _LIKE_A_PLACE.finditer(wording):
        if found[0] not in {f"{{{name}}}" for name in known}:
            return found[0]
    return None


@lru_cache(maxsize=64)
def _pieces(wording: str) -> tuple[str, ...]:
    """Texts and names of places by turns."""
    return tuple(_PLACE.split(wording))
