"""What the questions to a model have cost, as the store counts it."""

from __future__ import annotations

import pytest

from auditor.endpoints import Budget, Endpoint, Prices
from auditor.providers import open_provider
from auditor.scheduler.profiles import probe_targets
from auditor.spec.model import Judge
from auditor.store.calls import spent
from auditor.store.store import Store
from auditor.types import EndpointConfig, Price
from tests import builders
from tests.mock_server import MockServer


async def test_questions_whose_usage_is_not_said_stay_counted_after_a_resume(tmp_path) -> None:
    path = tmp_path / "s.db"
    builders.write(path, builders.cells())
    store = Store(path, builders.take_lock(path))
    budget = Budget(usd=100.0)
    async with MockServer(profile="no-usage") as mock:
        config = EndpointConfig(
            name="sim",
            provider="openai",
            base_url=mock.openai_url,
            price=Price(input=1.0, output=1.0),
        )
        endpoint = Endpoint(config, lambda _api, _model: open_provider(config, api_key="sk"))
        judge = Judge(task="choice", name="j", provider="openai", model="j", endpoint="sim")
        try:
            (probed,) = await probe_targets(
                [],
                {"sim": endpoint},
                {"sim": Prices(config)},
                budget,
                store,
                say=lambda _: None,
                judges=[judge],
            )
            assert probed.error is None
            usd, calls, tokens = spent(store.reader)
            assert calls == budget.spent_calls == probed.calls > 3
            assert usd == pytest.approx(budget.spent_usd)
            assert usd > 0
            assert tokens == budget.spent_tokens
        finally:
            await endpoint.close()
            await store.close("incomplete")
