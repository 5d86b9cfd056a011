"""An offline judge at work: follows what it reads and appends its annotations.

Its checkpoint is the last source that it has settled. Sources come in the order of their commits
and it works them off in that order, so after a restart it goes on from there.
"""

from __future__ import annotations

import asyncio

from agents.judges.base import TextJudge, Verdict
from auditor.canonical import canonical_json
from auditor.store.records import AnnotationRow, Annotations, FailureRow
from auditor.store.sources import Source, checkpoint, sources_to_judge
from auditor.store.store import Store

_BATCH = 200
"""Sources a look: few enough that the event loop is never held for long."""


class JudgeAgent:
    """Runs one offline judge over all sources of its task, until no more can come."""

    def __init__(
        self,
        judge: TextJudge,
        *,
        name: str,
        judge_id: int,
        store: Store,
        reads: str | None,
        upstream_done: asyncio.Event,
    ) -> None:
        self._judge = judge
        self._judge_id = judge_id
        self._store = store
        self._reads = reads
        self._upstream_done = upstream_done
        self._agent_id = store.agent_id(f"judge:{judge.task}/{name}")

    async def run(self) -> None:
        """Judge what is there and what comes, until those that make sources have ended."""
        woken = self._store.follow()
        after = checkpoint(self._store.reader, self._judge_id)
        while True:
            # The order matters: whatever was committed before the end was told is found below.
            is_last_look = self._upstream_done.is_set()
            woken.clear()
            sources = sources_to_judge(
                self._store.reader, self._judge_id, after=after, limit=_BATCH, reads=self._reads
            )
            if sources:
                after = sources[-1].seq
                await self._store.append(self._annotations(sources, after))
            elif is_last_look:
                return
            else:
                await self._wait(woken)

    async def _wait(self, woken: asyncio.Event) -> None:
        waits = [
            asyncio.ensure_future(woken.wait()),
            asyncio.ensure_future(self._upstream_done.wait()),
        ]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    def _annotations(self, sources: list[Source], after: int) -> Annotations:
        rows: list[AnnotationRow] = []
        failures: list[FailureRow] = []
        for source in sources:
            try:
                verdict = self._judge.judge(source.text)
            except Exception as error:  # a judge's bug loses its own annotation, nothing else
                failures.append(
                    FailureRow(
                        trial_id=source.trial_id,
                        kind="judge",
                        message=f"{type(error).__name__}: {error}",
                        judge_id=self._judge_id,
                        source=source.seq,
                    )
                )
            else:
                rows.append(annotation(self._judge_id, source, verdict))
        return Annotations(
            agent_id=self._agent_id,
            judge_id=self._judge_id,
            rows=rows,
            failures=failures,
            checkpoint=after,
        )


def annotation(judge_id: int, source: Source, verdict: Verdict) -> AnnotationRow:
    """The row of a verdict; its label is what the tallies count it as."""
    if not verdict.valid:
        value, label = None, "invalid"
    else:
        value = canonical_json(verdict.value)
        label = verdict.value if isinstance(verdict.value, str) else "valid"
    return AnnotationRow(
        judge_id=judge_id,
        source=source.seq,
        trial_id=source.trial_id,
        cell_id=source.cell_id,
        valid=verdict.valid,
        value=value,
        label=label,
        reason=None if verdict.valid else verdict.reason,
    )
