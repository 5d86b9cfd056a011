"""What probing finds out about servers of each kind."""

import pytest

from auditor.errors import AuthError, UnknownModelError
from auditor.providers import Capabilities, open_provider
from auditor.providers.probes import MOST_CALLS, probe
from auditor.types import EndpointConfig
from tests.mock_server import MockServer, Quirk, openai_error


async def report(profile="plain", *, wire="openai", api="chat", outdated=None, **options):
    async with MockServer(profile=profile, **options.pop("server", {})) as server:
        config = EndpointConfig(
            name="mock",
            provider="anthropic" if wire == "anthropic" else "openai",
            base_url=server.anthropic_url if wire == "anthropic" else server.openai_url,
        )
        provider = open_provider(config, api=api, api_key="k-123456", profile=outdated)

        async def send(request):
            return await provider.send(request, timeout_seconds=60)

        try:
            found = await probe(send, model="mock", wire=wire, api=api, **options)
        finally:
            await provider.close()
        assert found.calls == sum(server.statuses.values())
        assert found.calls <= MOST_CALLS
        return found


async def test_plain_server_takes_everything():
    found = await report()
    assert found.capabilities == Capabilities(
        token_parameter="max_tokens",
        one_token_answer=True,
        temperature=True,
        logprobs=True,
        top_logprobs=5,
        choices=True,
        seed=True,
        schema="native",
        reasoning=False,
    )
    assert (found.calls, found.model) == (5, "mock")


async def test_outdated_profile_does_not_answer_in_place_of_the_model():
    wrong = Capabilities(
        token_parameter="max_completion_tokens",
        temperature=False,
        logprobs=False,
        seed=False,
        choices=False,
        schema="none",
    )
    assert (await report(outdated=wrong)).capabilities == (await report()).capabilities


async def test_reasoning_model():
    known = (await report("reasoning")).capabilities
    assert known.token_parameter == "max_completion_tokens"
    assert (known.reasoning, known.one_token_answer) == (True, False)
    assert (known.temperature, known.logprobs, known.schema) == (False, False, "native")


async def test_server_that_drops_fields_silently():
    known = (await report("ollama-drops")).capabilities
    assert (known.logprobs, known.choices) == (False, False)


async def test_logprobs_that_are_all_zero_do_not_count():
    found = await report("llamacpp-zero-logprobs")
    assert found.capabilities.logprobs is False
    assert any("zero" in finding.answer for finding in found.findings)


async def test_number_of_alternatives_is_what_came():
    known = (await report("vllm-top-logprobs")).capabilities
    assert (known.logprobs, known.top_logprobs) == (True, 0)


async def test_refused_seed_leaves_temperature_unknown():
    known = (await report("gemini-unknown-field")).capabilities
    assert (known.seed, known.temperature, known.logprobs) == (False, None, False)


async def test_schema_falls_back_to_json_object():
    def no_schema(body, wire):
        if (body.get("response_format") or {}).get("type") == "json_schema":
            return openai_error(400, "json_schema is not supported", param="response_format")
        return None

    known = (await report(Quirk(respond=no_schema))).capabilities
    assert known.schema == "json_object"


async def test_schema_refused_in_every_way_is_none():
    def no_format(body, wire):
        if "response_format" in body:
            return openai_error(400, "response_format is not supported", param="response_format")
        return None

    known = (await report(Quirk(respond=no_format))).capabilities
    assert known.schema == "none"


async def test_anthropic_is_asked_what_its_format_has():
    found = await report(wire="anthropic")
    assert found.capabilities == Capabilities(
        token_parameter="max_tokens",
        one_token_answer=True,
        temperature=True,
        schema="native",
        reasoning=False,
    )
    assert found.calls == 3


async def test_anthropic_model_without_temperature():
    known = (await report("anthropic-no-temperature", wire="anthropic")).capabilities
    assert known.temperature is False


async def test_completions_are_not_asked_for_a_schema():
    known = (await report(api="completions")).capabilities
    assert known.schema is None
    assert (known.logprobs, known.choices) == (True, True)


async def test_extra_body_goes_with_every_question():
    found = await report("dashscope-thinking", extra_body={"enable_thinking": False})
    assert found.capabilities.schema == "native"


async def test_first_name_of_the_cap_can_be_chosen():
    found = await report("reasoning", token_parameter="max_completion_tokens")
    assert found.capabilities.token_parameter == "max_completion_tokens"
    assert found.calls == 5


async def test_errors_about_anything_but_the_question_are_raised():
    with pytest.raises(UnknownModelError):
        await report("unknown-model")
    with pytest.raises(AuthError):
        await report(server={"key": "k-another"})


def test_profile_survives_json():
    known = Capabilities(temperature=False, top_logprobs=5, schema="tool")
    assert known.as_json() == {"temperature": False, "top_logprobs": 5, "schema": "tool"}
    assert Capabilities.from_json({**known.as_json(), "later": 1}) == known


def test_unknown_forbids_nothing(a_request):
    request = a_request(params={"temperature": 0, "logprobs": True, "seed": 1}, choices=3)
    assert Capabilities().refused_parameter(request) is None
