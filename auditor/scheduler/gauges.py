"""The present state of a run's endpoints, told to its store."""

from __future__ import annotations

import asyncio
from collections.abc import Collection

from auditor.endpoints import Endpoint
from auditor.store.records import Gauge
from auditor.store.store import Store

_SECONDS = 1.0
"""Between two reports."""


async def report_gauges(store: Store, endpoints: Collection[Endpoint]) -> None:
    """Post their state again and again, until it is cancelled or the store fails."""
    while not store.has_failed:
        post_gauges(store, endpoints)
        await asyncio.sleep(_SECONDS)


def post_gauges(store: Store, endpoints: Collection[Endpoint]) -> None:
    """Hand their state to the store's writer, and go on."""
    for endpoint in endpoints:
        state = endpoint.gauge()
        store.post(
            Gauge(
                endpoint=state.endpoint,
                in_flight=state.in_flight,
                concurrency=state.concurrency,
                concurrency_limit=state.concurrency_limit,
                waiting_until=state.waiting_until,
                reason=state.reason,
                last_error=state.last_error,
                is_stopped=state.is_stopped,
            )
        )
