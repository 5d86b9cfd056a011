"""An offline judge at work: follows what it reads and appends its annotations.

Its checkpoint is the last source that it has settled. Sources come in the order of their commits
and it works them off in that order, so after a restart it goes on from there; first it turns to
those at which it failed before.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from agents.following import first_of
from agents.judges.base import (
    AnyJudge,
    BatchJudge,
    TextJudge,
    Verdict,
    is_batch_judge,
    is_text_judge,
)
from auditor.canonical import canonical_json
from auditor.errors import AuditorError, JudgeStopped
from auditor.store.records import Alarm, AnnotationRow, Annotations, FailureRow
from auditor.store.sources import Source, checkpoint, sources_to_judge
from auditor.store.store import Store

_BATCH = 200
"""Sources a look: few enough that the event loop is never held for long."""


class JudgeAgent:
    """Runs one offline judge over all sources of its task, until no more can come.

    A judge with a process of its own is asked about each text of a batch once, and closed in the
    end. Where it has to stop, `stopped_by` says why, an alarm too, and what is left stays open.
    """

    def __init__(
        self,
        judge: AnyJudge,
        *,
        name: str,
        judge_id: int,
        store: Store,
        reads: str | None,
        upstream_done: asyncio.Event,
    ) -> None:
        self.stopped_by: JudgeStopped | None = None
        self._judge = judge
        self._judge_id = judge_id
        self._store = store
        self._reads = reads
        self._upstream_done = upstream_done
        self._full_name = f"judge:{judge.task}/{name}"
        self._agent_id = store.agent_id(self._full_name)

    async def run(self) -> None:
        """Judge what is there and what comes, until those that make sources have ended."""
        try:
            settled = checkpoint(self._store.reader, self._judge_id)
            await self._try_again(settled)
            await self._follow(settled)
        except JudgeStopped as error:
            self.stopped_by = error
            said = f"{self._full_name.replace(':', ' ')}: stopped: {error.message}"
            await self._store.append(Alarm(agent_id=self._agent_id, message=said))
        finally:
            if is_batch_judge(self._judge):
                await self._judge.close()

    async def _try_again(self, settled: int) -> None:
        """Judge the sources at which an earlier run failed."""
        after = 0
        while sources := self._sources(after, failed_until=settled):
            after = sources[-1].seq
            await self._settle(sources, settled)

    async def _follow(self, after: int) -> None:
        woken = self._store.follow()
        while True:
            # The order matters: whatever was committed before the end was told is found below.
            is_last_look = self._upstream_done.is_set()
            woken.clear()
            if sources := self._sources(after):
                after = sources[-1].seq
                await self._settle(sources, after)
            elif is_last_look:
                return
            else:
                await first_of(woken, self._upstream_done)

    def _sources(self, after: int, failed_until: int | None = None) -> list[Source]:
        return sources_to_judge(
            self._store.reader,
            self._judge_id,
            after=after,
            limit=_BATCH,
            reads=self._reads,
            failed_until=failed_until,
        )

    async def _settle(self, sources: list[Source], settled: int) -> None:
        """Store what the judge says of these sources, and that all up to a point are settled."""
        verdicts = await self._verdicts({source.text: None for source in sources})
        rows: list[AnnotationRow] = []
        failures: list[FailureRow] = []
        for source in sources:
            verdict = verdicts[source.text]
            if isinstance(verdict, Verdict):
                rows.append(annotation(self._judge_id, source, verdict))
            else:
                failures.append(
                    FailureRow(
                        trial_id=source.trial_id,
                        kind="judge",
                        message=verdict,
                        judge_id=self._judge_id,
                        source=source.seq,
                    )
                )
        await self._store.append(
            Annotations(
                agent_id=self._agent_id,
                judge_id=self._judge_id,
                rows=rows,
                failures=failures,
                checkpoint=settled,
            )
        )

    async def _verdicts(self, texts: Iterable[str]) -> dict[str, Verdict | str]:
        """What the judge says of each text, or why it has failed there."""
        if is_text_judge(self._judge):
            return {text: _of_one(self._judge, text) for text in texts}
        assert is_batch_judge(self._judge)
        return await _of_batch(self._judge, list(texts))


async def _of_batch(judge: BatchJudge, texts: list[str]) -> dict[str, Verdict | str]:
    try:
        return dict(zip(texts, await judge.judge_batch(texts), strict=True))
    except JudgeStopped:
        raise
    except Exception as error:  # a judge's bug loses its own batch, nothing else
        return dict.fromkeys(texts, _described(error))


def _of_one(judge: TextJudge, text: str) -> Verdict | str:
    try:
        return judge.judge(text)
    except Exception as error:  # a judge's bug loses its own annotation, nothing else
        return _described(error)


def _described(error: Exception) -> str:
    return str(error) if isinstance(error, AuditorError) else f"{type(error).__name__}: {error}"


def annotation(judge_id: int, source: Source, verdict: Verdict) -> AnnotationRow:
    """The row of a verdict."""
    return AnnotationRow(
        judge_id=judge_id,
        source=source.seq,
        trial_id=source.trial_id,
        cell_id=source.cell_id,
        valid=verdict.valid,
        value=canonical_json(verdict.value) if verdict.valid else None,
        reason=verdict.reason,
    )
