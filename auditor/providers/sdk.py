"""One endpoint through a vendor's client: what OpenAI's and Anthropic's have in common."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import aiohttp
import httpx2

from auditor.errors import EndpointError, TransientError
from auditor.providers.address import Address, Scrubber
from auditor.providers.transport import (
    MAX_ANSWER_BYTES,
    Answer,
    encode_body,
    header_request_id,
    too_long,
)

# aiohttp's own errors: httpx2 calls a connection lost after sending a connect error as well.
_NOT_SENT = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError, httpx2.PoolTimeout)


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
        status_error: type[Exception],
        client_error: type[Exception],
    ) -> None:
        """`client` is an AsyncOpenAI or AsyncAnthropic: what is used here, both have.

        `status_error` is the client's error with a response, `client_error` its base error.
        """
        self.place = address.shown
        self.scrub = scrub
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
            return self._answer(response)
        except self._status_error as error:
            response = error.response  # type: ignore[attr-defined]
            return self._answer(response)
        except (self._client_error, httpx2.HTTPError, aiohttp.ClientError, OSError) as error:
            failure = self._failure(error, timeout_seconds)
        # Raised outside the handler: the client's errors hold the request, hence the key.
        raise failure

    def _answer(self, response: httpx2.Response) -> Answer:
        content = response.content
        if len(content) > MAX_ANSWER_BYTES:
            raise too_long(self.place, response.status_code)
        return Answer(response.status_code, response.headers, content)

    def _failure(self, error: BaseException, timeout_seconds: float) -> TransientError:
        chain = _causes(error)
        # Refused connections come as time-outs of the client: only the causes tell.
        if any(isinstance(cause, _NOT_SENT) for cause in chain):
            return TransientError(f"{self.place} cannot be reached: {type(chain[-1]).__name__}")
        if any(isinstance(cause, TimeoutError | httpx2.TimeoutException) for cause in chain):
            return TransientError(
                f"{self.place} gave no answer within {timeout_seconds:g} s", unknown=True
            )
        return TransientError(
            f"{self.place} broke the connection: {type(chain[-1]).__name__}", unknown=True
        )


@lru_cache(maxsize=1)
def ssl_context() -> ssl.SSLContext:
    """The clients' default trust store, loaded once: each client would take 50 ms for its own."""
    return httpx2.create_ssl_context()


def _causes(error: BaseException) -> list[BaseException]:
    """An error and what it was raised from, the innermost last."""
    chain = [error]
    while True:
        inner = chain[-1].__cause__ or chain[-1].__context__
        if inner is None or inner in chain:
            return chain
        chain.append(inner)
