"""From an endpoint's finish reason and texts to the outcome of a response."""

from __future__ import annotations

from typing import Any

from auditor.types import Outcome

_FILTERED = ("content_filter", "content-filter", "safety", "recitation", "prohibited", "sensitive")
_CUT = frozenset({"length", "max_tokens", "model_length", "model_context_window_exceeded"})


def outcome_of(text: str | None, finish_reason: str | None, *, is_refused: bool = False) -> Outcome:
    """The outcome of one choice.

    A refusal and a filter win over the text that may stand beside them; a cut without any text
    is empty, as is an answer of white space.
    """
    reason = (finish_reason or "").lower()
    if is_refused or reason == "refusal":
        return Outcome.REFUSED
    if reason.startswith(_FILTERED):
        return Outcome.FILTERED
    if text is None or not text.strip():
        return Outcome.EMPTY
    return Outcome.TRUNCATED if reason in _CUT else Outcome.ANSWERED


def text_and_reasoning(content: Any) -> tuple[str | None, str | None, str | None]:
    """Text, reasoning and refusal in a message's content: null, a string, or a list of parts.

    Parts of other kinds (images, tool calls) are left out. An absent or empty text is None.
    """
    if content is None or isinstance(content, str):
        return content or None, None, None
    texts: list[str] = []
    thoughts: list[str] = []
    refusals: list[str] = []
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            texts.append(part)
            continue
        kind = part.get("type")
        if kind in ("thinking", "reasoning"):
            thought = part.get("thinking") or part.get("reasoning") or part.get("text")
            thoughts.append(text_and_reasoning(thought)[0] or "")
        elif kind == "refusal":
            refusals.append(part.get("refusal") or "")
        elif kind in ("text", "output_text", None):
            texts.append(part.get("text") or "")
    return "".join(texts) or None, "".join(thoughts) or None, "".join(refusals) or None
