"""Answers in the three wire formats."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tests.mock_server.answers import Said, first_token_logprobs, tokens_of

FINGERPRINT = "fp_mock"
_CREATED = 1_700_000_000
_REASONING_TOKENS = 50


def prompt_of(body: dict[str, Any]) -> str:
    """All that a body says to the model, joined."""
    if "prompt" in body:
        return str(body["prompt"])
    parts = [str(body.get("system") or "")]
    for message in body.get("messages", ()):
        content = message["content"]
        parts.append(content if isinstance(content, str) else json.dumps(content))
    return "\n".join(part for part in parts if part)


def count_tokens(text: str) -> int:
    """Tokens as the mock bills them: four UTF-8 bytes each."""
    return (len(text.encode("utf-8", "surrogatepass")) + 3) // 4


def cut(said: Said, cap: int | None, *, reasons: bool = False) -> tuple[Said, int]:
    """An answer cut to an output cap, and its tokens; thinking is paid first."""
    thinking = _REASONING_TOKENS if reasons else 0
    tokens = tokens_of(said.text or "")
    if cap is None or thinking + len(tokens) <= cap:
        return said, thinking + len(tokens)
    kept = "".join(tokens[: max(0, cap - thinking)])
    return Said(text=kept, reasoning=said.reasoning, finish="length", chances=said.chances), cap


def chat(
    body: dict[str, Any], answers: Sequence[tuple[Said, int]], request_id: str
) -> dict[str, Any]:
    """A chat completion."""
    return {
        "id": f"chatcmpl-{request_id[:24]}",
        "object": "chat.completion",
        "created": _CREATED,
        "model": body.get("model"),
        "system_fingerprint": FINGERPRINT,
        "choices": [
            {
                "index": index,
                "message": _message(body, said),
                "logprobs": _chat_logprobs(body, said),
                "finish_reason": said.finish,
            }
            for index, (said, _) in enumerate(answers)
        ],
        "usage": _usage(body, answers),
    }


def completion(
    body: dict[str, Any], answers: Sequence[tuple[Said, int]], request_id: str
) -> dict[str, Any]:
    """A legacy completion."""
    return {
        "id": f"cmpl-{request_id[:24]}",
        "object": "text_completion",
        "created": _CREATED,
        "model": body.get("model"),
        "choices": [
            {
                "index": index,
                "text": said.text or "",
                "logprobs": _legacy_logprobs(body, said),
                "finish_reason": said.finish,
            }
            for index, (said, _) in enumerate(answers)
        ],
        "usage": _usage(body, answers),
    }


def message(
    body: dict[str, Any], answers: Sequence[tuple[Said, int]], request_id: str
) -> dict[str, Any]:
    """An Anthropic message."""
    said, tokens = answers[0]
    content: list[dict[str, Any]] = []
    if said.reasoning:
        content.append({"type": "thinking", "thinking": said.reasoning, "signature": "c2ln"})
    if body.get("tools"):
        tool = {"type": "tool_use", "id": "toolu_mock", "name": body["tools"][0]["name"]}
        content.append({**tool, "input": json.loads(said.text or "{}")})
    elif said.text:
        content.append({"type": "text", "text": said.text})
    stop_reason = {"stop": "end_turn", "length": "max_tokens"}.get(said.finish, said.finish)
    if said.refusal is not None:
        stop_reason = "refusal"
        content = [{"type": "text", "text": said.refusal}] if said.refusal else []
    return {
        "id": f"msg_{request_id[:24]}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model"),
        "content": content,
        "stop_reason": "tool_use" if body.get("tools") else stop_reason,
        "stop_sequence": None,
        "usage": {"input_tokens": count_tokens(prompt_of(body)), "output_tokens": tokens},
    }


def _message(body: dict[str, Any], said: Said) -> dict[str, Any]:
    made: dict[str, Any] = {"role": "assistant", "content": said.text, "refusal": said.refusal}
    if said.reasoning is not None:
        made["reasoning_content"] = said.reasoning
    if body.get("tools"):
        function = {"name": body["tools"][0]["function"]["name"], "arguments": said.text}
        made["tool_calls"] = [{"id": "call_mock", "type": "function", "function": function}]
        made["content"] = None
    return made


def _usage(body: dict[str, Any], answers: Sequence[tuple[Said, int]]) -> dict[str, Any]:
    prompt, out = count_tokens(prompt_of(body)), sum(tokens for _, tokens in answers)
    return {"prompt_tokens": prompt, "completion_tokens": out, "total_tokens": prompt + out}


def _chat_logprobs(body: dict[str, Any], said: Said) -> dict[str, Any] | None:
    if not body.get("logprobs"):
        return None
    entries = []
    for place, token in enumerate(tokens_of(said.text or "")):
        tops = first_token_logprobs(said, token, 20) if place == 0 else []
        own = next((top["logprob"] for top in tops if top["token"] == token), 0.0)
        entries.append(
            {
                "token": token,
                "logprob": own,
                "bytes": list(token.encode()),
                "top_logprobs": tops[: body.get("top_logprobs") or 0],
            }
        )
    return {"content": entries, "refusal": None}


def _legacy_logprobs(body: dict[str, Any], said: Said) -> dict[str, Any] | None:
    count = body.get("logprobs")
    if count is None:
        return None
    tokens = tokens_of(said.text or "")
    tops = [
        {top["token"]: top["logprob"] for top in first_token_logprobs(said, token, 20)}
        if place == 0
        else {token: 0.0}
        for place, token in enumerate(tokens)
    ]
    return {
        "tokens": tokens,
        "token_logprobs": [top[token] for top, token in zip(tops, tokens, strict=True)],
        "top_logprobs": [dict(list(top.items())[:count]) for top in tops],
        "text_offset": [0] * len(tokens),
    }
