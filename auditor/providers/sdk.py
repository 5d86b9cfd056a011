"""One endpoint through a vendor's client: what OpenAI's and Anthropic's have in common."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import aiohttp
import httpx2

from auditor.errors import EndpointError
from auditor.providers.address import Address, Scrubber
from auditor.providers.failures import unanswered
from auditor.providers.proxy import Proxy
from auditor.providers.transport import (
    MAX_ANSWER_BYTES,
    Answer,
    encode_body,
    header_request_id,
    too_long,
)


class SDKTransport:
    """Carries bodies through a vendor's client, which retries nothing itself.

    Raw responses are taken and read like those of the other transport: the same answer gives
    the same Reply or error whichever client carried it, a page of HTML under a 200 too, which
    the clients would hand over as a plain string.
    """

    def __init__(
        self,
        client: Any,
        *,
        address: Address,
        scrub: Scrubber,
        proxy: Proxy | None,
        status_error: type[Exception],
        client_error: type[Exception],
    ) -> None:
        """`client` is an AsyncOpenAI or AsyncAnthropic: what is used here, both have.

        `status_error` is the client's error with a response, `client_error` its base error.
        """
        self.place = address.shown
        self.scrub = scrub
        self._proxy = proxy
        self._client = client
        self._query = dict(address.query)
        self._status_error = status_error
        self._client_error = client_error
        self._users = 1

    def share(self) -> SDKTransport:
        """The same client for one more adapter."""
        self._users += 1
        return self

    async def close(self) -> None:
        """Give one share back; the last one closes the client."""
        self._users -= 1
        if self._users == 0:
            await self._client.close()

    async def post(
        self, path: str, body: Mapping[str, Any], *, request_id: str, timeout_seconds: float
    ) -> Answer:
        """Send one body once and read the answer, whatever its status."""
        # Encoded here: the clients' own encoder cannot write a lone surrogate.
        content = encode_body(body)
        failure: EndpointError
        try:
            # The clients' own time limits are for single reads; this one is for the call.
            async with asyncio.timeout(timeout_seconds):
                response = await self._client.post(
                    path,
                    cast_to=httpx2.Response,
                    content=content,
                    options={
                        "headers": {"X-Client-Request-Id": header_request_id(request_id)},
                        "params": self._query,
                        "timeout": timeout_seconds,
                    },
                )
            return _answer(response)
        except self._status_error as error:
            response = error.response  # type: ignore[attr-defined]
            return _answer(response)
        except (self._client_error, httpx2.HTTPError, aiohttp.ClientError, OSError) as error:
            failure = self._failure(error, timeout_seconds)
        # Raised outside the handler: the client's errors hold the request, hence the key.
        raise failure

    def _failure(self, error: Exception, timeout_seconds: float) -> EndpointError:
        for each in (error, error.__cause__):
            if isinstance(each, TooLongError):
                return too_long(self.place, each.status)
        return unanswered(
            error,
            place=self.place,
            scrub=self.scrub,
            timeout_seconds=timeout_seconds,
            proxy=self._proxy,
        )


def _answer(response: httpx2.Response) -> Answer:
    return Answer(response.status_code, response.headers, response.content)


class TooLongError(httpx2.HTTPError):
    """A response has grown above the size cap."""

    def __init__(self, status: int) -> None:
        super().__init__("a response above the size cap")
        self.status = status


async def read_within_cap(response: httpx2.Response) -> None:
    """Read a response before its client does, which would read, and unpack, whatever comes.

    A hook of the client's. Raises TooLongError for a body above the size cap, packed or not.
    """
    if not isinstance(response.stream, httpx2.AsyncByteStream):
        return
    packed = bytearray()
    async for part in response.stream:
        packed += part
        if len(packed) > MAX_ANSWER_BYTES:
            raise TooLongError(response.status_code)
    await response.stream.aclose()
    content = bytearray()
    whole = httpx2.Response(
        response.status_code, headers=response.headers, stream=httpx2.ByteStream(bytes(packed))
    )
    for part in whole.iter_bytes():
        content += part
        if len(content) > MAX_ANSWER_BYTES:
            raise TooLongError(response.status_code)
    response.headers.pop("Content-Encoding", None)
    response.stream = httpx2.ByteStream(bytes(content))


def client_options(limit: int, proxy: Proxy | None) -> dict[str, Any]:
    """How the clients are to connect: as the other transport does."""
    return {
        "limits": httpx2.Limits(max_connections=limit, max_keepalive_connections=limit),
        "follow_redirects": False,
        "verify": ssl_context(),
        # The proxy has been looked up already, by rules that hold for both transports.
        "trust_env": False,
        "proxy": None if proxy is None else httpx2.Proxy(proxy.url, headers=proxy.tunnel_headers),
        "event_hooks": {"response": [read_within_cap]},
    }


@lru_cache(maxsize=1)
def ssl_context() -> ssl.SSLContext:
    """The clients' default trust store, loaded once: each client would take 50 ms for its own."""
    return httpx2.create_ssl_context()
