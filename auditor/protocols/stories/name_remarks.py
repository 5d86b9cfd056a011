"""What the offline judge of names remarks on its annotations: how each name was found.

A remark is made of phrases with semicolons between them; the first says who decided.
"""

from __future__ import annotations

BY_RULES = "by the rules"
BY_SPACY = "found by spaCy"
GUESSED = "not decided by the rules"
"""Nor by spaCy, or none is installed: the likeliest was taken."""
SAME_BY_WHOLE = "whole text: same name"
"""The rules, reading to the end what they had read the opening of, come to the same name."""
OTHER_BY_WHOLE = "whole text: another name"

_JOINT = "; "


def joined(*phrases: str | None) -> str:
    """One remark of those phrases that there are."""
    return _JOINT.join(phrase for phrase in phrases if phrase)


def phrases_of(remark: str) -> list[str]:
    """The phrases of a remark."""
    return remark.split(_JOINT)
