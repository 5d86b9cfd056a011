"""Chat completions: OpenAI's wire format, and that of every compatible server."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from auditor.errors import RejectedError
from auditor.providers.adapter import Adapter
from auditor.providers.fields import count_of, object_of, text_of
from auditor.providers.outcomes import outcome_of, text_and_reasoning
from auditor.types import JSON, Choice, Outcome, Request, Usage

OPENAI_PARAMETERS: Mapping[str, str] = {
    name: name
    for name in (
        "temperature",
        "top_p",
        "max_tokens",
        "stop",
        "seed",
        "logprobs",
        "top_logprobs",
        "presence_penalty",
        "frequency_penalty",
    )
}
"""Ours are OpenAI's older names, so all are spelled alike but the output cap of some servers."""

_SCHEMA_NAME = "answer"


class OpenAIChat(Adapter):
    """POST /chat/completions."""

    path = "/chat/completions"
    parameters = OPENAI_PARAMETERS

    def body(self, request: Request) -> dict[str, JSON]:
        """Model, messages, parameters, n, schema; extra_body laid over them at the top level."""
        body: dict[str, JSON] = {
            "model": request.model,
            "messages": [message.as_json() for message in request.messages],
        }
        body |= self.sampling(request.params)
        if request.choices > 1:
            body["n"] = request.choices
        if request.schema is not None:
            self._ask_for_schema(body, request.schema, self.schema_way(request))
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
        """Prompt and completion tokens, thinking included in the latter."""
        return openai_usage(payload)

    def _ask_for_schema(self, body: dict[str, JSON], schema: Mapping[str, JSON], way: str) -> None:
        """Put a schema into the body in one of the ways."""
        if way == "native":
            wanted = {"name": _SCHEMA_NAME, "schema": dict(schema), "strict": is_strict(schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": wanted}
        elif way == "tool":
            function = {"name": _SCHEMA_NAME, "parameters": dict(schema)}
            body["tools"] = [{"type": "function", "function": function}]
            body["tool_choice"] = {"type": "function", "function": {"name": _SCHEMA_NAME}}
        elif way in ("json_object", "none"):
            # The server cannot hold the model to the schema, so the prompt has to ask for it.
            body["messages"] = with_schema_in_words(body["messages"], schema)
            if way == "json_object":
                body["response_format"] = {"type": "json_object"}
        else:
            raise RejectedError(f"no way to ask for a schema: {way!r}", parameter="schema")


def openai_usage(payload: dict[str, Any]) -> Usage:
    """Tokens in OpenAI's `usage` object; None where it does not say them."""
    usage = object_of(payload.get("usage"))
    return Usage(
        input_tokens=count_of(usage.get("prompt_tokens")),
        output_tokens=count_of(usage.get("completion_tokens")),
    )


def is_strict(schema: Mapping[str, JSON]) -> bool:
    """Whether a schema meets the terms of strict mode: every object closed, all of it required."""
    properties = schema.get("properties")
    if schema.get("type") == "object":
        closed = schema.get("additionalProperties") is False
        if not closed or set(schema.get("required", ())) != set(properties or ()):
            return False
    inner = [*(properties or {}).values(), *schema.get("anyOf", ())]
    inner += [*schema.get("$defs", {}).values()]
    if isinstance(schema.get("items"), dict):
        inner.append(schema["items"])
    return all(is_strict(part) for part in inner)


def with_schema_in_words(messages: list[JSON], schema: Mapping[str, JSON]) -> list[JSON]:
    """The messages with the schema asked for in the system prompt."""
    wish = (
        "Answer with one JSON object and nothing else. It has to fit this JSON schema:\n"
        + json.dumps(dict(schema), ensure_ascii=False)
    )
    if messages and messages[0]["role"] == "system":
        first = {"role": "system", "content": f"{messages[0]['content']}\n\n{wish}"}
        return [first, *messages[1:]]
    return [{"role": "system", "content": wish}, *messages]


def _choice(choice: dict[str, Any]) -> Choice:
    message = choice.get("message") or {}
    content = message.get("content")
    finish = text_of(choice.get("finish_reason"))
    reasoning = _thoughts(message.get("reasoning_content")) or _thoughts(message.get("reasoning"))
    refusal = message.get("refusal")
    if content is None or isinstance(content, str):
        text = content or None
    else:
        text, thoughts, refused_part = text_and_reasoning(content)
        reasoning, refusal = reasoning or thoughts, refusal or refused_part
    if text is None and message.get("tool_calls"):
        text = _arguments(message["tool_calls"][0]["function"]["arguments"])
    outcome = outcome_of(text, finish, is_refused=bool(refusal))
    if outcome is Outcome.REFUSED:
        text = text_of(refusal) or text
    return Choice(
        outcome=outcome,
        text=text,
        reasoning=reasoning,
        finish_reason=finish,
        logprobs=object_of(choice.get("logprobs")) or None,
    )


def _arguments(given: Any) -> str | None:
    """What a tool is called with: JSON in a text, or what such a text would have held."""
    if given is None or isinstance(given, str):
        return given or None
    return json.dumps(given, ensure_ascii=False)


def _thoughts(value: Any) -> str | None:
    """Thinking beside the content: a text, or the texts of a list."""
    return text_and_reasoning(value)[0] if isinstance(value, str | list) else None
