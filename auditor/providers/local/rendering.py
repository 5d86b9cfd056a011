"""From messages to a model's tokens: chat templates, plain texts, and where an answer begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auditor.errors import RejectedError, UnknownModelError
from auditor.plugins import described
from auditor.providers.error_body import one_line
from auditor.providers.local.folder import no_template
from auditor.providers.local.loading import Loaded
from auditor.types import Message

_JOINT = "\n\n"
_STAND_IN = "\u2402ANSWER\u2403"
"""Stands for the answer in a rendered dialogue; no template has a reason to change it."""


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """A dialogue whose last turn is an answer to be scored, as tokens."""

    ids: tuple[int, ...]
    answer: int
    """How many of them, at the end, are the answer."""


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A whole dialogue as a reward model reads it."""

    ids: tuple[int, ...]
    types: tuple[int, ...] | None
    """Which text each token is of, for models that are told."""
    form: str
    """"chat template", "pair" or "joined"."""


def prompt_ids(
    loaded: Loaded, messages: Sequence[Message], *, api: str, template: Mapping[str, Any]
) -> list[int]:
    """The tokens that an answer is to follow. Raises RejectedError where there is no room for one.

    Completions get the contents of the messages, joined by an empty line, without roles.
    """
    if api == "completions":
        ids = loaded.ids(_joined(messages), plain=True)
    else:
        text = _rendered(loaded, messages, template, add_generation_prompt=True)
        ids = loaded.ids(text, plain=False)
    _check_length(loaded, len(ids) + 1)
    if not ids:
        raise RejectedError("the prompt has no token")
    return ids


def given_answer(
    loaded: Loaded, messages: Sequence[Message], *, api: str, template: Mapping[str, Any]
) -> GivenAnswer:
    """A dialogue that ends in an answer, cut where that begins.

    Chat: what stands before it is all that the template puts there, a header of the assistant's
    turn included; what it puts behind the answer is left out. Completions: the contents of the
    earlier messages, joined by an empty line, then a space, unless they end in a line break.
    Blanks before the answer belong to its first token, as tokenizers have it. Raises RejectedError
    where the prompt's own tokens are not the first of the whole: then no token is the answer's
    alone.
    """
    answer = _checked_answer(messages)
    if api == "completions":
        before = _joined(messages[:-1])
        gap = "" if not before or before.endswith("\n") else " "
    else:
        stand_in = [*messages[:-1], Message("assistant", _STAND_IN)]
        before, found, _ = _rendered(loaded, stand_in, template).partition(_STAND_IN)
        if not found:
            raise RejectedError("the chat template leaves the answer out")
        gap = ""
    kept = before.rstrip(" ")
    gap = before[len(kept) :] or gap
    plain = api == "completions"
    first = loaded.ids(kept, plain=plain)
    whole = loaded.ids(f"{kept}{gap}{answer}", plain=plain)
    if not first or whole[: len(first)] != first or len(whole) == len(first):
        raise RejectedError(
            f"the tokenizer of {loaded.name} joins the end of the prompt with the answer, so that"
            " no token is the answer's alone",
            hint="another wording, or another api, ends the prompt elsewhere",
        )
    _check_length(loaded, len(whole))
    return GivenAnswer(tuple(whole), len(whole) - len(first))


def dialogue(
    loaded: Loaded, messages: Sequence[Message], *, template: Mapping[str, Any]
) -> Dialogue:
    """A dialogue that ends in an answer, as its reward is asked for.

    By the chat template; without one as a pair of texts where the tokenizer has a separator, else
    all contents joined by an empty line.
    """
    answer = _checked_answer(messages)
    tokenizer, types = loaded.tokenizer, None
    if tokenizer.chat_template:
        form = "chat template"
        ids = loaded.ids(_rendered(loaded, messages, template), plain=False)
    elif tokenizer.sep_token is not None:
        form = "pair"
        encoded = tokenizer(_joined(messages[:-1]), answer, verbose=False)
        ids, types = encoded["input_ids"], encoded.get("token_type_ids")
    else:
        form = "joined"
        ids = loaded.ids(_joined(messages), plain=True)
    _check_length(loaded, len(ids))
    return Dialogue(tuple(ids), None if types is None else tuple(types), form)


def _checked_answer(messages: Sequence[Message]) -> str:
    if len(messages) < 2 or messages[-1].role != "assistant" or not messages[-1].content.strip():
        raise RejectedError(
            "a score needs a prompt and, as the last message, the assistant's answer"
        )
    return messages[-1].content


def _joined(messages: Sequence[Message]) -> str:
    return _JOINT.join(message.content for message in messages)


def _rendered(
    loaded: Loaded, messages: Sequence[Message], template: Mapping[str, Any], **options: bool
) -> str:
    if not loaded.tokenizer.chat_template:
        error = no_template(loaded.name)
        raise UnknownModelError(error.message, hint=error.hint)
    turns = [message.as_json() for message in messages]
    try:
        text = loaded.tokenizer.apply_chat_template(
            turns, tokenize=False, **{**template, **options}
        )
    except Exception as error:  # jinja2's own, and whatever a template raises
        raise RejectedError(
            one_line(
                f"the chat template of {loaded.name} refuses these messages: {described(error)}"
            )
        ) from None
    return str(text)


def _check_length(loaded: Loaded, tokens: int) -> None:
    if loaded.most_tokens is not None and tokens > loaded.most_tokens:
        raise RejectedError(
            f"{tokens} tokens are asked of {loaded.name}, which has {loaded.most_tokens} positions"
        )
