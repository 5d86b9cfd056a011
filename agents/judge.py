"""An offline judge at work: follows what it reads and appends its annotations.

Its checkpoint is the last source that it has settled. Sources come in the order of their commits
and it works them off in that order, so after a restart it goes on from there; first it turns to
those at which it failed before.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from functools import partial
from time import monotonic
from typing import TypeVar

from agents.following import first_of
from agents.judges.base import (
    Answer,
    AnswerJudge,
    AnyJudge,
    BatchJudge,
    TextJudge,
    Verdict,
    can_hurry,
    is_answer_judge,
    is_batch_judge,
    is_text_judge,
)
from auditor.canonical import canonical_json
from auditor.errors import AuditorError, JudgeError, JudgeHurried, JudgeStopped
from auditor.store.records import Alarm, AnnotationRow, Annotations, FailureRow
from auditor.store.sources import Source, checkpoint, sources_to_judge
from auditor.store.store import Store

_T = TypeVar("_T")
_BATCH = 200
"""Sources a look: few enough that the event loop is never held for long."""
_LONGEST_SECONDS = 0.01
"""For which judges without a process of their own compute, before others have their turn."""
_Said = Verdict | str | None
"""A verdict, why the judge has failed, or None: the user would not wait, and the source is open."""
_Batch = tuple[Sequence[Source], "asyncio.Future[list[_Said]]", int]
"""Sources, what the judge says of each, and up to where all are settled then."""


class JudgeAgent:
    """Runs one offline judge over all sources of its task, until no more can come.

    A judge with a process of its own is asked about each text of a batch once, and closed in the
    end. Where it has to stop, `stopped_by` says why, an alarm too, and what is left stays open.
    It takes up `limit` sources at most (None: all), and none once `stop` is set or it is hurried.
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
        limit: int | None = None,
        stop: asyncio.Event | None = None,
    ) -> None:
        self.stopped_by: JudgeStopped | None = None
        self._judge = judge
        self._judge_id = judge_id
        self._store = store
        self._reads = reads
        self._sees = judge.sees if is_answer_judge(judge) else frozenset[str]()
        self._upstream_done = upstream_done
        self._left = limit
        self._hurried = asyncio.Event()
        self._stops = [self._hurried, *([stop] if stop else [])]
        self._is_whole = True
        """Whether all that was taken up has been settled; else the checkpoint stays."""
        self._has_told = False
        self._full_name = f"judge:{judge.task}/{name}"
        self._agent_id = store.agent_id(self._full_name)
        self._under_way: _Batch | None = None
        if can_hurry(judge):
            judge.on_wait = self._tell

    @property
    def waits_for(self) -> str | None:
        """What a judge with a program of its own is waiting for; None where nothing is awaited."""
        return self._judge.waits_for if can_hurry(self._judge) else None

    def hurry(self, grace_seconds: float) -> None:
        """Give a program of its own so long for what it is being asked; the rest stays open.

        Judges that compute in this process, and the project's own, are quick and go on.
        """
        if can_hurry(self._judge):
            self._judge.hurry(grace_seconds)
            self._hurried.set()

    def _tell(self, words: str) -> None:
        """Say once what is waited for."""
        if not self._has_told:
            self._has_told = True
            said = f"{self._full_name.replace(':', ' ')}: {words}"
            self._store.post(Alarm(agent_id=self._agent_id, message=said))

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
            await self._give_up()
            if is_batch_judge(self._judge):
                await self._judge.close()

    async def _try_again(self, settled: int) -> None:
        """Judge the sources at which an earlier run failed."""
        after = 0
        while sources := self._sources(after, failed_until=settled):
            after = sources[-1].seq
            await self._take_up(sources, settled)
        await self._settle()

    async def _follow(self, after: int) -> None:
        woken = self._store.follow()
        while True:
            # The order matters: whatever was committed before the end was told is found below.
            is_last_look = self._upstream_done.is_set()
            woken.clear()
            if sources := self._sources(after):
                after = sources[-1].seq
                await self._take_up(sources, after)
            elif self._under_way is not None:
                await self._settle()
            elif is_last_look or self._left == 0:
                return
            else:
                await first_of(woken, self._upstream_done, *self._stops)

    def _sources(self, after: int, failed_until: int | None = None) -> list[Source]:
        if any(stop.is_set() for stop in self._stops):
            self._left = 0
        sources = sources_to_judge(
            self._store.reader,
            self._judge_id,
            after=after,
            limit=_BATCH if self._left is None else min(_BATCH, self._left),
            reads=self._reads,
            failed_until=failed_until,
            sees=self._sees,
        )
        if self._left is not None:
            self._left -= len(sources)
        return sources

    async def _take_up(self, sources: Sequence[Source], settled: int) -> None:
        """Have these sources judged, while what was said of those before them is stored."""
        verdicts = asyncio.ensure_future(self._verdicts(sources))
        try:
            await self._settle()
        finally:
            self._under_way = (sources, verdicts, settled)

    async def _give_up(self) -> None:
        """Let go of sources that were taken up and will not be settled."""
        if self._under_way is not None:
            _, verdicts, _ = self._under_way
            verdicts.cancel()
            await asyncio.gather(verdicts, return_exceptions=True)

    async def _settle(self) -> None:
        """Store what the judge says of the sources under way, and that all are settled by then."""
        if self._under_way is None:
            return
        (sources, said, settled), self._under_way = self._under_way, None
        verdicts = await said
        rows: list[AnnotationRow] = []
        failures: list[FailureRow] = []
        for source, verdict in zip(sources, verdicts, strict=True):
            if verdict is None:
                self._is_whole = False
            elif isinstance(verdict, Verdict):
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
                checkpoint=settled if self._is_whole else None,
            )
        )

    async def _verdicts(self, sources: Sequence[Source]) -> list[_Said]:
        """What the judge says of each source, or why it has failed there."""
        judge = self._judge
        if is_answer_judge(judge):
            return [said async for said in _in_turns(partial(_of_answer, judge), sources)]
        texts = list(dict.fromkeys(source.text for source in sources))
        verdicts: dict[str, _Said] = {}
        if is_text_judge(judge):
            said = [verdict async for verdict in _in_turns(partial(_of_one, judge), texts)]
            verdicts.update(zip(texts, said, strict=True))
        else:
            assert is_batch_judge(judge)
            verdicts = await _of_batch(judge, texts)
        return [verdicts[source.text] for source in sources]


