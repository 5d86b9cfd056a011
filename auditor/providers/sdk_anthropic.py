"""An endpoint through Anthropic's client."""

from __future__ import annotations

from anthropic import AnthropicError, APIStatusError, AsyncAnthropic, DefaultAioHttpClient

from auditor.providers.address import Address, Scrubber
from auditor.providers.proxy import Proxy
from auditor.providers.sdk import SDKTransport, client_options


def open_anthropic(
    address: Address,
    *,
    api_key: str | None,
    headers: dict[str, str],
    limit: int,
    scrub: Scrubber,
    proxy: Proxy | None = None,
) -> SDKTransport:
    """The transport. The client authorises in its own way, with `headers` beside."""
    client = AsyncAnthropic(
        base_url=address.base,
        # A key has to be given, else the client looks for one by itself.
        api_key=api_key or "none",
        default_headers=headers,
        max_retries=0,
        http_client=DefaultAioHttpClient(**client_options(limit, proxy)),
    )
    # Headers that the environment names are for the vendor's own server; this may be another's.
    client._custom_headers = headers
    return SDKTransport(
        client,
        address=address,
        scrub=scrub,
        proxy=proxy,
        status_error=APIStatusError,
        client_error=AnthropicError,
    )
