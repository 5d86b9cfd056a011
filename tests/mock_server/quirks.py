"""What real endpoints do beside the plain case, one named quirk each."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tests.mock_server.answers import Question, Said

Body = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Raw:
    """A response that is sent as it stands."""

    status: int
    content: bytes
    headers: Mapping[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})


@dataclass(frozen=True, kw_only=True)
class Quirk:
    """Where an endpoint departs from the plain case."""

    respond: Callable[[Body, str], Raw | None] = lambda body, wire: None
    """A response instead of an answer, by body and wire, or None."""
    drop: tuple[str, ...] = ()
    """Fields that are silently ignored."""
    say: Callable[[Question, Said], Said] = lambda question, said: said
    """What becomes of the model's answer."""
    change: Callable[[Body, Body], Any] = lambda payload, body: payload
    """What becomes of the response's body, by it and the request's."""
    reasons: bool = False
    """Whether tokens go into thinking first."""
    content_type: str = "application/json"
    is_packed: bool = False
    """Whether the body is sent as gzip."""


def raw_json(status: int, payload: Any, **headers: str) -> Raw:
    """A response of JSON; underscores in header names stand for hyphens."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Raw(
        status=status,
        content=json.dumps(payload).encode(),
        headers={"Content-Type": "application/json", **named},
    )


def openai_error(
    status: int,
    message: str,
    *,
    code: str | None = None,
    param: str | None = None,
    kind: str = "invalid_request_error",
    **headers: str,
) -> Raw:
    """An error in OpenAI's form."""
    error = {"message": message, "type": kind, "param": param, "code": code}
    return raw_json(status, {"error": error}, **headers)


def anthropic_error(status: int, message: str, *, kind: str = "invalid_request_error") -> Raw:
    """An error in Anthropic's form."""
    error = {"type": kind, "message": message}
    return raw_json(status, {"type": "error", "error": error, "request_id": "req_mock"})


def _reasoning(body: Body, wire: str) -> Raw | None:
    if "max_tokens" in body:
        return openai_error(
            400,
            "Unsupported parameter: 'max_tokens' is not supported with this model. "
            "Use 'max_completion_tokens' instead.",
            code="unsupported_parameter",
            param="max_tokens",
        )
    if body.get("temperature", 1) != 1:
        return openai_error(
            400,
            f"Unsupported value: 'temperature' does not support {body['temperature']} with this "
            "model. Only the default (1) value is supported.",
            code="unsupported_value",
            param="temperature",
        )
    for name in ("stop", "logprobs", "top_logprobs"):
        if body.get(name):
            return openai_error(
                400,
                f"Unsupported parameter: '{name}' is not supported with this model.",
                code="unsupported_parameter",
                param=name,
            )
    return None


def _temperature_and_top_p(body: Body, wire: str) -> Raw | None:
    if "temperature" in body and "top_p" in body:
        return anthropic_error(
            400,
            "`temperature` and `top_p` cannot both be specified for this model. "
            "Please use only one.",
        )
    return None


def _no_temperature(body: Body, wire: str) -> Raw | None:
    if "temperature" in body:
        return anthropic_error(400, "`temperature` is deprecated for this model.")
    return None


