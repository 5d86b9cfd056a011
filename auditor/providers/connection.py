"""One endpoint over aiohttp: the connections that its adapters share."""

from __future__ import annotations

import io
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import aiohttp
from yarl import URL

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

_LONGEST_CONNECT_SECONDS = 30.0
_LARGE_BODY_BYTES = 2**20


class Connection:
    """An aiohttp session that opens with the first call, in the loop of that call.

    No redirect is followed, no cookie kept, no answer above 32 MiB read, unpacked or not.
    Connecting may take half of a call's time limit, at most 30 s, so that "never sent" can be told
    from "sent, no answer".
    """

    def __init__(
        self,
        address: Address,
        *,
        headers: Mapping[str, str],
        limit: int,
        scrub: Scrubber,
        proxy: Proxy | None = None,
    ):
        self.place = address.shown
        self.scrub = scrub
        self._address = address
        # A session's own headers, the key with them, go to a proxy as well: there each call bears
        # them, which elsewhere are made ready once.
        self._session_headers = headers if proxy is None else {}
        self._call_headers = {} if proxy is None else dict(headers)
        self._proxy = proxy
        self._proxy_url = None if proxy is None else URL(proxy.url)
        self._proxy_headers = None if proxy is None else dict(proxy.tunnel_headers)
        self._limit = limit
        self._users = 1
        self._session: aiohttp.ClientSession | None = None
        self._urls: dict[str, URL] = {}

    def share(self) -> Connection:
        """The same connections for one more adapter."""
        self._users += 1
        return self

    async def close(self) -> None:
        """Give one share back; the last one closes the session."""
        self._users -= 1
        if self._users <= 0 and self._session is not None:
            session, self._session = self._session, None
            await session.close()

    async def post(
        self, path: str, body: Mapping[str, Any], *, request_id: str, timeout_seconds: float
    ) -> Answer:
        """Send one body once and read the answer, whatever its status."""
        session = self._session or self._open()
        url = self._urls.get(path) or self._url(path)
        content = encode_body(body)
        failure: EndpointError
        try:
            async with session.post(
                url,
                # aiohttp warns about large bytes: it would write them in one go.
                data=content if len(content) <= _LARGE_BODY_BYTES else io.BytesIO(content),
                headers={
                    **self._call_headers,
                    "X-Client-Request-Id": header_request_id(request_id),
                },
                timeout=_timeout(timeout_seconds),
                allow_redirects=False,
                proxy=self._proxy_url,
                proxy_headers=self._proxy_headers,
            ) as response:
                return Answer(response.status, response.headers, await self._read(response))
        except (aiohttp.ClientError, OSError) as error:
            failure = unanswered(
                error,
                place=self.place,
                scrub=self.scrub,
                timeout_seconds=timeout_seconds,
                proxy=self._proxy,
            )
        # Raised outside the handler: aiohttp's errors hold request headers, hence the key, and
        # would travel along as context.
        raise failure

    async def _read(self, response: aiohttp.ClientResponse) -> bytes:
        length = response.content_length
        if length is not None and length > MAX_ANSWER_BYTES:
            response.close()
            raise too_long(self.place, response.status)
        if length is not None and "Content-Encoding" not in response.headers:
            return await response.read()
        # Of unknown length, or compressed: count what really comes.
        parts: list[bytes] = []
        size = 0
        async for part in response.content.iter_any():
            size += len(part)
            if size > MAX_ANSWER_BYTES:
                response.close()
                raise too_long(self.place, response.status)
            parts.append(part)
        return b"".join(parts)

    def _url(self, path: str) -> URL:
        # Already encoded: yarl would decode what an API version or deployment name spells out.
        url = self._urls[path] = URL(self._address.url(path), encoded=True)
        return url

    def _open(self) -> aiohttp.ClientSession:
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=self._limit),
            headers=self._session_headers,
            cookie_jar=aiohttp.DummyCookieJar(),
            # trust_env would look the proxy up in a thread at every call, and add netrc logins.
            trust_env=False,
        )
        return self._session


@lru_cache(maxsize=64)
def _timeout(seconds: float) -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(
        total=seconds, sock_connect=min(_LONGEST_CONNECT_SECONDS, seconds / 2)
    )
