"""Calls of a process that died: nobody knows what became of them."""

from __future__ import annotations

import time

from auditor.store.calls import LeftInFlight, LeftWithJudge, left_in_flight, left_with_judges
from auditor.store.records import CallRecord
from auditor.store.store import Store


async def record_unknown_calls(store: Store, epoch: int) -> None:
    """Record the calls that processes before this epoch left; the caller holds the store's lock."""
    for left in left_in_flight(store.reader, epoch):
        record = _died(left)
        record.attempts, record.landed = ((left.trial_id, left.attempt),), (left.trial_id,)
        await store.append(record)
    for with_judge in left_with_judges(store.reader, epoch):
        record = _died(with_judge)
        record.unjudged = ((with_judge.judge_id, with_judge.source),)
        await store.append(record)


def _died(left: LeftInFlight | LeftWithJudge) -> CallRecord:
    return CallRecord(
        agent_id=left.agent_id,
        endpoint_id=left.endpoint_id,
        state="unknown",
        started_at=time.time(),
        latency_ms=None,
        attempt=left.attempt,
        reserved_usd=left.reserved_usd,
        reserved_tokens=left.reserved_tokens,
        error_kind="died",
        error="the process ended while this call was, or was about to be, under way",
    )
