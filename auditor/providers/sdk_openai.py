"""An endpoint through OpenAI's client."""

from __future__ import annotations

from openai import APIStatusError, AsyncOpenAI, DefaultAioHttpClient, OpenAIError

from auditor.providers.address import Address, Scrubber
from auditor.providers.proxy import Proxy
from auditor.providers.sdk import SDKTransport, client_options


def open_openai(
    address: Address,
    *,
    api_key: str | None,
    headers: dict[str, str],
    limit: int,
    scrub: Scrubber,
    proxy: Proxy | None = None,
) -> SDKTransport:
    """The transport. Authorisation stands in `headers`, as in the other transport's."""
    client = AsyncOpenAI(
        base_url=address.base,
        # A key has to be given, else the client looks for one by itself; `headers` win.
        api_key=api_key or "none",
        default_headers=headers,
        max_retries=0,
        http_client=DefaultAioHttpClient(**client_options(limit, proxy)),
    )
    # Headers that the environment names are for the vendor's own server; this may be another's.
    client.organization = client.project = None
    client._custom_headers = headers
    return SDKTransport(
        client,
        address=address,
        scrub=scrub,
        proxy=proxy,
        status_error=APIStatusError,
        client_error=OpenAIError,
    )
