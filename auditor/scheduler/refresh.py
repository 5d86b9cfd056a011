"""Storing statistics outside a run."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from auditor.scheduler.opening import hold_store
from auditor.scheduler.plan import versions
from auditor.store.connection import connect
from auditor.store.lock import last_holder
from auditor.store.plan import STATISTICIAN
from auditor.store.records import Results
from auditor.store.results import ResultRow
from auditor.store.store import Store


def store_statistics(path: Path, rows: Sequence[ResultRow]) -> None:
    """Put a snapshot of the statistics into a store that nobody else writes.

    How the last run ended stays as it was. Raises StoreLocked while another process writes.
    """
    connection = connect(path, read_only=True)
    try:
        holder = last_holder(connection)
    finally:
        connection.close()
    ending = (holder.ending if holder else None) or "incomplete"
    asyncio.run(_append(path, hold_store(path, say=lambda _: None), rows, ending))


async def _append(path: Path, epoch: int, rows: Sequence[ResultRow], ending: str) -> None:
    store = Store(path, epoch)
    try:
        agent = store.agent_id(STATISTICIAN)
        await store.append(Results(agent_id=agent, rows=rows, versions=versions()))
    finally:
        await store.close(ending)
