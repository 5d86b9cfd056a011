"""The fence round a text under judgement: lines that the text itself cannot hold."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

_MARK_DIGITS = 16
_UNSENDABLE = re.compile("[\x00\ud800-\udfff]")
_CONTROL_TOKENS = re.compile(
    r"<[|\uff5c]|\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS)\]|<</?SYS>>"
    r"|</?(?:s|bos|eos)>|<(?:start|end)_of_turn>",
    re.IGNORECASE,
)
"""How the control tokens of chat templates begin, or what they are."""
_JOINER = "\u200d"


def fenced(text: str) -> str:
    """The text between two lines that carry a mark made from its hash and absent from it."""
    shown = defused(text)
    return _between(shown, _mark(shown, [shown]))


def fenced_apart(texts: Sequence[str]) -> list[str]:
    """Several texts of one message, each in its own fence.

    A mark is made from all of the texts and absent from each, so that no text, whatever it knows
    of the others, can hold the line at which one of them ends. No two marks are equal.
    """
    shown = [defused(text) for text in texts]
    whole = "\0".join(shown)
    marks = [_mark(f"{place}\0{whole}", shown) for place in range(len(shown))]
    return [_between(text, mark) for text, mark in zip(shown, marks, strict=True)]


def defused(text: str) -> str:
    """A text that can be sent and that no chat template takes for a turn.

    Lone surrogates and NUL become U+FFFD. A zero-width joiner goes into what servers would read
    as control tokens ("<|im_start|>", "[INST]"); nothing else changes.
    """
    sendable = _UNSENDABLE.sub("\ufffd", text)
    return _CONTROL_TOKENS.sub(lambda found: found[0][0] + _JOINER + found[0][1:], sendable)


def _between(shown: str, mark: str) -> str:
    return f"[begin {mark}]\n{shown}\n[end {mark}]"


def _mark(seed: str, texts: Sequence[str]) -> str:
    # A mark follows from the texts, so that equal texts are asked about in equal words.
    lowered = [text.lower() for text in texts]
    mark = _hashed(seed)
    while any(mark in text for text in lowered):
        mark = _hashed(mark)
    return mark


def _hashed(text: str) -> str:
    return hashlib.blake2b(
        text.encode("utf-8", "surrogatepass"), digest_size=_MARK_DIGITS // 2
    ).hexdigest()
