"""An endpoint through Anthropic's client."""

from __future__ import annotations

import httpx2
from anthropic import AnthropicError, APIStatusError, AsyncAnthropic, DefaultAioHttpClient

from auditor.providers.address import Address, Scrubber
from auditor.providers.sdk import SDKTransport, ssl_context


def open_anthropic(
    address: Address, *, api_key: str | None, headers: dict[str, str], limit: int, scrub: Scrubber
) -> SDKTransport:
    """The transport. The client authorises in its own way, with `headers` beside."""
    client = AsyncAnthropic(
        base_url=address.base,
        # A key has to be given, else the client looks for one by itself.
        api_key=api_key or "none",
        default_headers=headers,
        max_retries=0,
        http_client=DefaultAioHttpClient(
            limits=httpx2.Limits(max_connections=limit, max_keepalive_connections=limit),
            follow_redirects=False,
            verify=ssl_context(),
        ),
    )
    return SDKTransport(
        client,
        address=address,
        scrub=scrub,
        status_error=APIStatusError,
        client_error=AnthropicError,
    )
