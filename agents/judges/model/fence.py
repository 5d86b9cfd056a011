"""The fence round a text under judgement: lines that the text itself cannot hold."""

from __future__ import annotations

import hashlib
import re

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
    mark = _mark(shown)
    return f"[begin {mark}]\n{shown}\n[end {mark}]"


def defused(text: str) -> str:
    """A text that can be sent and that no chat template takes for a turn.

    Lone surrogates and NUL become U+FFFD. A zero-width joiner goes into what servers would read
    as control tokens ("<|im_start|>", "[INST]"); nothing else changes.
    """
    sendable = _UNSENDABLE.sub("\ufffd", text)
    return _CONTROL_TOKENS.sub(lambda found: found[0][0] + _JOINER + found[0][1:], sendable)


def _mark(text: str) -> str:
    # A mark follows from the text, so that equal texts are asked about in equal words.
    lowered = text.lower()
    mark = text
    while mark.lower() in lowered:
        mark = hashlib.blake2b(
            mark.encode("utf-8", "surrogatepass"), digest_size=_MARK_DIGITS // 2
        ).hexdigest()
    return mark
