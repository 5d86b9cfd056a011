# ruff: noqa: PT017 - what an error says is looked at where it is caught
"""What endpoints answer: bodies in each wire format, errors, headers."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping

from hypothesis import strategies as st

from agents.calls import answered, ended_in_error
from auditor.endpoints.prices import Prices
from auditor.errors import EndpointError
from auditor.providers.address import Scrubber
from auditor.providers.anthropic_messages import AnthropicMessages
from auditor.providers.classification import classify
from auditor.providers.headers import rate_hints, retry_after_seconds
from auditor.providers.openai_chat import OpenAIChat
from auditor.providers.openai_completions import OpenAICompletions
from auditor.providers.transport import Answer
from auditor.store.records import PlannedTrial
from auditor.types import EndpointConfig, Outcome, Price, Reply
from tests.builders import cells, trials_of
from tests.fuzzing.inputs import ANY_TEXT, JSON_TEXT, PIECE, TEXT, as_bytes, mostly, mutated_json
from tests.fuzzing.parser import REFUSED, TAKEN, fuzzed
from tests.fuzzing.storable import check_count, check_error, is_finite

KEY = "sk-planted-7Qx93kfLw0Zt"
_NOW = 1_780_000_000.0
_CHAT = {
    "id": "x",
    "model": "m-1",
    "system_fingerprint": "fp",
    "choices": [
        {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": "Men.", "refusal": None},
            "logprobs": {
                "content": [
                    {
                        "token": "Men",
                        "logprob": -0.5,
                        "top_logprobs": [{"token": "W", "logprob": -1}],
                    }
                ]
            },
        }
    ],
    "usage": {"prompt_tokens": 10, "completion_tokens": 2},
}
_PARTS = {
    "model": "m-1",
    "choices": [
        {
            "finish_reason": "tool_calls",
            "message": {
                "content": [
                    {"type": "thinking", "thinking": [{"type": "text", "text": "so"}]},
                    {"type": "text", "text": "Men"},
                    {"type": "refusal", "refusal": "no"},
                ],
                "reasoning_content": "because",
            },
        },
        {
            "finish_reason": "tool_calls",
            "message": {"tool_calls": [{"function": {"name": "answer", "arguments": "{}"}}]},
        },
    ],
    "usage": None,
}
_TEXTS = {
    "model": "m-1",
    "choices": [
        {
            "text": " Men",
            "finish_reason": "length",
            "logprobs": {
                "tokens": [" Men"],
                "token_logprobs": [-0.5],
                "top_logprobs": [{" Men": -0.5, " Women": -1.5}],
            },
        }
    ],
    "usage": {"prompt_tokens": 10, "completion_tokens": 2},
}
_MESSAGES = {
    "id": "x",
    "type": "message",
    "model": "c-1",
    "content": [
        {"type": "thinking", "thinking": "so", "signature": "x"},
        {"type": "text", "text": "Men."},
        {"type": "tool_use", "name": "answer", "input": {"choice": "men"}},
    ],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 10, "cache_read_input_tokens": 0, "output_tokens": 2},
}
_ERRORS = (
    {"error": {"message": f"bad key {KEY}", "type": "invalid_request_error", "code": "x"}},
    {"error": {"message": "no", "code": 429, "param": "max_tokens", "metadata": {"raw": "{}"}}},
    {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
    {"object": "error", "message": "try again in 6ms", "code": 400},
    {"detail": [{"loc": ["body", "messages", 0], "msg": "wrong", "type": "value_error"}]},
    {"error": "model 'x' not found", "status": "NOT_FOUND"},
    [{"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "temperature: too high"}}],
)
_STREAMS = (
    'data: {"choices":[{"delta":{"content":"Men"}}]}\n\ndata: [DONE]\n\n',
    'event: error\ndata: {"error":{"message":"Overloaded"}}\n\n',
    f"<html><head><title>502 {KEY}</title></head><body>Bad gateway</body></html>",
)
_HEADERS = st.dictionaries(
    st.sampled_from(
        [
            *("retry-after", "retry-after-ms", "date", "x-ratelimit-remaining-requests"),
            *("x-ratelimit-reset-requests", "x-ratelimit-remaining-tokens", "ratelimit-reset"),
            *("x-ratelimit-reset-tokens", "anthropic-ratelimit-requests-remaining"),
            *("anthropic-ratelimit-requests-reset", "ratelimit-remaining", "x-ratelimit-reset"),
        ]
    ),
    st.one_of(
        st.sampled_from(
            [
                *("0", "-1", "1e999", "nan", "inf", "1e308", "9" * 400, "²", "٣", "1_000", "0x1"),
                *("6ms", "1m30s", "9" * 400 + "s", "1.5h", "1" * 3000, "2026-11-30T12:00:00Z"),
                *("Mon, 30 Nov 2026 12:00:00 GMT", "Mon, 30 Nov 99999 12:00:00 GMT"),
                *("Mon, 30 Nov 2026 12:00:00 +99999999999999999999", "0001-01-01T00:00:00+23:59"),
                *("Mon, 30 Nov 0000 12:00:00 -9999", "30 Nov 26 1:1", "9999-12-31T23:59:59-23:59"),
                *("1800000000", "1800000000000", "Mon", "Mon,", " ", ",", "1 Feb -1 00:00:00 GMT"),
            ]
        ),
        TEXT,
        st.text("0123456789.smhd- :+eTZ", max_size=40),
    ),
    max_size=4,
)
_BODIES = as_bytes(
    mostly(
        mutated_json(_CHAT, _PARTS, _TEXTS, _MESSAGES, *_ERRORS),
        JSON_TEXT,
        st.sampled_from(_STREAMS),
        st.lists(PIECE, max_size=20).map("".join),
    )
)
_STATUS = st.sampled_from([*(200, 201, 204, 206, 301, 302, 400, 401, 402, 403, 404, 405, 408, 409)])
_ERROR_STATUS = _STATUS | st.sampled_from([413, 422, 425, 429, 498, 500, 502, 503, 504, 524, 529])


class _Deaf:
    """A transport that carries nothing: the answers are made up."""

    place = "http://127.0.0.1:1"
    scrub = Scrubber(KEY)

    def share(self) -> _Deaf:
        return self


def _trials(count: int) -> list[PlannedTrial]:
    trials = trials_of(cells(repetitions=max(1, count)))[:count]
    for number, trial in enumerate(trials, start=1):
        trial.trial_id = trial.cell_id = number
    return trials


_CLOCK = {"agent_id": 1, "endpoint_id": 1, "started_at": 0.0, "latency_seconds": 0.1}
_PRICES = Prices(EndpointConfig(name="x", provider="openai", price=Price(input=1.0, output=2.0)))


def _check_reply(reply: Reply) -> None:
    assert reply.choices
    for choice in reply.choices:
        assert isinstance(choice.outcome, Outcome)
        for text in (choice.text, choice.reasoning, choice.finish_reason):
            assert text is None or isinstance(text, str), text
        assert choice.outcome not in (Outcome.ANSWERED, Outcome.TRUNCATED) or choice.text
        assert is_finite(choice.logprobs)
    check_count(reply.usage.input_tokens)
    check_count(reply.usage.output_tokens)
    record = answered(reply, _trials(len(reply.choices)), **_CLOCK, cost_usd=None)
    assert all(isinstance(row.logprobs, str | None) for row in record.responses)
    cost = _PRICES.cost_usd("x", reply.usage)
    assert cost is None or math.isfinite(cost)


def _check_refusal(error: EndpointError) -> None:
    check_error(error, longest=1000)
    assert KEY not in error.message
    for text in (error.message, error.code, error.hint, getattr(error, "parameter", None)):
        assert text is None or KEY not in text, text
        assert text is None or len(text) <= 1000, len(text)
    wait = error.retry_after_seconds
    assert wait is None or (math.isfinite(wait) and wait >= 0), wait
    ended_in_error(error, _trials(1), **_CLOCK)


def _outcome(adapter: type, example: tuple[int, Mapping[str, str], bytes]) -> str:
    status, headers, content = example
    read = adapter(_Deaf())._reply
    try:
        reply = read(Answer(status, headers, content), {})
    except EndpointError as error:
        _check_refusal(error)
        try:
            read(Answer(status, headers, content), {})
        except EndpointError as again:
            assert (type(again), again.message) == (type(error), error.message)
        return REFUSED
    _check_reply(reply)
    return TAKEN


for _adapter, _sound in (
    (OpenAIChat, (_CHAT, _PARTS)),
    (OpenAICompletions, (_TEXTS,)),
    (AnthropicMessages, (_MESSAGES,)),
):
    fuzzed(
        f"reply {_adapter.__name__}",
        st.tuples(
            mostly(st.just(200), _STATUS),
            _HEADERS,
            mostly(mutated_json(*_sound).map(str.encode), _BODIES),
        ),
    )(lambda example, adapter=_adapter: _outcome(adapter, example))


@fuzzed("error body", st.tuples(_ERROR_STATUS, _HEADERS, _BODIES | as_bytes(TEXT)))
def error_body(example: tuple[int, Mapping[str, str], bytes]) -> str:
    """An error of the tree, without the key, whatever the body says: none is refused."""
    status, headers, content = example
    error = classify(
        status, headers, content, place="http://127.0.0.1:1", scrub=Scrubber(KEY), now=_NOW
    )
    _check_refusal(error)
    return TAKEN


@fuzzed("rate headers", _HEADERS)
def rate_headers(headers: Mapping[str, str]) -> str:
    """Waits that end, and allowances that a store holds."""
    wait = retry_after_seconds(headers, now=_NOW)
    assert wait is None or (math.isfinite(wait) and wait >= 0), wait
    hints = rate_hints(headers, now=_NOW)
    if hints is None:
        return REFUSED if wait is None else TAKEN
    for left in (hints.remaining_requests, hints.remaining_tokens):
        assert left is None or isinstance(left, int)
        assert left is None or abs(left) < 2**63, left
    reset = hints.reset_seconds
    assert reset is None or (math.isfinite(reset) and reset >= 0), reset
    return TAKEN


@fuzzed("scrubber", st.tuples(ANY_TEXT | PIECE, ANY_TEXT | PIECE, ANY_TEXT))
def scrubber(example: tuple[str, str, str]) -> str:
    """A secret is in no text afterwards, however it is spelt there."""
    before, after, odd = example
    secret = f"{odd}planted{odd}/+ü"
    for spelling in (secret, json.dumps(secret)[1:-1]):
        said = Scrubber(secret)(f"{before} {spelling} {after}")
        assert "planted" not in said.replace(before, "").replace(after, ""), (spelling, said)
    return TAKEN