def _unknown_field(body: Body, wire: str) -> Raw | None:
    if "seed" in body:
        message = 'Invalid JSON payload received. Unknown name "seed": Cannot find field.'
    elif body.get("logprobs"):
        message = "Logprobs is not enabled for models/mock."
    else:
        return None
    return raw_json(
        400, [{"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}}]
    )


def _needs_thinking_off(body: Body, wire: str) -> Raw | None:
    if body.get("enable_thinking") is False:
        return None
    return openai_error(
        400,
        "parameter.enable_thinking must be set to false for non-streaming calls",
        code="invalid_parameter_error",
    )


def _deepseek(body: Body, wire: str) -> Raw | None:
    for name in ("logprobs", "response_format"):
        if body.get(name):
            return openai_error(
                400,
                f"deepseek-reasoner does not support the parameter `{name}`",
                code="invalid_request_error",
            )
    return None


def _no_json_object(body: Body, wire: str) -> Raw | None:
    if (body.get("response_format") or {}).get("type") == "json_object":
        return raw_json(400, {"error": "'response_format.type' must be 'json_schema' or 'text'"})
    return None


def _zero_logprobs(payload: Body, body: Body) -> Body:
    for choice in payload["choices"]:
        for entry in (choice.get("logprobs") or {}).get("content", ()):
            entry["logprob"] = 0.0
            for top in entry["top_logprobs"]:
                top["logprob"] = 0.0
    return payload


def _drifting(payload: Body, body: Body) -> Body:
    """Another model and fingerprint for every second id: what changes mid-run."""
    if int(payload["id"][-1], 36) % 2:
        payload["model"] = f"{body['model']}-2"
        payload["system_fingerprint"] = "fp_mock_2"
    return payload


def _context_cut(payload: Body, body: Body) -> Body:
    payload["usage"]["prompt_tokens"] = min(2048, payload["usage"]["prompt_tokens"])
    return payload


def _parts(payload: Body, body: Body) -> Body:
    for choice in payload.get("choices", ()):
        if "message" in choice:
            text = choice["message"]["content"] or ""
            middle = len(text) // 2
            choice["message"]["content"] = [
                {"type": "thinking", "thinking": [{"type": "text", "text": "Let me see."}]},
                {"type": "text", "text": text[:middle]},
                {"type": "text", "text": text[middle:]},
            ]
    return payload


def _one_choice_less(payload: Body, body: Body) -> Body:
    if len(payload.get("choices", ())) > 1:
        payload["choices"].pop()
    return payload


def _same_ids(payload: Body, body: Body) -> Body:
    """One id for all answers, and one index for all choices."""
    for choice in payload.get("choices", ()):
        choice["index"] = 0
    return {**payload, "id": "the-same"}


def _without(name: str) -> Callable[[Body, Body], Body]:
    return lambda payload, body: {key: value for key, value in payload.items() if key != name}


def _always(raw: Raw) -> Callable[[Body, str], Raw]:
    return lambda body, wire: raw


_AZURE_FILTER = {
    "error": {
        "message": "The response was filtered due to the prompt triggering Azure OpenAI's "
        "content management policy.",
        "type": None,
        "param": "prompt",
        "code": "content_filter",
        "status": 400,
        "innererror": {
            "code": "ResponsibleAIPolicyViolation",
            "content_filter_result": {"hate": {"filtered": True, "severity": "medium"}},
        },
    }
}
PAGE = b"<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"

QUIRKS: dict[str, Quirk] = {
    "plain": Quirk(),
    "reasoning": Quirk(respond=_reasoning, reasons=True),
    "anthropic-temperature-and-top-p": Quirk(respond=_temperature_and_top_p),
    "anthropic-no-temperature": Quirk(respond=_no_temperature),
    "anthropic-overloaded": Quirk(
        respond=_always(anthropic_error(529, "Overloaded", kind="overloaded_error"))
    ),
    "anthropic-credit": Quirk(
        respond=_always(
            anthropic_error(400, "Your credit balance is too low to access the Anthropic API.")
        )
    ),
    "gemini-unknown-field": Quirk(respond=_unknown_field),
    "dashscope-thinking": Quirk(respond=_needs_thinking_off),
    "deepseek-reasoner": Quirk(
        respond=_deepseek,
        say=lambda question, said: replace(
            said, text="", reasoning="The user asks who is there.", finish="length"
        ),
    ),
    "ollama-drops": Quirk(drop=("logprobs", "top_logprobs", "n"), change=_context_cut),
    "lmstudio-schema-only": Quirk(respond=_no_json_object),
    "vllm-top-logprobs": Quirk(drop=("top_logprobs",)),
    "llamacpp-zero-logprobs": Quirk(change=_zero_logprobs),
    "gateway-200-error": Quirk(
        respond=_always(
            raw_json(
                200,
                {
                    "id": "gen-1",
                    "choices": None,
                    "error": {
                        "code": 429,
                        "message": "Provider returned error",
                        "metadata": {"raw": "mock is temporarily rate-limited upstream"},
                    },
                },
            )
        )
    ),
    "gateway-choice-error": Quirk(
        respond=_always(
            raw_json(
                200,
                {
                    "id": "gen-1",
                    "choices": [
                        {
                            "index": 0,
                            "finish_reason": "error",
                            "message": {"role": "assistant", "content": ""},
                            "error": {"code": 502, "message": "Upstream error"},
                        }
                    ],
                },
            )
        )
    ),
    "gateway-null-choices": Quirk(respond=_always(raw_json(200, {"id": "gen-1", "choices": None}))),
    "gateway-html": Quirk(
        respond=_always(Raw(status=200, content=PAGE, headers={"Content-Type": "text/html"}))
    ),
    "gateway-html-403": Quirk(
        respond=_always(Raw(status=403, content=PAGE, headers={"Content-Type": "text/html"}))
    ),
    "azure-filter": Quirk(respond=_always(raw_json(400, _AZURE_FILTER))),
    "azure-filter-after": Quirk(
        say=lambda question, said: replace(said, text=None, finish="content_filter")
    ),
    "quota": Quirk(
        respond=_always(
            openai_error(
                429,
                "You exceeded your current quota, please check your plan and billing details.",
                code="insufficient_quota",
                kind="insufficient_quota",
            )
        )
    ),
    "daily-quota": Quirk(
        respond=_always(
            openai_error(
                429,
                "Rate limit reached for mock on requests per day (RPD): Limit 200, Used 200, "
                "Requested 1. Please try again in 7m12s.",
                code="rate_limit_exceeded",
                kind="requests",
            )
        )
    ),
    "payment": Quirk(
        respond=_always(raw_json(402, {"error": {"code": 402, "message": "Insufficient credits"}}))
    ),
    "clock-skew": Quirk(
        respond=_always(
            openai_error(
                429,
                "Rate limit reached for requests",
                code="rate_limit_exceeded",
                # Years away from this machine's clock, twenty seconds apart from each other.
                Date="Tue, 01 Jan 2019 00:00:00 GMT",
                Retry_After="Tue, 01 Jan 2019 00:00:20 GMT",
            )
        )
    ),
    "unknown-model": Quirk(
        respond=lambda body, wire: (
            anthropic_error(404, f"model: {body['model']}", kind="not_found_error")
            if wire == "anthropic"
            else openai_error(
                404,
                f"The model `{body['model']}` does not exist or you do not have access to it.",
                code="model_not_found",
            )
        )
    ),
    "redirect": Quirk(
        respond=_always(Raw(status=307, content=b"", headers={"Location": "/elsewhere"}))
    ),
    "drifting-model": Quirk(change=_drifting),
    "no-usage": Quirk(change=_without("usage")),
    "one-choice-less": Quirk(change=_one_choice_less),
    "same-ids": Quirk(change=_same_ids),
    "packed": Quirk(is_packed=True),
    "wrong-type": Quirk(content_type="text/html"),
    "content-parts": Quirk(change=_parts),
    "content-null": Quirk(say=lambda question, said: replace(said, text=None)),
    "refusal": Quirk(say=lambda question, said: Said(text=None, refusal="I can't help with that.")),
}
"""Quirk by name: `MockServer(profile=name)`, or under the path /p/<name> of any mock server."""
