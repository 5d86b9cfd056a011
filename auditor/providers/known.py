"""What a provider name stands for: the built-in rows, and what a row has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol as Interface

from auditor.providers.capabilities import Capabilities
from auditor.types import EndpointConfig, Provider

WIRES = ("openai", "anthropic")
"""The wire formats that are built in."""


class Adapter(Interface):
    """Opens a provider for one model family at one endpoint."""

    def __call__(
        self,
        config: EndpointConfig,
        *,
        api: str,
        api_key: str | None,
        profile: Capabilities | None,
    ) -> Provider:
        """The provider. Sends nothing before its first call."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class KnownProvider:
    """A provider name and what it stands for."""

    name: str
    wire: str = "openai"
    """"openai" (chat completions and legacy completions), "anthropic" (messages), or the name of
    an adapter's own."""
    base_url: str | None = None
    """Used where the endpoint gives none; None where it has to."""
    api_key_env: str | None = None
    """Environment variable of the key where the endpoint names none; None: no key needed."""
    scores: bool = False
    """Whether it scores an answer that is given (`params.score`), and has api "reward"."""
    adapter: Adapter | None = None
    """Opens a wire format of an outside package's own; None: `wire` is a built-in one."""


PROVIDERS = {
    provider.name: provider
    for provider in (
        KnownProvider(
            name="openai", base_url="https://api.openai.com/v1", api_key_env="OPENAI_API_KEY"
        ),
        KnownProvider(
            name="openai-chat", base_url="https://api.openai.com/v1", api_key_env="OPENAI_API_KEY"
        ),
        KnownProvider(
            name="anthropic",
            wire="anthropic",
            base_url="https://api.anthropic.com",
            api_key_env="ANTHROPIC_API_KEY",
        ),
        KnownProvider(
            name="google",
            base_url="https://generativelanguage.googleapis.com/v1beta/openai",
            api_key_env="GEMINI_API_KEY",
        ),
        KnownProvider(name="azure", api_key_env="AZURE_OPENAI_API_KEY"),
        KnownProvider(
            name="openrouter",
            base_url="https://openrouter.ai/api/v1",
            api_key_env="OPENROUTER_API_KEY",
        ),
        KnownProvider(
            name="groq", base_url="https://api.groq.com/openai/v1", api_key_env="GROQ_API_KEY"
        ),
        KnownProvider(
            name="deepseek", base_url="https://api.deepseek.com", api_key_env="DEEPSEEK_API_KEY"
        ),
        KnownProvider(
            name="dashscope",
            base_url="https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
            api_key_env="DASHSCOPE_API_KEY",
        ),
        KnownProvider(
            name="mistral", base_url="https://api.mistral.ai/v1", api_key_env="MISTRAL_API_KEY"
        ),
        KnownProvider(
            name="together", base_url="https://api.together.xyz/v1", api_key_env="TOGETHER_API_KEY"
        ),
        KnownProvider(name="xai", base_url="https://api.x.ai/v1", api_key_env="XAI_API_KEY"),
        KnownProvider(name="ollama", base_url="http://127.0.0.1:11434/v1"),
        KnownProvider(name="vllm", base_url="http://127.0.0.1:8000/v1"),
        KnownProvider(name="lmstudio", base_url="http://127.0.0.1:1234/v1"),
        KnownProvider(name="llamacpp", base_url="http://127.0.0.1:8080/v1"),
    )
}
"""The built-in ones over HTTP, by name."""


def _open_local(
    config: EndpointConfig, *, api: str, api_key: str | None, profile: Capabilities | None
) -> Provider:
    from auditor.providers.local import open_local

    return open_local(config, api=api, api_key=api_key, profile=profile)


LOCAL = KnownProvider(name="local", wire="in process", scores=True, adapter=_open_local)
"""Models that run in this process (see `auditor.providers.local`)."""
