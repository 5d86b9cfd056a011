"""Asking every model of a spec what it takes, outside a run."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path

from agents.shutdown import Ending
from auditor.endpoints import Budget, Prices
from auditor.scheduler.left_out import found_out, said_once
from auditor.scheduler.opening import check_place, open_endpoint, ready_store
from auditor.scheduler.plan import Plan
from auditor.scheduler.profiles import Probed, probe_targets
from auditor.scheduler.stoppable import run_stoppable
from auditor.store import plan as stored
from auditor.store.store import Store


def examine(plan: Plan, path: Path, *, say: Callable[[str], None]) -> list[Probed]:
    """Ask all models anew and keep the findings in the store, made if there is none.

    Says, too, which targets a run would leave out of which protocols.
    """
    check_place(path, plan.spec.name)
    with ready_store(path, say=say) as epoch:
        stored.write_plan(path, epoch, plan.record(), plan.all_cells())
    return run_stoppable(_examine(plan, path, epoch, say))


async def _examine(plan: Plan, path: Path, epoch: int, say: Callable[[str], None]) -> list[Probed]:
    store = Store(path, epoch)
    begun, ending = time.monotonic(), Ending.INCOMPLETE
    spec = plan.spec
    endpoints = {
        name: open_endpoint(
            spec.endpoints[name], seed=spec.seed, environ=os.environ, connection=store.reader
        )
        for name in spec.used_endpoints
    }
    prices = {name: Prices(spec.endpoints[name]) for name in spec.used_endpoints}
    try:
        probed = await probe_targets(
            spec.targets,
            endpoints,
            prices,
            Budget(),
            store,
            say=say,
            judges=spec.judges,
            every=True,
        )
        protocols = [protocol for protocol, _ in plan.protocols.values()]
        reasons = {**plan.left_out, **found_out(spec.targets, protocols, store.reader)}
    except asyncio.CancelledError:
        ending = Ending.INTERRUPTED
        raise
    finally:
        try:
            for endpoint in endpoints.values():
                await endpoint.close()
        finally:
            # Whatever happens, the lock is given back and the writer's thread ends.
            await store.close(ending)
    say(f"asked in {time.monotonic() - begun:.1f} s")
    for sentence in said_once(reasons):
        say(sentence)
    return probed
