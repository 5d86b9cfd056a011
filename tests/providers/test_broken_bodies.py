"""Answers that are no answer: endless, huge, packed, or of another kind."""

import asyncio
import tracemalloc
from pathlib import Path

import pytest

from auditor.errors import RateError, TransientError
from auditor.types import Outcome
from tests.mock_server import Faults, MockServer
from tests.passing_time import PATIENCE_SECONDS, let_pass, until

MEBIBYTE = 2**20


async def failed(ask, route, fault, **fields):
    with pytest.raises(TransientError) as caught:
        await ask(route, server={"faults": Faults(script={1: fault})}, **fields)
    return caught.value


@pytest.mark.parametrize("fault", ["array", "number", "string", "no-choices"])
async def test_json_without_an_answer_may_have_been_billed(route, ask, fault):
    error = await failed(ask, route, fault)
    assert (error.status, error.unknown) == (200, True)


async def test_page_under_a_502_is_told_by_its_title(route, ask):
    error = await failed(ask, route, "html-502")
    assert (error.status, error.unknown) == (502, False)
    assert "'502 Bad Gateway'" in error.message


async def test_bytes_that_trickle_do_not_put_the_time_limit_off(route, ask):
    failing = asyncio.ensure_future(failed(ask, route, "drip", timeout_seconds=30.0))
    await until(lambda: ask.in_flight)
    for _ in range(7):
        # A few bytes come before the next five seconds.
        await asyncio.sleep(0.005)
        let_pass(5.0)
    error = await asyncio.wait_for(failing, PATIENCE_SECONDS)
    assert error.unknown
    assert "gave no answer within 30 s" in error.message


@pytest.mark.parametrize("fault", ["huge", "bomb"])
async def test_no_more_is_kept_of_a_body_than_the_cap_packed_or_not(route, ask, fault, monkeypatch):
    for module in ("auditor.providers.connection", "auditor.providers.sdk"):
        monkeypatch.setattr(f"{module}.MAX_ANSWER_BYTES", MEBIBYTE)
    error = await failed(ask, route, fault)
    assert "not read" in error.message
    assert (error.status, error.unknown) == (200, True)


async def test_packed_body_is_not_unpacked_beyond_the_cap(chat, ask, monkeypatch):
    for module in ("auditor.providers.connection", "auditor.providers.sdk"):
        monkeypatch.setattr(f"{module}.MAX_ANSWER_BYTES", MEBIBYTE)
    await failed(ask, chat, "bomb")
    tracemalloc.start()
    await failed(ask, chat, "bomb")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 16 * MEBIBYTE


async def test_packed_answer_is_read(route, ask):
    reply = await ask(route, profile="packed")
    assert reply.choices[0].outcome is Outcome.ANSWERED


async def test_content_type_is_not_asked_for(route, ask):
    reply = await ask(route, profile="wrong-type")
    assert reply.choices[0].outcome is Outcome.ANSWERED


@pytest.mark.parametrize(("fault", "seconds"), [("429-bare", None), ("429-date", 1.0)])
async def test_refusal_for_rate_tells_the_time_in_any_form_or_none(route, ask, fault, seconds):
    with pytest.raises(RateError) as caught:
        await ask(route, server={"faults": Faults(script={1: fault})})
    assert caught.value.retry_after_seconds == seconds


async def test_host_that_no_name_server_knows_was_never_asked(route, a_request):
    provider = route.open("http://nowhere.invalid/v1")
    with pytest.raises(TransientError, match="cannot be reached") as caught:
        await provider.send(a_request(), timeout_seconds=20)
    await provider.close()
    assert not caught.value.unknown


@pytest.mark.skipif(not Path("/proc/net/if_inet6").exists(), reason="no IPv6 here")
async def test_address_of_ipv6_is_an_address(route, a_request):
    async with MockServer(host="::1") as server:
        provider = route.open(f"{server.url}/v1")
        reply = await provider.send(a_request(), timeout_seconds=60)
        await provider.close()
    assert reply.status == 200


async def test_connection_that_the_server_has_closed_meanwhile_is_opened_anew(route, a_request):
    async with MockServer() as server:
        provider = route.open(f"{server.url}/v1")
        for number in range(3):
            reply = await provider.send(a_request(request_id=f"a{number}.1"), timeout_seconds=60)
            assert reply.status == 200
            await server.hang_up()
        await provider.close()
        assert len(server.peers) == 3
