"""What the line itself can do wrong, and whether a call may have been billed."""

import asyncio
import errno
import socket

import aiohttp
import pytest

from auditor.errors import RateError, TransientError
from auditor.providers import transport
from auditor.providers.failures import unanswered
from tests.mock_server import Faults, MockServer
from tests.passing_time import let_pass, until


async def failed(ask, route, fault, **fields):
    with pytest.raises(TransientError) as caught:
        await ask(route, server={"faults": Faults(script={1: fault})}, **fields)
    return caught.value


@pytest.mark.parametrize("fault", ["reset", "close", "cut", "garbled"])
async def test_answer_lost_after_sending_is_unknown(route, ask, fault):
    error = await failed(ask, route, fault)
    assert error.unknown
    assert error.retryable
    assert error.sent["model"] == "mock"


async def test_no_answer_in_time_is_unknown(route, ask):
    failing = asyncio.ensure_future(failed(ask, route, "hang", timeout_seconds=30.0))
    await until(lambda: ask.in_flight)
    let_pass(31.0)  # aiohttp waits until a whole second
    error = await failing
    assert error.unknown
    assert "30 s" in error.message


def test_words_of_a_broken_connection_are_the_systems_own():
    # aiohttp's words hold the whole URL.
    error = aiohttp.ClientOSError(errno.EPIPE, "Can not write request body for http://h/?a=b")
    told = unanswered(
        error, place="http://h", scrub=lambda text: text, timeout_seconds=1, proxy=None
    )
    assert told.message == "http://h broke the connection: Broken pipe"


@pytest.mark.parametrize("fault", ["500", "502", "503", "529"])
async def test_server_errors_are_transient_and_not_billed(route, ask, fault):
    error = await failed(ask, route, fault)
    assert error.status == int(fault)
    assert not error.unknown


async def test_rate_limit_tells_when_to_come_back(route, ask):
    with pytest.raises(RateError) as caught:
        await ask(route, server={"faults": Faults(script={1: "429"})})
    assert caught.value.retry_after_seconds == 1


async def test_html_page_under_a_200_is_transient(route, ask):
    error = await failed(ask, route, "html")
    assert not error.unknown


async def test_refused_connection_was_never_sent(route, a_request):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        # Bound and not listening: nobody else can take the port meanwhile.
        provider = route.open(f"http://127.0.0.1:{port}/v1")
        with pytest.raises(TransientError, match="cannot be reached") as caught:
            await provider.send(a_request(), timeout_seconds=60)
        await provider.close()
    assert not caught.value.unknown
    assert caught.value.status is None
    assert caught.value.sent is None


async def test_too_long_an_answer_is_not_read(route, ask, monkeypatch):
    for module in ("auditor.providers.connection", "auditor.providers.sdk"):
        monkeypatch.setattr(f"{module}.MAX_ANSWER_BYTES", 100)
    with pytest.raises(TransientError, match="not read") as caught:
        await ask(route)
    assert caught.value.unknown


async def test_limit_of_an_answer_is_32_mebibytes():
    assert transport.MAX_ANSWER_BYTES == 32 * 1024 * 1024


async def test_next_call_after_a_broken_connection_succeeds(route, a_request):
    async with MockServer(faults=Faults(script={1: "reset"})) as server:
        root = server.anthropic_url if route.wire == "anthropic" else server.openai_url
        provider = route.open(root)
        with pytest.raises(TransientError):
            await provider.send(a_request(request_id="a.1"), timeout_seconds=60)
        reply = await provider.send(a_request(request_id="a.2"), timeout_seconds=60)
        await provider.close()
        assert reply.status == 200
        assert server.counts == {"a": 2}


async def test_cancelled_call_is_cancelled_and_the_adapter_lives_on(route, a_request):
    async with MockServer(faults=Faults(script={1: "hang"})) as server:
        root = server.anthropic_url if route.wire == "anthropic" else server.openai_url
        provider = route.open(root)
        call = asyncio.ensure_future(provider.send(a_request(), timeout_seconds=60))
        await until(lambda: server.in_flight)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        reply = await provider.send(a_request(request_id="b.2"), timeout_seconds=60)
        await provider.close()
        assert reply.status == 200


async def test_no_more_connections_are_open_than_the_endpoint_allows(route, a_request):
    async with MockServer(most_answers=0) as server:
        root = server.anthropic_url if route.wire == "anthropic" else server.openai_url
        provider = route.open(root, concurrency=3)
        calls = asyncio.gather(
            *(
                provider.send(a_request(request_id=f"{index}.1"), timeout_seconds=60)
                for index in range(12)
            )
        )
        await until(lambda: server.in_flight >= 3)
        server.most_answers = None
        await calls
        await provider.close()
        assert server.most_in_flight == 3
