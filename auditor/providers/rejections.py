"""Which parameter a refusal is about, and what a person can do about it."""

from __future__ import annotations

import re

from auditor.providers.error_body import ErrorBody

OUR_NAMES = {
    "max_completion_tokens": "max_tokens",
    "max_output_tokens": "max_tokens",
    "stop_sequences": "stop",
    "n": "samples_per_request",
}
"""Wire names whose setting in a spec has another name."""

_KNOWN = (
    "max_completion_tokens",
    "max_tokens",
    "temperature",
    "top_p",
    "top_k",
    "top_logprobs",
    "logprobs",
    "seed",
    "stop_sequences",
    "stop",
    "presence_penalty",
    "frequency_penalty",
    "response_format",
    "output_config",
    "tool_choice",
    "tools",
    "enable_thinking",
    "reasoning_effort",
)
_NAME = r"(?P<name>[a-z][a-z0-9.]*_[a-z0-9_.]*[a-z0-9]|(?<=['\"`])[a-z][a-z0-9_.]*[a-z0-9])"
"""A name is quoted or holds an underscore; else it may be any word of a sentence."""
_INTRODUCED = re.compile(
    r"(?:parameter|argument|name|field|value)(?: supplied)?\W{1,4}" + _NAME, re.IGNORECASE
)
_LEADING = re.compile(r"^\W*" + _NAME + r"\W*: ", re.IGNORECASE)
_LONGEST_LEADING = 1000
"""Characters in which a name before a colon is looked for: it stands at the beginning."""
_WORD = re.compile(r"(?<![\w.])(?:" + "|".join(_KNOWN) + r")(?!\w)", re.IGNORECASE)


def rejected_parameter(body: ErrorBody) -> str | None:
    """The parameter that a refusal names, as the wire spells it; None if it names none.

    A field of the error says it best; else the message is read: the first parameter that
    everybody knows, a name after the words that introduce one, or a name before a colon.
    """
    if body.parameter is not None:
        return body.parameter
    message = body.message
    known = _WORD.search(message)
    if known:
        return known.group(0).lower()
    introduced = _INTRODUCED.search(message)
    for found in (introduced, introduced or _LEADING.search(message[:_LONGEST_LEADING])):
        if found:
            return found.group("name").removeprefix("parameters.").removeprefix("parameter.")
    return None


def rejection_hint(parameter: str | None) -> str | None:
    """The setting that drops a refused parameter, or None where none is named."""
    if parameter is None:
        return None
    if parameter == "enable_thinking":
        return "set extra_body = {enable_thinking = false} at the target"
    if parameter in ("response_format", "output_config", "tools", "tool_choice"):
        return "the model takes no schema this way; `auditor doctor` finds out which way it does"
    if parameter == "max_tokens":
        return (
            "take a smaller cap, or let `auditor doctor` find out whether the model wants "
            "max_completion_tokens"
        )
    if parameter in ("model", "messages", "prompt"):
        return None
    name = OUR_NAMES.get(parameter, parameter)
    where = "at the target" if name == "samples_per_request" else "in params of the target"
    return f"leave {name} out {where}, or take a model that allows it"
