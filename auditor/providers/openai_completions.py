"""Legacy completions: plain text to be continued, for base models."""

from __future__ import annotations

from typing import Any

from auditor.errors import RejectedError
from auditor.providers.adapter import Adapter
from auditor.providers.fields import object_of, text_of
from auditor.providers.openai_chat import OPENAI_PARAMETERS, openai_usage
from auditor.providers.outcomes import outcome_of
from auditor.types import JSON, Choice, Request, Usage

_JOINT = "\n\n"


class OpenAICompletions(Adapter):
    """POST /completions.

    The contents of the messages, joined by an empty line, are the prompt; roles are not sent.
    The output cap is called max_tokens by every server.
    """

    path = "/completions"
    parameters = OPENAI_PARAMETERS

    def body(self, request: Request) -> dict[str, JSON]:
        """Model, prompt, parameters, n; extra_body laid over them at the top level.

        Log-probabilities are asked for by a number: `top_logprobs`, or 1 where only `logprobs`
        is given, since some servers read 0 as "off".
        """
        if request.schema is not None:
            raise RejectedError(
                "completions take no schema",
                parameter="schema",
                hint='judge with a model whose endpoint is used with api = "chat"',
            )
        body: dict[str, JSON] = {
            "model": request.model,
            "prompt": _JOINT.join(message.content for message in request.messages),
        }
        body |= self.sampling(request.params)
        alternatives = body.pop("top_logprobs", None)
        if body.pop("logprobs", False) or alternatives:
            body["logprobs"] = alternatives or 1
        if self.token_parameter in body:
            body["max_tokens"] = body.pop(self.token_parameter)
        if request.choices > 1:
            body["n"] = request.choices
        body |= request.extra_body
        return body

    def read(self, payload: dict[str, Any]) -> tuple[Choice, ...]:
        """One Choice for each that came, without those that ended in an error of their own."""
        return tuple(
            _choice(choice)
            for choice in payload.get("choices") or ()
            if not (choice.get("error") or choice.get("finish_reason") == "error")
        )

    def usage(self, payload: dict[str, Any]) -> Usage:
        """Prompt and completion tokens."""
        return openai_usage(payload)


def _choice(choice: dict[str, Any]) -> Choice:
    text = choice.get("text") or None
    finish = text_of(choice.get("finish_reason"))
    return Choice(
        outcome=outcome_of(text, finish),
        text=text,
        finish_reason=finish,
        logprobs=chat_logprobs(object_of(choice.get("logprobs"))),
    )


def chat_logprobs(logprobs: dict[str, Any] | None) -> dict[str, Any] | None:
    """Legacy log-probabilities in the form of chat completions; None without any.

    A token whose log-probability the server does not say keeps None.
    """
    if not logprobs:
        return None
    if "content" in logprobs:
        return logprobs
    tokens = logprobs.get("tokens") or []
    values = logprobs.get("token_logprobs") or [None] * len(tokens)
    tops = logprobs.get("top_logprobs") or [None] * len(tokens)
    return {
        "content": [
            {
                "token": token,
                "logprob": value,
                "top_logprobs": [
                    {"token": other, "logprob": chance} for other, chance in (top or {}).items()
                ],
            }
            for token, value, top in zip(tokens, values, tops, strict=True)
        ]
    }
