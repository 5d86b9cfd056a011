"""Providers: which endpoints there are, and how to open one.

    provider = open_provider(config, api="chat", api_key=key, profile=None)
    reply = await provider.send(request, timeout_seconds=60)
    await provider.close()

Adapters and clients are loaded with the first endpoint that needs them. Outside packages add
providers through entry points (see `auditor.providers.outside`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from auditor.errors import UsageError
from auditor.providers.capabilities import Capabilities
from auditor.providers.known import KnownProvider
from auditor.providers.registry import (
    Spellings,
    key_variables,
    known_provider,
    outside_names,
    outside_providers,
    provider_names,
    provider_row,
    providers_table,
    refuse_clash,
)
from auditor.types import EndpointConfig, Provider

if TYPE_CHECKING:
    from auditor.providers.transport import Transport

__all__ = [
    "Capabilities",
    "KnownProvider",
    "Spellings",
    "base_url_of",
    "key_variables",
    "known_provider",
    "open_provider",
    "open_transport",
    "outside_names",
    "outside_providers",
    "provider_names",
    "provider_row",
    "providers_table",
    "refuse_clash",
]

_ANTHROPIC_VERSION = "2023-06-01"


def base_url_of(config: EndpointConfig) -> str:
    """The endpoint's base URL, else its provider's. Raises UsageError where there is none."""
    base_url = config.base_url or known_provider(config.provider).base_url
    if base_url is None:
        raise UsageError(
            f"endpoint {config.name!r}: provider {config.provider!r} needs a base_url",
            where=f"endpoints.{config.name}.base_url",
        )
    return base_url


def _sendable(key: str, config: EndpointConfig, provider: KnownProvider) -> str:
    """A key without the blanks and line ends that files leave around it."""
    key = key.strip()
    if key.isascii() and key.isprintable() and key:
        return key
    variable = config.api_key_env or provider.api_key_env
    raise UsageError(
        f"endpoint {config.name!r}: its key holds what is no printable ASCII character",
        where=f"endpoints.{config.name}.api_key_env",
        hint=None if variable is None else f"copy the key into {variable} once more",
    )


def open_transport(config: EndpointConfig, *, api_key: str | None) -> Transport:
    """The connections of one endpoint, to be shared by its adapters.

    Raises UsageError for an unknown provider or client, a missing or broken base URL, a missing
    key where the provider's own server is asked, a key that no header can carry, two logins at
    once, or a proxy in the environment that is none over HTTP.
    """
    from auditor.providers.address import Scrubber, parse_address
    from auditor.providers.proxy import environment_proxy

    provider = known_provider(config.provider)
    place = f"endpoints.{config.name}"
    address = parse_address(base_url_of(config))
    if provider.wire == "anthropic":
        # Its wire path holds the version; a base URL with or without it is the same endpoint.
        address = replace(address, base=address.base.removesuffix("/v1"))
    if api_key is None and config.base_url is None and provider.api_key_env is not None:
        raise UsageError(
            f"endpoint {config.name!r} has no key",
            where=f"{place}.api_key_env",
            hint=f"set {config.api_key_env or provider.api_key_env} in the environment",
        )
    if api_key is not None:
        api_key = _sendable(api_key, config, provider)
    headers = _key_headers(provider, api_key)
    if address.authorization is not None:
        if "Authorization" in headers:
            raise UsageError(
                f"endpoint {config.name!r} has a key and a login in its base URL",
                where=f"{place}.base_url",
                hint="both would be the Authorization header: take one of them out",
            )
        headers["Authorization"] = address.authorization
    proxy = environment_proxy(address)
    if proxy is not None:
        headers |= proxy.request_headers
    scrub = Scrubber(api_key, *address.secrets, *(proxy.secrets if proxy is not None else ()))
    limit = max(1, config.concurrency)
    if config.client == "sdk":
        if provider.wire == "anthropic":
            from auditor.providers.sdk_anthropic import open_anthropic as open_sdk
        else:
            from auditor.providers.sdk_openai import open_openai as open_sdk
        return open_sdk(
            address, api_key=api_key, headers=headers, limit=limit, scrub=scrub, proxy=proxy
        )
    if config.client != "http":
        raise UsageError(
            f"endpoint {config.name!r}: no client is called {config.client!r}",
            where=f"{place}.client",
            hint='allowed: "http", "sdk"',
        )
    from auditor.providers.connection import Connection

    headers |= {"Content-Type": "application/json", "User-Agent": "bias-auditor"}
    return Connection(address, headers=headers, limit=limit, scrub=scrub, proxy=proxy)


def open_provider(
    config: EndpointConfig,
    *,
    api: str = "chat",
    api_key: str | None = None,
    profile: Capabilities | None = None,
    transport: Transport | None = None,
) -> Provider:
    """An adapter for one model family at one endpoint.

    `api` is "chat" or "completions"; `profile` what is known of the model; `transport` the
    connections of an adapter at the same endpoint, to be shared (each adapter is closed for
    itself). Raises UsageError as `open_transport` does, and for an api that the wire format
    does not have. Nothing is sent and no connection made before the first call.
    """
    provider = known_provider(config.provider)
    if provider.adapter is not None:
        from auditor.providers.outside import guarded

        made = provider.adapter(config, api=api, api_key=api_key, profile=profile)
        return guarded(made, config, api_key)
    if api not in ("chat", "completions") or (api == "completions" and provider.wire != "openai"):
        allowed = '"chat"' if provider.wire != "openai" else '"chat", "completions"'
        raise UsageError(
            f"provider {config.provider!r} has no api {api!r}", hint=f"allowed: {allowed}"
        )
    shared = transport.share() if transport else open_transport(config, api_key=api_key)
    if provider.wire == "anthropic":
        from auditor.providers.anthropic_messages import AnthropicMessages

        return AnthropicMessages(shared, profile=profile)
    if api == "completions":
        from auditor.providers.openai_completions import OpenAICompletions

        return OpenAICompletions(shared, profile=profile)
    from auditor.providers.openai_chat import OpenAIChat

    return OpenAIChat(shared, profile=profile, token_parameter=_token_parameter(config))


def _token_parameter(config: EndpointConfig) -> str:
    """The output cap's name at an endpoint of which nothing is known.

    OpenAI's own server takes the later name for every model; most others know the older one.
    """
    base_url = base_url_of(config)
    return "max_completion_tokens" if "//api.openai.com" in base_url else "max_tokens"


def _key_headers(provider: KnownProvider, api_key: str | None) -> dict[str, str]:
    if provider.wire == "anthropic":
        version = {"anthropic-version": _ANTHROPIC_VERSION}
        return version if api_key is None else {**version, "x-api-key": api_key}
    if api_key is None:
        return {}
    if provider.name == "azure":
        return {"api-key": api_key}
    return {"Authorization": f"Bearer {api_key}"}
