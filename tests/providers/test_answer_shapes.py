"""Odd but real shapes of answers, and shapes that nobody can read."""

import json

import pytest

from auditor.errors import TransientError
from auditor.providers.openai_chat import is_strict
from auditor.providers.openai_completions import chat_logprobs
from auditor.providers.outcomes import outcome_of, text_and_reasoning
from auditor.types import Outcome
from tests.mock_server import Quirk, Raw


@pytest.mark.parametrize(
    ("text", "finish", "refused", "outcome"),
    [
        ("Men", "stop", False, Outcome.ANSWERED),
        ("Men", None, False, Outcome.ANSWERED),
        ("Men", "length", False, Outcome.TRUNCATED),
        ("Men", "max_tokens", False, Outcome.TRUNCATED),
        ("Men", "model_context_window_exceeded", False, Outcome.TRUNCATED),
        (None, "length", False, Outcome.EMPTY),
        ("", "stop", False, Outcome.EMPTY),
        ("No.", "stop", True, Outcome.REFUSED),
        (None, "refusal", False, Outcome.REFUSED),
        ("Me", "content_filter", False, Outcome.FILTERED),
        (None, "content_filter: PROHIBITED_CONTENT", False, Outcome.FILTERED),
        (None, "SAFETY", False, Outcome.FILTERED),
    ],
)
def test_outcome_follows_from_text_and_finish_reason(text, finish, refused, outcome):
    assert outcome_of(text, finish, is_refused=refused) is outcome


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (None, (None, None, None)),
        ("", (None, None, None)),
        ("Men", ("Men", None, None)),
        ([], (None, None, None)),
        (["Me", "n"], ("Men", None, None)),
        ([{"text": "Men"}], ("Men", None, None)),
        ([{"type": "output_text", "text": "Men"}], ("Men", None, None)),
        ([{"type": "refusal", "refusal": "No."}], (None, None, "No.")),
        (
            [{"type": "reasoning", "text": "hm"}, {"type": "text", "text": "Men"}],
            ("Men", "hm", None),
        ),
        ([{"type": "image_url", "image_url": {}}], (None, None, None)),
        ({"type": "text", "text": "Men"}, ("Men", None, None)),
    ],
)
def test_content_may_be_null_text_or_parts(content, expected):
    assert text_and_reasoning(content) == expected


@pytest.mark.parametrize(
    "payload",
    [
        {"choices": 3},
        {"choices": ["text"]},
        {"choices": [{"message": "text"}]},
        {"choices": [{"message": {"content": 3}}]},
        {"choices": []},
        {},
        "text",
        None,
        [],
    ],
    ids=str,
)
async def test_shape_that_nobody_knows_is_transient_and_maybe_billed(chat, ask, payload):
    raw = Raw(status=200, content=json.dumps(payload).encode())
    with pytest.raises(TransientError) as caught:
        await ask(chat, profile=Quirk(respond=lambda body, wire: raw))
    assert caught.value.unknown
    assert caught.value.status == 200


@pytest.mark.parametrize("payload", [{"content": 3}, {"content": [3]}, {"content": None}], ids=str)
async def test_message_of_an_unknown_shape_is_transient(claude, ask, payload):
    raw = Raw(status=200, content=json.dumps(payload).encode())
    with pytest.raises(TransientError) as caught:
        await ask(claude, profile=Quirk(respond=lambda body, wire: raw))
    assert caught.value.unknown


async def test_deeply_nested_json_is_transient(chat, ask):
    raw = Raw(status=200, content=b"[" * 100_000)
    with pytest.raises(TransientError):
        await ask(chat, profile=Quirk(respond=lambda body, wire: raw))


async def test_byte_order_mark_is_skipped(chat, ask):
    payload = {"choices": [{"message": {"content": "Men"}, "finish_reason": "stop"}]}
    raw = Raw(status=200, content=b"\xef\xbb\xbf" + json.dumps(payload).encode())
    reply = await ask(chat, profile=Quirk(respond=lambda body, wire: raw))
    assert reply.choices[0].text == "Men"


async def test_choice_with_an_error_of_its_own_is_left_out(chat, ask):
    def second_fails(payload, body):
        payload["choices"][1]["finish_reason"] = "error"
        return payload

    reply = await ask(chat, profile=Quirk(change=second_fails), choices=2, request_id="a.1,b.1")
    assert len(reply.choices) == 1


def test_legacy_logprobs_in_chat_form():
    legacy = {
        "tokens": [" Men", "."],
        "token_logprobs": [-0.5, None],
        "top_logprobs": [{" Men": -0.5, " Women": -1.0}, None],
    }
    assert chat_logprobs(legacy) == {
        "content": [
            {
                "token": " Men",
                "logprob": -0.5,
                "top_logprobs": [
                    {"token": " Men", "logprob": -0.5},
                    {"token": " Women", "logprob": -1.0},
                ],
            },
            {"token": ".", "logprob": None, "top_logprobs": []},
        ]
    }


@pytest.mark.parametrize("logprobs", [None, {}])
def test_no_legacy_logprobs_are_none(logprobs):
    assert chat_logprobs(logprobs) is None


CLOSED = {
    "type": "object",
    "properties": {"a": {"type": "string"}},
    "required": ["a"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (CLOSED, True),
        ({**CLOSED, "required": []}, False),
        ({**CLOSED, "additionalProperties": True}, False),
        ({"type": "array", "items": CLOSED}, True),
        ({"type": "array", "items": {"type": "object"}}, False),
        ({"anyOf": [CLOSED, {"type": "null"}]}, True),
        ({**CLOSED, "$defs": {"b": {"type": "object", "properties": {}}}}, False),
    ],
)
def test_strict_mode_is_asked_for_where_a_schema_allows_it(schema, expected):
    assert is_strict(schema) is expected
