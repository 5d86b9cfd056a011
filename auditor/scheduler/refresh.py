"""The result table of a store: computed, and stored in the place of the last one."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from traceback import clear_frames

from agents import statistician
from auditor.scheduler.opening import hold_store, last_ending
from auditor.scheduler.plan import Plan, versions
from auditor.scheduler.stoppable import run_stoppable
from auditor.store import sources
from auditor.store.connection import connect
from auditor.store.plan import STATISTICIAN
from auditor.store.records import Results
from auditor.store.results import ResultRow
from auditor.store.store import Store


def compute_statistics(
    path: Path, plan: Plan, only: Collection[str] | None = None
) -> list[ResultRow]:
    """The result table of a store, whole or `only` of these protocols.

    Through a connection of its own, and of one moment.
    """
    connection = connect(path, read_only=True)
    try:
        connection.execute("BEGIN")  # one moment of a store that may be growing
        # Imported answers may belong to protocols that the spec does not name.
        materials = {**sources.materials(connection), **plan.materials}
        return statistician.compute(
            connection, plan.spec.protocols, materials, bases=plan.spec.bases, only=only
        )
    except BaseException as error:
        # Where it broke off a reading is still open, and the writer could not end its log.
        clear_frames(error.__traceback__)
        raise
    finally:
        connection.close()


async def append_statistics(store: Store, rows: Sequence[ResultRow]) -> None:
    """Put a snapshot of the statistics into an open store."""
    agent = store.agent_id(STATISTICIAN)
    await store.append(Results(agent_id=agent, rows=rows, versions=versions()))


def store_statistics(path: Path, rows: Sequence[ResultRow], *, as_of: int) -> bool:
    """Put a snapshot of the statistics into a store that nobody else writes.

    `as_of` is the store's last event before they were computed: False, and nothing is stored,
    where there are later ones. How the last run ended stays as it was. Raises StoreLocked while
    another process writes.
    """
    ending = last_ending(path) or "incomplete"
    epoch = hold_store(path, say=lambda _: None)
    return run_stoppable(_append(path, epoch, rows, ending, as_of))


async def _append(
    path: Path, epoch: int, rows: Sequence[ResultRow], ending: str, as_of: int
) -> bool:
    store = Store(path, epoch)
    try:
        is_as_it_was = store.seq == as_of
        if is_as_it_was:
            await append_statistics(store, rows)
        return is_as_it_was
    finally:
        await store.close(ending)
