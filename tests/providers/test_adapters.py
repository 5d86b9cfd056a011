"""What every adapter does with an ordinary answer, through both clients."""

import warnings

import pytest

from auditor.errors import RejectedError
from auditor.providers import Capabilities, open_provider
from auditor.types import EndpointConfig, Message, Outcome, Usage
from tests.mock_server import MockServer, Quirk, Said, raw_json

TRIAL = "0123456789abcdef0123456789abcdef"


def says(text, **fields):
    return {"answer": lambda question: Said(text=text, **fields)}


async def test_reply_holds_text_outcome_usage_and_served_model(route, ask):
    reply = await ask(route, server=says("Men."))
    (choice,) = reply.choices
    assert (choice.text, choice.outcome) == ("Men.", Outcome.ANSWERED)
    # The mock bills four bytes a token: the prompt has 36.
    assert reply.usage == Usage(input_tokens=9, output_tokens=1)
    assert (reply.model, reply.status) == ("mock", 200)


async def test_body_is_exactly_what_was_asked_for(route, ask, a_request):
    messages = (Message("system", "Be brief."), Message("user", "Men or women?"))
    params = {"temperature": 0.7, "top_p": 0.9, "max_tokens": 5, "stop": ["\n"]}
    reply = await ask(
        route, messages=messages, params=params, extra_body={"enable_thinking": False}
    )
    turns = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Men or women?"},
    ]
    prompt = {
        "openai": {"messages": turns},
        "completions": {"prompt": "Be brief.\n\nMen or women?"},
        "anthropic": {"system": "Be brief.", "messages": turns[1:]},
    }[route.wire]
    stop = "stop_sequences" if route.wire == "anthropic" else "stop"
    rest = {"model": "mock", "temperature": 0.7, "top_p": 0.9, "max_tokens": 5, stop: ["\n"]}
    rest["enable_thinking"] = False
    assert ask.server.last_body == {**rest, **prompt}
    assert reply.sent == rest


async def test_parameter_of_none_is_not_sent(route, ask):
    await ask(route, params={"temperature": None, "max_tokens": 3})
    assert "temperature" not in ask.server.last_body


async def test_extra_body_overrides_at_the_top_level(route, ask):
    await ask(route, params={"temperature": 1.0}, extra_body={"temperature": 0.2})
    assert ask.server.last_body["temperature"] == 0.2


async def test_request_id_travels_in_the_header(route, ask):
    await ask(route, request_id=f"{TRIAL}.3")
    assert ask.server.requests[-1].headers["X-Client-Request-Id"] == f"{TRIAL}.3"
    assert ask.server.attempts == {f"{TRIAL}.3": 1}


async def test_key_travels_in_one_header_and_never_in_the_url(route, ask):
    await ask(route, server={"key": "sk-planted-7Qx93kfLw0Zt"})
    assert "sk-planted" not in ask.server.requests[-1].path


async def test_only_content_type_json_is_sent(route, ask):
    await ask(route)
    assert ask.server.requests[-1].headers["Content-Type"] == "application/json"


async def test_cut_answer_is_truncated(route, ask):
    reply = await ask(route, params={"max_tokens": 2}, server=says("one two three"))
    assert (reply.choices[0].outcome, reply.choices[0].text) == (Outcome.TRUNCATED, "one two")
    assert reply.usage.output_tokens == 2


@pytest.mark.parametrize("text", ["", None], ids=["empty", "null"])
async def test_answer_without_text_is_empty_and_its_text_unknown(route, ask, text):
    reply = await ask(route, server=says(text))
    assert (reply.choices[0].outcome, reply.choices[0].text) == (Outcome.EMPTY, None)


async def test_white_space_is_empty_but_kept(route, ask):
    reply = await ask(route, server=says(" \n"))
    assert (reply.choices[0].outcome, reply.choices[0].text) == (Outcome.EMPTY, " \n")


async def test_lone_surrogates_nul_and_marks_come_as_they_are(route, ask):
    text = "a\ud800b\x00c\u202ed"
    reply = await ask(route, server=says(text), messages=(Message("user", f"say {text}"),))
    assert reply.choices[0].text == text
    assert text in str(
        ask.server.last_body.get("prompt") or ask.server.last_body["messages"][0]["content"]
    )


