"""Servers whose TLS cannot be trusted, or is none."""

import asyncio
import ssl

import aiohttp
import pytest

from auditor.errors import AuthError, TransientError
from auditor.providers.failures import unanswered
from tests.mock_server import MockServer


async def failed(route, url, request):
    provider = route.open(url)
    with pytest.raises((AuthError, TransientError)) as caught:
        await provider.send(request, timeout_seconds=60)
    await provider.close()
    return caught.value


async def test_certificate_that_nobody_vouches_for_stops_the_endpoint_before_the_key_is_sent(
    route, a_request
):
    async with MockServer(is_tls=True, record=True) as server:
        error = await failed(route, server.url, a_request())
        assert not server.requests
    assert type(error) is AuthError
    assert "has no certificate that this machine trusts" in error.message
    assert "base_url" in error.hint
    assert not error.unknown


async def test_https_of_a_server_that_speaks_http_stops_the_endpoint(route, a_request):
    async with MockServer(record=True) as server:
        error = await failed(route, server.url.replace("http:", "https:"), a_request())
    assert type(error) is AuthError
    assert "http:// or https://" in error.hint


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        ("TLSV1_ALERT_INTERNAL_ERROR", TransientError),
        ("SSLV3_ALERT_BAD_RECORD_MAC", TransientError),
        ("DECRYPTION_FAILED_OR_BAD_RECORD_MAC", TransientError),
        ("WRONG_VERSION_NUMBER", AuthError),
        ("SSLV3_ALERT_HANDSHAKE_FAILURE", AuthError),
        (None, AuthError),
    ],
)
def test_only_a_handshake_that_settings_cannot_mend_stops_the_endpoint(reason, kind):
    cause = ssl.SSLError(1, "words")
    cause.reason = reason
    told = unanswered(
        aiohttp.ClientConnectorSSLError(None, cause),
        place="https://h",
        scrub=lambda text: text,
        timeout_seconds=1,
        proxy=None,
    )
    assert (type(told), told.unknown) == (kind, False)


async def test_handshake_that_is_cut_off_is_tried_again(route, a_request):
    async def cut_off(reader, writer):
        await reader.read(1)
        writer.transport.abort()

    async with await asyncio.start_server(cut_off, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        error = await failed(route, f"https://127.0.0.1:{port}", a_request())
    assert type(error) is TransientError
    assert not error.unknown
