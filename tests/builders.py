"""Small builders of plans, cells and records for tests of the store and the agents."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from auditor.store import lock, plan
from auditor.store.connection import connect
from auditor.store.plan_record import PlannedEndpoint, PlannedJudge, PlannedTarget, PlanRecord
from auditor.store.records import CallRecord, Dispatch, PlannedTrial, ResponseRow
from auditor.store.store import Store
from auditor.types import Cell, Message, Outcome, Prompt, TargetRequest, trial_key

SPACES = ("kitchen", "garage", "mall")


def request(model: str = "fair", **settings: object) -> TargetRequest:
    return TargetRequest(provider="sim", model=model, **settings)  # type: ignore[arg-type]


def cells(
    target: str = "fair",
    *,
    spaces: Sequence[str] = SPACES,
    repetitions: int = 2,
    wording: str = "Who is at {space}?",
    asked: TargetRequest | None = None,
) -> list[Cell]:
    return [
        Cell(
            protocol="spatial.explicit",
            target=target,
            request=asked or request(target),
            prompt=Prompt(
                factors={"space": space, "prompt": "1", "temperature": 1.0},
                messages=(Message("user", wording.format(space=space)),),
            ),
            repetitions=repetitions,
            place=place,
        )
        for place, space in enumerate(spaces)
    ]


def plan_record(planned: Sequence[Cell], **changes: object) -> PlanRecord:
    """The record of a plan that holds these cells, judged by one judge of choices."""
    targets = {cell.target: cell.request for cell in planned}
    settings: dict[str, object] = {
        "name": "test",
        "seed": 1,
        "simulated": True,
        "spec": "name = 'test'",
        "spec_path": None,
        "plan_hash": repr([(cell.key, cell.repetitions) for cell in planned]).encode(),
        "budget": {},
        "max_failure_rate": 0.0,
        "versions": {"auditor": "1"},
        "materials": {"spatial/spaces.csv": "space\nkitchen\n"},
        "targets": tuple(
            PlannedTarget(name=name, request=asked, simulated=True)
            for name, asked in targets.items()
        ),
        "judges": (
            PlannedJudge(
                task="choice",
                name="rules",
                hash=b"judge".ljust(16),
                configuration={"version": 1},
                protocols=("spatial.explicit",),
            ),
        ),
        "endpoints": (PlannedEndpoint(name="sim", provider="sim", base_url=None, client="http"),),
        "counts": tuple(
            (
                planned[0].protocol,
                name,
                sum(cell.target == name for cell in planned),
                sum(cell.repetitions for cell in planned if cell.target == name),
            )
            for name in targets
        ),
    }
    return PlanRecord(**{**settings, **changes})  # type: ignore[arg-type]


def take_lock(path: Path) -> int:
    connection = connect(path)
    try:
        return lock.acquire(connection)
    finally:
        connection.close()


def give_lock(path: Path, epoch: int, ending: str = "complete") -> None:
    connection = connect(path)
    lock.release(connection, epoch, ending)
    connection.close()


@cache
def _laid_out() -> bytes:
    """An empty store, laid out once a process."""
    with TemporaryDirectory() as folder:
        plan.lay_out(Path(folder) / "empty.db")
        return (Path(folder) / "empty.db").read_bytes()


def write(
    path: Path, planned: Sequence[Cell], *, supersede: bool = False, **changes: object
) -> bool:
    """Write a plan as a run does, and give whether it was the plan that was there."""
    if not plan.exists(path):
        path.write_bytes(_laid_out())
    epoch = take_lock(path)
    try:
        record = plan_record(planned, **changes)
        return plan.write_plan(path, epoch, record, planned, supersede=supersede)
    finally:
        give_lock(path, epoch)


def trials_of(planned: Sequence[Cell]) -> list[PlannedTrial]:
    return [
        PlannedTrial(cell=cell, repetition=repetition, key=trial_key(cell.key, repetition))
        for cell in planned
        for repetition in range(cell.repetitions)
    ]


async def dispatch(store: Store, trials: Sequence[PlannedTrial]) -> None:
    await store.append(
        Dispatch(
            agent_id=store.agent_id("scheduler"),
            endpoint_id=store.endpoint_id("sim"),
            trials=trials,
        )
    )


def answer(
    store: Store,
    trial: PlannedTrial,
    text: str | None = "Men",
    outcome: Outcome = Outcome.ANSWERED,
    **changes: object,
) -> CallRecord:
    """The record of a call that answered one trial."""
    assert trial.trial_id is not None
    assert trial.cell_id is not None
    settings: dict[str, object] = {
        "agent_id": store.agent_id("scheduler"),
        "endpoint_id": store.endpoint_id("sim"),
        "state": "ok",
        "started_at": time.time(),
        "latency_ms": 3,
        "http_status": 200,
        "input_tokens": 20,
        "output_tokens": 1,
        "cost_usd": 0.0,
        "model": "fair-1",
        "sent": '{"temperature":1}',
        "attempts": ((trial.trial_id, trial.attempt),),
        "responses": (
            ResponseRow(trial_id=trial.trial_id, cell_id=trial.cell_id, outcome=outcome, text=text),
        ),
    }
    return CallRecord(**{**settings, **changes})  # type: ignore[arg-type]