async def test_prompt_of_more_than_a_megabyte_is_sent_whole(route, ask):
    prompt = "x" * (2**20 + 10)
    with warnings.catch_warnings():
        if route.client == "sdk":
            # The vendors' clients hand large bodies over in a way that aiohttp warns about.
            warnings.simplefilter("ignore", ResourceWarning)
        reply = await ask(route, messages=(Message("user", prompt),), server=says("Men"))
    assert reply.usage.input_tokens == (len(prompt) + 3) // 4


async def test_missing_usage_is_unknown(chat, ask):
    reply = await ask(chat, profile="no-usage")
    assert reply.usage == Usage(input_tokens=None, output_tokens=None)


async def test_n_choices_belong_to_their_trials(chat, ask, a_request):
    ids = f"{'a' * 32}.1,{'b' * 32}.1,{'c' * 32}.1"
    answer = {"answer": lambda question: Said(text=question.trial[0])}
    reply = await ask(chat, request_id=ids, choices=3, server=answer)
    assert [choice.text for choice in reply.choices] == ["a", "b", "c"]
    assert ask.server.last_body["n"] == 3


async def test_request_id_longer_than_openai_allows_is_cut_between_ids(chat, ask):
    ids = ",".join(f"{index:032x}.1" for index in range(20))
    await ask(chat, request_id=ids, choices=20)
    header = ask.server.requests[-1].headers["X-Client-Request-Id"]
    assert len(header) <= 512
    assert header == ",".join(f"{index:032x}.1" for index in range(14))


async def test_logprobs_of_both_openai_formats_have_one_form(route, ask):
    if route.wire == "anthropic":
        pytest.skip("no log-probabilities in this format")
    chances = {"Men": 0.5, "Women": 0.25}
    reply = await ask(
        route,
        params={"logprobs": True, "top_logprobs": 2, "max_tokens": 1},
        server=says("Men", chances=chances),
    )
    first = reply.choices[0].logprobs["content"][0]
    assert first["token"] == "Men"
    tops = {top["token"]: top["logprob"] for top in first["top_logprobs"]}
    # Natural logs of one half and one quarter.
    assert tops == pytest.approx({"Men": -0.6931471805599453, "Women": -1.3862943611198906})


async def test_infinite_logprob_is_unknown_not_a_number(chat, ask):
    def to_infinity(payload, body):
        payload["choices"][0]["logprobs"]["content"][0]["logprob"] = float("-inf")
        return payload

    reply = await ask(chat, profile=Quirk(change=to_infinity), params={"logprobs": True})
    assert reply.choices[0].logprobs["content"][0]["logprob"] is None


async def test_fewer_choices_than_asked_for_are_given_as_they_came(chat, ask):
    reply = await ask(chat, profile="ollama-drops", choices=2, request_id="a.1,b.1")
    assert len(reply.choices) == 1


async def test_reasoning_is_kept_apart(route, ask):
    if route.wire == "completions":
        pytest.skip("no thinking in this format")
    reply = await ask(route, server=says("Men.", reasoning="Kitchens, hm."))
    assert (reply.choices[0].text, reply.choices[0].reasoning) == ("Men.", "Kitchens, hm.")


async def test_schema_is_asked_for_natively_where_nothing_is_known(route, ask):
    schema = {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]}
    if route.wire == "completions":
        with pytest.raises(RejectedError) as caught:
            await ask(route, schema=schema)
        assert caught.value.parameter == "schema"
        return
    reply = await ask(route, schema=schema)
    body = ask.server.last_body
    if route.wire == "anthropic":
        assert body["output_config"] == {"format": {"type": "json_schema", "schema": schema}}
    else:
        wanted = {"name": "answer", "schema": schema, "strict": False}
        assert body["response_format"] == {"type": "json_schema", "json_schema": wanted}
    assert reply.choices[0].text == '{"x": "drawn"}'


async def test_schema_as_a_tool_comes_back_as_text(route, ask):
    if route.wire == "completions":
        pytest.skip("no tools in this format")
    schema = {"type": "object", "properties": {"x": {"const": 3}}}
    reply = await ask(route, schema=schema, known=Capabilities(schema="tool"))
    assert (reply.choices[0].text, reply.choices[0].outcome) == ('{"x": 3}', Outcome.ANSWERED)


async def test_known_token_parameter_is_obeyed(chat, ask):
    known = Capabilities(token_parameter="max_completion_tokens")
    reply = await ask(chat, known=known, params={"max_tokens": 7})
    assert reply.sent == {"model": "mock", "max_completion_tokens": 7}


