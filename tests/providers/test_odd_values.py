"""Single fields of an answer that hold what they should not: the answer counts, the field does not.

An answer has been paid for: a field beside it that cannot be read is unknown, no more.
"""

import json

import pytest

from auditor.canonical import canonical_json
from auditor.errors import EndpointError, TransientError
from auditor.providers.fields import count_of, object_of, text_of
from auditor.types import Outcome, Usage
from tests.mock_server import Quirk, Raw, raw_json


def changed(change):
    def apply(payload, body):
        change(payload)
        return payload

    return Quirk(change=apply)


def in_choice(**fields):
    return changed(lambda payload: payload["choices"][0].update(fields))


def in_message(**fields):
    return changed(lambda payload: payload["choices"][0]["message"].update(fields))


@pytest.mark.parametrize("value", ["5", -5, 5.5, True, 10**30, 1e300, {}, [], "many", None])
def test_what_is_no_count_is_unknown(value):
    assert count_of(value) is None


@pytest.mark.parametrize(("value", "count"), [(0, 0), (7, 7), (7.0, 7), (2**53 - 1, 2**53 - 1)])
def test_whole_number_from_nought_is_a_count(value, count):
    assert count_of(value) == count


@pytest.mark.parametrize("value", [0, 7, True, "", [], {}, ["stop"], None])
def test_what_is_no_text_is_unknown(value):
    assert text_of(value) is None


@pytest.mark.parametrize("value", [0, "x", [1], True, None])
def test_what_is_no_object_is_empty(value):
    assert object_of(value) == {}


@pytest.mark.parametrize("usage", ["none", [1], {"prompt_tokens": "5", "input_tokens": "5"}])
async def test_usage_of_another_kind_is_unknown(route, ask, usage):
    reply = await ask(route, profile=changed(lambda payload: payload.update(usage=usage)))
    assert reply.choices[0].outcome is Outcome.ANSWERED
    assert reply.usage == Usage()


@pytest.mark.parametrize("odd", [{}, 7], ids=repr)
async def test_finish_reason_of_another_kind_is_unknown(route, ask, odd):
    def change(payload):
        if "choices" in payload:
            payload["choices"][0]["finish_reason"] = odd
        payload["stop_reason"] = odd

    reply = await ask(route, profile=changed(change))
    (choice,) = reply.choices
    assert (choice.outcome, choice.finish_reason) == (Outcome.ANSWERED, None)


@pytest.mark.parametrize(
    ("fields", "reasoning"),
    [
        ({"reasoning_content": {"a": 1}}, None),
        ({"reasoning": 5}, None),
        ({"reasoning": ["Let me", " see."]}, "Let me see."),
        ({"reasoning_content": "", "reasoning": "Hm."}, "Hm."),
    ],
)
async def test_reasoning_of_another_kind_is_unknown(chat, ask, fields, reasoning):
    reply = await ask(chat, profile=in_message(**fields))
    (choice,) = reply.choices
    assert (choice.outcome, choice.reasoning) == (Outcome.ANSWERED, reasoning)


@pytest.mark.parametrize("odd", [True, {"reason": "no"}, ["no"]], ids=repr)
async def test_refusal_without_words_is_a_refusal(chat, ask, odd):
    reply = await ask(chat, profile=in_message(refusal=odd, content=None))
    (choice,) = reply.choices
    assert (choice.outcome, choice.text) == (Outcome.REFUSED, None)


@pytest.mark.parametrize("odd", ["x", [1]], ids=repr)
async def test_logprobs_of_another_kind_are_unknown(route, ask, odd):
    if route.wire == "anthropic":
        pytest.skip("no log-probabilities in this format")
    reply = await ask(route, profile=in_choice(logprobs=odd))
    assert (reply.choices[0].outcome, reply.choices[0].logprobs) == (Outcome.ANSWERED, None)


async def test_arguments_of_a_tool_that_are_an_object_are_its_json(chat, ask):
    call = {"function": {"name": "answer", "arguments": {"x": 3}}}
    reply = await ask(chat, profile=in_message(content=None, tool_calls=[call]))
    assert reply.choices[0].text == '{"x": 3}'


async def test_tool_without_arguments_has_no_text(chat, ask):
    call = {"function": {"name": "answer", "arguments": None}}
    reply = await ask(chat, profile=in_message(content=None, tool_calls=[call]))
    assert (reply.choices[0].outcome, reply.choices[0].text) == (Outcome.EMPTY, None)


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "Infinity"])
async def test_number_beyond_all_floats_is_unknown(chat, ask, number):
    answer = {
        "choices": [
            {
                "message": {"content": "Men"},
                "finish_reason": "stop",
                "logprobs": {"content": [{"token": "Men", "logprob": 0.5}]},
            }
        ],
        "usage": {"prompt_tokens": 0.5, "completion_tokens": 1},
    }
    raw = Raw(status=200, content=json.dumps(answer).replace("0.5", number).encode())
    reply = await ask(chat, profile=Quirk(respond=lambda body, wire: raw))
    (choice,) = reply.choices
    assert choice.logprobs == {"content": [{"token": "Men", "logprob": None}]}
    assert reply.usage == Usage(input_tokens=None, output_tokens=1)
    # What is stored of it is JSON.
    assert canonical_json(choice.logprobs)


def nested(levels):
    return '{"a":' * levels + "1" + "}" * levels


@pytest.mark.parametrize("levels", [200, 900, 5000])
async def test_answer_nested_without_end_is_no_answer(chat, ask, levels):
    answer = '{"choices": [{"message": {"content": "Men"}, "logprobs": ' + nested(levels) + "}]}"
    raw = Raw(status=200, content=answer.encode())
    with pytest.raises(TransientError) as caught:
        await ask(chat, profile=Quirk(respond=lambda body, wire: raw))
    assert caught.value.unknown


@pytest.mark.parametrize("status", [200, 400, 500])
@pytest.mark.parametrize("levels", [200, 900, 5000])
async def test_error_nested_without_end_is_an_error(chat, ask, status, levels):
    raw = Raw(status=status, content=('{"error": ' + nested(levels) + "}").encode())
    with pytest.raises(EndpointError):
        await ask(chat, profile=Quirk(respond=lambda body, wire: raw))


@pytest.mark.parametrize("code", ["²", "٤٢٩", 4.29, [429], {"a": 1}, True], ids=repr)
async def test_code_of_an_error_may_be_anything(chat, ask, code):
    raw = raw_json(500, {"error": {"message": "no", "code": code}})
    with pytest.raises(TransientError):
        await ask(chat, profile=Quirk(respond=lambda body, wire: raw))
