"""One folder a tiny model for all tests, and a provider for each."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

# Read when the libraries are imported: nothing is looked for on the Hub.
os.environ["HF_HUB_OFFLINE"] = "1"

from auditor.types import EndpointConfig, Message, Reply, Request


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    """The folders, by the kind of the model."""
    from tests import tiny_models as tiny

    base: Path = tmp_path_factory.mktemp("models")
    return SimpleNamespace(
        base=tiny.gpt2(base / "base"),
        chat=tiny.llama(base / "chat"),
        tuned=tiny.llama(base / "tuned", seed=2),
        reward=tiny.reward(base / "reward"),
        other_reward=tiny.reward(base / "other-reward", seed=2),
        pair_reward=tiny.bert_reward(base / "pair-reward"),
    )


@pytest.fixture
def ask_with() -> Callable[..., object]:
    """Makes a provider for so many calls at once; each is closed at the end of its block."""
    from contextlib import asynccontextmanager

    from auditor.providers.local import open_models
    from auditor.providers.local.provider import LocalProvider

    @asynccontextmanager
    async def made(concurrency: int = 16, seed: int = 1) -> AsyncIterator[Callable[..., object]]:
        models = open_models(EndpointConfig(name="disk", provider="local", concurrency=concurrency))
        provider = LocalProvider(models, seed=seed)

        async def ask(model: str, *turns: str, **fields: object) -> Reply:
            roles = ("user", "assistant")
            said = tuple(Message(roles[place % 2], text) for place, text in enumerate(turns))
            settings = {"request_id": "test.1", **fields}
            request = Request(model=model, messages=said, **settings)  # type: ignore[arg-type]
            return await provider.send(request, timeout_seconds=60)

        try:
            yield ask
        finally:
            await models.close()

    return made
