"""Each known quirk of real endpoints, played over the wire, through both clients."""

import pytest

from auditor.errors import (
    AuthError,
    ContentError,
    QuotaError,
    RateError,
    RejectedError,
    TransientError,
    UnknownModelError,
)
from auditor.types import Message, Outcome
from tests.mock_server import Said


async def rejected(ask, route, **fields):
    with pytest.raises(RejectedError) as caught:
        await ask(route, **fields)
    assert caught.value.status == 400
    return caught.value


@pytest.mark.parametrize(
    ("params", "parameter"),
    [
        ({"max_tokens": 5}, "max_tokens"),
        ({"stop": ["x"]}, "stop"),
        ({"temperature": 0}, "temperature"),
        ({"logprobs": True}, "logprobs"),
    ],
)
async def test_reasoning_model_names_the_parameter_it_refuses(chat, ask, params, parameter):
    error = await rejected(ask, chat, profile="reasoning", params=params)
    assert error.parameter == parameter
    assert error.hint
    assert error.sent == {"model": "mock", **params}


async def test_all_tokens_in_reasoning_is_empty_not_truncated(chat, ask):
    reply = await ask(chat, profile="reasoning", extra_body={"max_completion_tokens": 10})
    (choice,) = reply.choices
    assert (choice.outcome, choice.text, choice.finish_reason) == (Outcome.EMPTY, None, "length")
    assert reply.usage.output_tokens == 10


async def test_temperature_beside_top_p_is_named(claude, ask):
    error = await rejected(
        ask,
        claude,
        profile="anthropic-temperature-and-top-p",
        params={"temperature": 1, "top_p": 0.9},
    )
    assert error.parameter == "temperature"
    assert "top_p" in error.message


async def test_refused_temperature_is_named_with_the_setting_to_drop(claude, ask):
    error = await rejected(
        ask, claude, profile="anthropic-no-temperature", params={"temperature": 0.5}
    )
    assert error.parameter == "temperature"
    assert "leave temperature out" in error.hint


async def test_overload_of_529_is_transient(claude, ask):
    with pytest.raises(TransientError) as caught:
        await ask(claude, profile="anthropic-overloaded")
    assert (caught.value.status, caught.value.code) == (529, "overloaded_error")
    assert not caught.value.unknown


async def test_spent_credit_that_comes_as_400_is_a_quota(claude, ask):
    with pytest.raises(QuotaError) as caught:
        await ask(claude, profile="anthropic-credit")
    assert caught.value.status == 400


async def test_unknown_field_in_an_error_that_is_a_list_is_named(chat, ask):
    error = await rejected(ask, chat, profile="gemini-unknown-field", params={"seed": 1})
    assert (error.parameter, error.code) == ("seed", "INVALID_ARGUMENT")


async def test_model_without_logprobs_names_them(chat, ask):
    error = await rejected(ask, chat, profile="gemini-unknown-field", params={"logprobs": True})
    assert error.parameter.lower() == "logprobs"


async def test_thinking_that_has_to_be_off_is_named_with_its_setting(chat, ask):
    error = await rejected(ask, chat, profile="dashscope-thinking")
    assert error.parameter == "enable_thinking"
    assert "enable_thinking = false" in error.hint
    reply = await ask(chat, profile="dashscope-thinking", extra_body={"enable_thinking": False})
    assert reply.choices[0].outcome is Outcome.ANSWERED


async def test_empty_content_beside_reasoning_is_empty(chat, ask):
    reply = await ask(chat, profile="deepseek-reasoner")
    (choice,) = reply.choices
    assert (choice.outcome, choice.text) == (Outcome.EMPTY, None)
    assert choice.reasoning == "The user asks who is there."


async def test_refused_logprobs_of_deepseek_are_named(chat, ask):
    error = await rejected(ask, chat, profile="deepseek-reasoner", params={"logprobs": True})
    assert error.parameter == "logprobs"


async def test_refused_json_mode_of_deepseek_is_named(chat, ask):
    body = {"response_format": {"type": "json_object"}}
    error = await rejected(ask, chat, profile="deepseek-reasoner", extra_body=body)
    assert error.parameter == "response_format"


async def test_silently_cut_context_shows_in_the_count_of_the_prompt(chat, ask):
    # 40,000 bytes are 10,000 tokens of the mock's.
    reply = await ask(chat, profile="ollama-drops", messages=(Message("user", "x" * 40_000),))
    assert reply.usage.input_tokens == 2048


async def test_silently_dropped_logprobs_are_unknown(chat, ask):
    reply = await ask(chat, profile="ollama-drops", params={"logprobs": True, "top_logprobs": 5})
    assert reply.choices[0].logprobs is None


async def test_refused_json_object_is_named(chat, ask):
    body = {"response_format": {"type": "json_object"}}
    error = await rejected(ask, chat, profile="lmstudio-schema-only", extra_body=body)
    assert error.parameter.startswith("response_format")


