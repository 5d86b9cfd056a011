"""One endpoint over aiohttp: the connections that its adapters share."""

from __future__ import annotations

import io
import urllib.request
from collections.abc import Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

import aiohttp
from yarl import URL

from auditor.errors import AuthError, EndpointError, TransientError
from auditor.providers.address import Address, Scrubber, parse_address
from auditor.providers.transport import (
    MAX_ANSWER_BYTES,
    Answer,
    encode_body,
    header_request_id,
    too_long,
)

_LONGEST_CONNECT_SECONDS = 30.0
_LARGE_BODY_BYTES = 2**20
_NOT_SENT = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError)
_MISTRUSTED = (aiohttp.ClientConnectorCertificateError, aiohttp.ClientConnectorSSLError)


class Connection:
    """An aiohttp session that opens with the first call, in the loop of that call.

    No redirect is followed, no cookie kept, no answer above 32 MiB read. Proxies come from the
    environment (HTTPS_PROXY, NO_PROXY). Connecting may take half of a call's time limit, at
    most 30 s, so that "never sent" can be told from "sent, no answer".
    """

    def __init__(
        self, address: Address, *, headers: Mapping[str, str], limit: int, scrub: Scrubber
    ):
        self.place = address.shown
        self.scrub = scrub
        self._address = address
        self._headers = dict(headers)
        self._limit = limit
        self._users = 1
        self._session: aiohttp.ClientSession | None = None
        self._proxy_headers: dict[str, str] | None = None
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
                headers={"X-Client-Request-Id": header_request_id(request_id)},
                timeout=_timeout(timeout_seconds),
                allow_redirects=False,
                proxy_headers=self._proxy_headers,
            ) as response:
                return Answer(response.status, response.headers, await self._read(response))
        except (aiohttp.ClientError, OSError) as error:
            failure = self._failure(error, timeout_seconds)
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

    def _failure(self, error: Exception, timeout_seconds: float) -> EndpointError:
        if isinstance(error, _MISTRUSTED):
            return AuthError(
                f"{self.place} has no certificate that this machine trusts: {self._words(error)}",
                hint="is base_url right, and the proxy or certificate store of this machine?",
            )
        if isinstance(error, (*_NOT_SENT, aiohttp.ClientHttpProxyError)):
            return TransientError(f"{self.place} cannot be reached: {self._words(error)}")
        if isinstance(error, TimeoutError):
            return TransientError(
                f"{self.place} gave no answer within {timeout_seconds:g} s", unknown=True
            )
        return TransientError(
            f"{self.place} broke the connection: {self._words(error)}", unknown=True
        )

    def _words(self, error: Exception) -> str:
        # Only the operating system's own words: aiohttp's hold the URL or the request.
        if isinstance(error, OSError) and error.strerror:
            return self.scrub(error.strerror)
        return type(error).__name__

    def _url(self, path: str) -> URL:
        # Already encoded: yarl would decode what an API version or deployment name spells out.
        url = self._urls[path] = URL(self._address.url(path), encoded=True)
        return url

    def _open(self) -> aiohttp.ClientSession:
        proxy = _environment_proxy(self._address)
        if proxy is not None and proxy.authorization is not None:
            self._proxy_headers = {"Proxy-Authorization": proxy.authorization}
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=self._limit),
            headers=self._headers,
            cookie_jar=aiohttp.DummyCookieJar(),
            proxy=None if proxy is None else proxy.base,
            # trust_env would look the proxy up in a thread at every call, and add netrc logins.
            trust_env=False,
        )
        return self._session


def _environment_proxy(address: Address) -> Address | None:
    """The proxy that the environment names for an address, unless it exempts its host.

    This machine itself is never asked for through a proxy, which would ask its own machine.
    """
    parts = urlsplit(address.base)
    if parts.hostname in ("localhost", "::1") or (parts.hostname or "").startswith("127."):
        return None
    proxy = urllib.request.getproxies().get(parts.scheme)
    if not proxy or urllib.request.proxy_bypass(parts.netloc):
        return None
    return parse_address(proxy if "://" in proxy else f"http://{proxy}")


@lru_cache(maxsize=64)
def _timeout(seconds: float) -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(
        total=seconds, sock_connect=min(_LONGEST_CONNECT_SECONDS, seconds / 2)
    )