@pytest.mark.parametrize(
    ("known", "fields", "parameter"),
    [
        (Capabilities(temperature=False), {"params": {"temperature": 0}}, "temperature"),
        (Capabilities(logprobs=False), {"params": {"logprobs": True}}, "logprobs"),
        (Capabilities(seed=False), {"params": {"seed": 1}}, "seed"),
        (Capabilities(choices=False), {"choices": 2}, "choices"),
    ],
)
async def test_what_a_model_is_known_to_refuse_is_refused_before_sending(
    chat, ask, known, fields, parameter
):
    with pytest.raises(RejectedError) as caught:
        await ask(chat, known=known, **fields)
    assert caught.value.parameter == parameter
    assert not ask.server.requests


async def test_a_model_without_temperature_is_asked_for_its_own_by_leaving_it_out(chat, ask):
    await ask(chat, known=Capabilities(temperature=False), params={"temperature": 1.0})
    assert "temperature" not in ask.server.last_body


@pytest.mark.parametrize("name", ["top_k", "min_p"])
async def test_parameter_outside_the_format_is_an_error_not_dropped(chat, ask, name):
    with pytest.raises(RejectedError) as caught:
        await ask(chat, params={name: 1})
    assert caught.value.parameter == name
    assert "extra_body" in caught.value.hint


@pytest.mark.parametrize(
    ("fields", "parameter"),
    [
        ({"params": {"seed": 1}}, "seed"),
        ({"params": {"logprobs": True}}, "logprobs"),
        ({"params": {"presence_penalty": 0.5}}, "presence_penalty"),
        ({"choices": 2}, "choices"),
        ({"messages": (Message("user", "a"), Message("system", "b"))}, "messages"),
    ],
)
async def test_what_messages_cannot_express_is_an_error(claude, ask, fields, parameter):
    with pytest.raises(RejectedError) as caught:
        await ask(claude, **fields)
    assert caught.value.parameter == parameter
    assert caught.value.status is None
    assert not ask.server.requests


async def test_messages_send_a_cap_where_none_is_set_and_one_stop_as_a_list(claude, ask):
    reply = await ask(claude, params={"stop": "END", "top_k": 5, "logprobs": False})
    rest = {"model": "mock", "max_tokens": 4096, "stop_sequences": ["END"], "top_k": 5}
    assert reply.sent == rest


async def test_cache_tokens_count_as_input(claude, ask):
    def cached(payload, body):
        payload["usage"] = {
            "input_tokens": 3,
            "cache_creation_input_tokens": 4,
            "cache_read_input_tokens": 5,
            "output_tokens": 2,
        }
        return payload

    reply = await ask(claude, profile=Quirk(change=cached))
    assert reply.usage == Usage(input_tokens=12, output_tokens=2)


async def test_value_that_is_no_json_is_an_error_before_sending(route, ask):
    with pytest.raises(RejectedError, match="JSON"):
        await ask(route, params={"temperature": float("nan")})
    assert not ask.server.requests


async def test_rate_hints_of_the_headers_are_in_the_reply(route, ask):
    headers = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6ms"}

    def with_headers(body, wire):
        payload = {
            "content": [{"type": "text", "text": "Men"}],
            "choices": [{"message": {"content": "Men"}, "text": "Men"}],
        }
        return raw_json(200, payload, **headers)

    reply = await ask(route, profile=Quirk(respond=with_headers))
    assert (reply.hints.remaining_requests, reply.hints.reset_seconds) == (0, 0.006)


async def test_query_of_the_base_url_goes_with_every_call(route, a_request):
    async with MockServer(record=True) as server:
        root = server.anthropic_url if route.wire == "anthropic" else server.openai_url
        provider = route.open(f"{root}/?api-version=2026-01-01")
        await provider.send(a_request(), timeout_seconds=60)
        await provider.close()
        assert server.requests[-1].path.endswith("?api-version=2026-01-01")


async def test_adapters_of_one_endpoint_share_connections_until_the_last_is_closed(
    route, a_request
):
    async with MockServer() as server:
        root = server.anthropic_url if route.wire == "anthropic" else server.openai_url
        first = route.open(root)
        config = EndpointConfig(
            name="mock",
            provider="anthropic" if route.wire == "anthropic" else "openai",
            base_url=root,
            client=route.client,
        )
        second = open_provider(config, api_key="x", transport=first.transport)
        await first.send(a_request(), timeout_seconds=60)
        await first.close()
        reply = await second.send(a_request(), timeout_seconds=60)
        assert reply.status == 200
        await second.close()