async def _in_turns(
    judge: Callable[[_T], Verdict | str], sources: Iterable[_T]
) -> AsyncIterator[Verdict | str]:
    """What a judge says of each, with a turn for everybody else on the loop now and then."""
    since = monotonic()
    for source in sources:
        yield judge(source)
        if monotonic() - since > _LONGEST_SECONDS:
            await asyncio.sleep(0)
            since = monotonic()


async def _of_batch(judge: BatchJudge, texts: list[str]) -> dict[str, _Said]:
    try:
        said = zip(texts, await judge.judge_batch(texts), strict=True)
        return {text: _kept(each) for text, each in said}
    except JudgeStopped:
        raise
    except Exception as error:  # a judge's bug loses its own batch, nothing else
        return dict.fromkeys(texts, _described(error))


def _kept(said: Verdict | JudgeError) -> _Said:
    if isinstance(said, JudgeHurried):
        return None
    return _described(said) if isinstance(said, Exception) else said


def _of_one(judge: TextJudge, text: str) -> Verdict | str:
    try:
        return judge.judge(text)
    except Exception as error:  # a judge's bug loses its own annotation, nothing else
        return _described(error)


def _of_answer(judge: AnswerJudge, source: Source) -> Verdict | str:
    try:
        return judge.judge_answer(
            Answer(source.text, source.factors or {}, source.prompt, source.logprobs)
        )
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
