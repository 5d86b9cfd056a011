"""Messages: Anthropic's wire format."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from auditor.errors import RejectedError
from auditor.providers.adapter import Adapter
from auditor.providers.fields import count_of, object_of, text_of
from auditor.providers.openai_chat import with_schema_in_words
from auditor.providers.outcomes import outcome_of, text_and_reasoning
from auditor.types import JSON, Choice, Request, Usage

DEFAULT_MAX_TOKENS = 4096
"""The format demands an output cap; this one is sent where the request sets none."""

_TOOL_NAME = "answer"
_PARAMETERS: Mapping[str, str] = {
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "max_tokens": "max_tokens",
    "stop": "stop_sequences",
}


class AnthropicMessages(Adapter):
    """POST /v1/messages.

    Leading system messages become the `system` field. There are no log-probabilities, no seed
    and no second choice in this format; asking for one raises RejectedError.
    """

    path = "/v1/messages"
    parameters = _PARAMETERS

    def body(self, request: Request) -> dict[str, JSON]:
        """Model, cap, system, messages, parameters, schema; extra_body laid over them."""
        if request.choices > 1:
            raise RejectedError(
                "this endpoint gives one answer a call",
                parameter="choices",
                hint="leave samples_per_request out at the target",
            )
        turns = [message.as_json() for message in request.messages]
        if request.schema is not None and self.schema_way(request) == "none":
            turns = with_schema_in_words(turns, request.schema)
        first_turn = next(
            (place for place, turn in enumerate(turns) if turn["role"] != "system"), len(turns)
        )
        body: dict[str, JSON] = {"model": request.model, "max_tokens": DEFAULT_MAX_TOKENS}
        if first_turn:
            body["system"] = "\n\n".join(turn["content"] for turn in turns[:first_turn])
        body["messages"] = turns[first_turn:]
        if any(turn["role"] not in ("user", "assistant") for turn in body["messages"]):
            raise RejectedError(
                "this endpoint takes system messages at the start only, then user and assistant",
                parameter="messages",
            )
        # Log-probabilities switched off are what this endpoint gives anyway.
        off = [name for name in ("logprobs", "top_logprobs") if not request.params.get(name, 1)]
        body |= self.sampling({k: v for k, v in request.params.items() if k not in off})
        if isinstance(body.get("stop_sequences"), str):
            body["stop_sequences"] = [body["stop_sequences"]]
        if request.schema is not None:
            self._ask_for_schema(body, request.schema, self.schema_way(request))
        body |= request.extra_body
        return body

    def read(self, payload: dict[str, Any]) -> tuple[Choice, ...]:
        """The one answer: its text blocks joined, thinking kept apart."""
        content = payload.get("content")
        stop_reason = text_of(payload.get("stop_reason"))
        if content is None or payload.get("type") == "error":
            return ()
        text, thinking, _ = text_and_reasoning(content)
        if text is None:
            inputs = [block["input"] for block in content if block.get("type") == "tool_use"]
            text = json.dumps(inputs[0], ensure_ascii=False) if inputs else None
        return (
            Choice(
                outcome=outcome_of(text, stop_reason),
                text=text,
                reasoning=thinking,
                finish_reason=stop_reason,
            ),
        )

    def usage(self, payload: dict[str, Any]) -> Usage:
        """Input tokens with those read from and written to the cache, and output tokens."""
        usage = object_of(payload.get("usage"))
        counts = [
            count_of(usage.get(name))
            for name in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        ]
        known = [count for count in counts if count is not None]
        return Usage(
            input_tokens=sum(known) if known else None,
            output_tokens=count_of(usage.get("output_tokens")),
        )

    def _ask_for_schema(self, body: dict[str, JSON], schema: Mapping[str, JSON], way: str) -> None:
        if way == "native":
            body["output_config"] = {"format": {"type": "json_schema", "schema": dict(schema)}}
        elif way == "tool":
            body["tools"] = [{"name": _TOOL_NAME, "input_schema": dict(schema)}]
            body["tool_choice"] = {"type": "tool", "name": _TOOL_NAME}
        elif way != "none":
            raise RejectedError(
                f"this endpoint has no way {way!r} to ask for a schema", parameter="schema"
            )