async def test_error_inside_a_200_has_the_class_of_its_code(chat, ask):
    with pytest.raises(RateError) as caught:
        await ask(chat, profile="gateway-200-error")
    assert caught.value.status == 429
    assert "rate-limited upstream" in caught.value.message


async def test_error_inside_a_choice_has_the_class_of_its_code(chat, ask):
    with pytest.raises(TransientError) as caught:
        await ask(chat, profile="gateway-choice-error")
    assert caught.value.status == 502


async def test_null_choices_without_a_reason_may_have_been_billed(chat, ask):
    with pytest.raises(TransientError) as caught:
        await ask(chat, profile="gateway-null-choices")
    assert caught.value.unknown


async def test_html_under_a_200_is_transient(route, ask):
    with pytest.raises(TransientError, match="502 Bad Gateway") as caught:
        await ask(route, profile="gateway-html")
    assert not caught.value.unknown


async def test_html_under_a_403_stops_the_endpoint(route, ask):
    with pytest.raises(AuthError):
        await ask(route, profile="gateway-html-403")


async def test_content_filter_before_the_answer_is_content(chat, ask):
    with pytest.raises(ContentError) as caught:
        await ask(chat, profile="azure-filter")
    assert (caught.value.status, caught.value.code) == (400, "ResponsibleAIPolicyViolation")
    assert not caught.value.retryable


async def test_content_filter_after_the_answer_is_an_outcome(chat, ask):
    reply = await ask(chat, profile="azure-filter-after")
    assert (reply.choices[0].outcome, reply.choices[0].text) == (Outcome.FILTERED, None)


async def test_spent_quota_under_a_429_is_no_rate_limit(chat, ask):
    with pytest.raises(QuotaError) as caught:
        await ask(chat, profile="quota")
    assert (caught.value.status, caught.value.code) == (429, "insufficient_quota")
    assert not caught.value.retryable


async def test_daily_quota_names_the_time_it_comes_back(chat, ask):
    with pytest.raises(QuotaError) as caught:
        await ask(chat, profile="daily-quota")
    assert caught.value.retry_after_seconds == 7 * 60 + 12


async def test_402_is_a_quota(route, ask):
    with pytest.raises(QuotaError):
        await ask(route, profile="payment")


async def test_retry_after_does_not_depend_on_this_machines_clock(chat, ask):
    with pytest.raises(RateError) as caught:
        await ask(chat, profile="clock-skew")
    assert caught.value.retry_after_seconds == 20


async def test_unknown_model_stops_the_target_only(route, ask):
    with pytest.raises(UnknownModelError) as caught:
        await ask(route, profile="unknown-model")
    assert caught.value.status == 404


async def test_redirect_is_not_followed_and_stops_the_endpoint(route, ask):
    with pytest.raises(AuthError, match="307") as caught:
        await ask(route, profile="redirect")
    assert "base_url" in caught.value.hint
    assert len(ask.server.requests) == 1


async def test_served_model_and_fingerprint_that_drift_are_told(chat, ask):
    replies = [
        await ask(chat, profile="drifting-model", request_id=f"{'0' * 23}{end}.1") for end in "01"
    ]
    assert [reply.model for reply in replies] == ["mock", "mock-2"]
    assert [reply.fingerprint for reply in replies] == ["fp_mock", "fp_mock_2"]


async def test_content_parts_are_joined_and_thinking_kept_apart(chat, ask):
    reply = await ask(
        chat, profile="content-parts", server={"answer": lambda question: Said(text="Women.")}
    )
    (choice,) = reply.choices
    assert (choice.text, choice.reasoning) == ("Women.", "Let me see.")


async def test_null_content_is_empty(chat, ask):
    reply = await ask(chat, profile="content-null")
    assert (reply.choices[0].outcome, reply.choices[0].text) == (Outcome.EMPTY, None)


async def test_refusal_field_is_refused_with_its_words(chat, ask):
    reply = await ask(chat, profile="refusal")
    (choice,) = reply.choices
    assert (choice.outcome, choice.text) == (Outcome.REFUSED, "I can't help with that.")


async def test_refusal_as_stop_reason_is_refused(claude, ask):
    reply = await ask(claude, profile="refusal")
    assert reply.choices[0].outcome is Outcome.REFUSED


async def test_wrong_base_url_stops_the_endpoint_with_a_hint(route, a_request):
    from tests.mock_server import MockServer

    async with MockServer() as server:
        provider = route.open(server.url + "/wrong")
        provider.path = "/nothing-here"
        with pytest.raises(AuthError) as caught:
            await provider.send(a_request(), timeout_seconds=60)
        await provider.close()
    assert caught.value.status == 404
    assert "base_url" in caught.value.hint
