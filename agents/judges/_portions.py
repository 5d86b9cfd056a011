"""Texts for a process of their own, a message's worth at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

_CHARACTERS = 500_000
"""Of a message, unless one text is longer: what takes 5 ms to be written."""


def portions(texts: Sequence[str], most: int) -> Iterator[list[str]]:
    """The texts, in their order, at most so many and so long at a time; a long one goes alone."""
    portion: list[str] = []
    characters = 0
    for text in texts:
        if portion and (len(portion) >= most or characters + len(text) > _CHARACTERS):
            yield portion
            portion, characters = [], 0
        portion.append(text)
        characters += len(text)
    if portion:
        yield portion
