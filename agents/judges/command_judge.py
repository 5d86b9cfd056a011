"""A judge in a process of its own that is spoken to in lines: a command, or an outside package.

Its faults stay its own: a text on which it dies, hangs or prints what is no reply becomes a
failure of that text alone, after the other texts under way have been asked again one by one.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from agents.judges.base import Verdict
from agents.judges.command_lines import Answered, Garbage, Hello, parse_line, request_line
from agents.judges.command_process import PATIENCE_SECONDS, Launch, LineProcess, ProcessGone, ended
from auditor.canonical import canonical_json
from auditor.errors import JudgeError, JudgeHurried, JudgeStopped
from auditor.types import JSON

MOST_RESTARTS = 10
"""In one run, whatever for."""
MOST_IN_VAIN = 4
"""Ends in a row without one answer between them."""
MOST_TIMEOUTS = 2
"""Of those, ends because no answer came in time: each has cost the whole wait."""
TIMEOUT_SECONDS = 60.0
"""Without an answer, where nothing else is set."""
START_SECONDS = 120.0
"""For loading, at least."""
GRACE_SECONDS = 5.0
"""For what it is being asked, once the user wants to stop."""
WORDS_AFTER_SECONDS = 10.0
"""Without an answer, before it is said what is waited for."""
NOT_ALLOWED = "value not allowed"
"""Why a valid verdict becomes invalid: the protocol refuses its value."""
HOLDS_KEY = "value holds a key"
"""Why a valid verdict becomes invalid: a key of its environment would be stored."""

_WINDOW = 32
"""Requests under way, so that a program that likes to can answer several at once."""
_RESUME_HINT = "mend the judge; `auditor resume` starts it again for what it has not judged"


@dataclass(frozen=True, kw_only=True)
class Bench:
    """What a judge is appointed to."""

    protocol: str
    task: str
    reads: str | None
    """The task whose annotations it reads; None: responses."""
    check: Callable[[JSON], str | None]
    """None for a value that the task may take."""


class LineJudge:
    """A batch judge over a program that answers lines.

    Args:
        name: the judge's name.
        bench: what it judges.
        launch: how the program is started.
        configuration: all that its verdicts depend on.
        hello: what the program says of itself when it starts; None: nothing. Where a start says
            otherwise, the judge stops: its verdicts would stand under the wrong configuration.
        timeout_seconds: longest wait for the next answer; for the first one, and for a hello,
            START_SECONDS at least. A program that gives none at all is given up after
            MOST_TIMEOUTS such waits: with the defaults after 4 minutes.
    """

    def __init__(
        self,
        *,
        name: str,
        bench: Bench,
        launch: Launch,
        configuration: Mapping[str, JSON],
        hello: JSON = None,
        timeout_seconds: float = TIMEOUT_SECONDS,
    ) -> None:
        self.on_wait: Callable[[str], None] = lambda _: None
        """Is told what is waited for, and how long at most."""
        self.words_after_seconds = WORDS_AFTER_SECONDS
        """A wait that is longer is told."""
        self.task = bench.task
        self.name = name
        self.configuration = configuration
        self._bench = bench
        self._launch = launch
        self._scrub = launch.scrub
        self._hello = hello
        self._timeout_seconds = timeout_seconds
        self._lock = asyncio.Lock()
        self._numbers = count(1)
        self._process: LineProcess | None = None
        self._restarts = 0
        self._in_vain = 0
        self._timeouts = 0
        """Among those in vain."""
        self._is_loaded = False
        """Whether this run of the program has said something."""
        self._pending: dict[str, int] = {}
        """Places in the batch of the requests under way, by their numbers."""
        self._wait: asyncio.Timeout | None = None
        """For the next line, while one is waited for."""
        self._hurried_until: float | None = None
        """On the loop's clock; None: there is time."""
        self._stopped: JudgeStopped | None = None

    @property
    def pid(self) -> int | None:
        """The process's id; None while there is none."""
        return None if self._process is None else self._process.pid

    @property
    def waits_for(self) -> str | None:
        """What it is waiting for, "3 lines" for example; None where it waits for nothing."""
        if self._wait is None:
            return None
        if not self._pending:
            return "its first line"
        return "1 line" if len(self._pending) == 1 else f"{len(self._pending)} lines"

    def hurry(self, grace_seconds: float) -> None:
        """End soon: what is not answered by then is given up as JudgeHurried, and what comes too.

        The program is killed then, in whatever it is.
        """
        until = asyncio.get_running_loop().time() + grace_seconds
        self._hurried_until = until
        wait = self._wait
        when = None if wait is None else wait.when()
        if wait is not None and when is not None and when > until and not wait.expired():
            wait.reschedule(until)

    async def start(self) -> None:
        """Start the program, if it does not run. Raises JudgeStopped where it cannot be."""
        async with self._lock:
            while self._process is None:
                await self._ready()

    async def close(self) -> None:
        """End the program. A later call starts it again."""
        async with self._lock:
            await self._end()

    async def judge_batch(self, values: Sequence[str]) -> list[Verdict | JudgeError]:
        """The verdicts in the order of the values; a JudgeError where it has failed.

        Raises JudgeStopped where it does not work any more and has judged none of these. Cancelled,
        it kills the program.
        """
        async with self._lock:
            answers: dict[int, Verdict | JudgeError] = {}
            todo = deque(range(len(values)))
            window = _WINDOW
            try:
                while todo:
                    window = await self._work_off(todo, window, values, answers)
            except JudgeHurried as error:
                return [answers.get(place, error) for place in range(len(values))]
            except JudgeStopped as error:
                if not any(isinstance(said, Verdict) for said in answers.values()):
                    raise
                # What it did answer is kept; the next batch meets the same error at once.
                return [answers.get(place, error) for place in range(len(values))]
            return [answers[place] for place in range(len(values))]

    async def _work_off(
        self,
        todo: deque[int],
        window: int,
        values: Sequence[str],
        answers: dict[int, Verdict | JudgeError],
    ) -> int:
        """Ask until all is answered or the program fails; gives the window to go on with."""
        process = await self._ready()
        if process is None:
            return window
        pending: dict[str, int] = {}
        self._pending = pending
        try:
            while todo or pending:
                while todo and len(pending) < window:
                    number, place = str(next(self._numbers)), todo.popleft()
                    pending[number] = place
                    process.send(self._request(number, values[place]))
                line = parse_line(await self._line(process))
                if isinstance(line, Hello):
                    raise Garbage("said hello a second time, or one that it had not said before")
                if line.id not in pending:
                    raise Garbage(f"answered a request that was not under way: {line.id[:20]!r}")
                answers[pending.pop(line.id)] = self._checked(line)
                self._in_vain = self._timeouts = 0
                self._is_loaded = True
        except (Garbage, ProcessGone, TimeoutError, ValueError) as error:
            failure = await self._failed(error, self._patience_seconds)
            if len(pending) == 1:
                (place,) = pending.values()
                answers[place] = JudgeError(failure)
            elif pending:
                suspect, *others = pending.values()
                todo.extendleft(reversed(others))
                # Last: where it is this text's fault, the others show that the program works.
                todo.append(suspect)
            return 1
        except (asyncio.CancelledError, JudgeHurried):
            # The answers to come would be taken for those to other requests.
            await self._end(0.0)
            raise
        finally:
            self._pending = {}
        return window

    async def _line(self, process: LineProcess) -> bytes:
        """The program's next line. Raises TimeoutError, and JudgeHurried where time was cut."""
        loop = asyncio.get_running_loop()
        patience = self._patience_seconds
        until, hurried = loop.time() + patience, self._hurried_until
        words = loop.call_later(self.words_after_seconds, self._tell, patience)
        try:
            async with asyncio.timeout_at(
                until if hurried is None else min(until, hurried)
            ) as wait:
                self._wait = wait
                return await process.receive()
        except TimeoutError:
            hurried = self._hurried_until
            if hurried is None or loop.time() < hurried:
                raise
            raise JudgeHurried(f"{self._named} was stopped before it answered") from None
        finally:
            words.cancel()
            self._wait = None

    def _tell(self, patience: float) -> None:
        self.on_wait(
            f"waiting for {self.waits_for} for {self.words_after_seconds:g} s; gives up after"
            f" {patience:g} s without one"
        )

    def _request(self, number: str, source: str) -> bytes:
        bench = self._bench
        return request_line(number, bench.protocol, bench.task, bench.reads, source)

    def _checked(self, line: Answered) -> Verdict | JudgeError:
        said = line.said
        if isinstance(said, JudgeError):
            return JudgeError(self._scrub(said.message))
        if not said.valid:
            return Verdict(False, reason=self._scrub(said.reason or ""))
        try:
            wrong = self._bench.check(said.value)
        except Exception:  # a check of an outside protocol may not expect just any value
            wrong = NOT_ALLOWED
        if wrong is not None:
            return Verdict(False, reason=NOT_ALLOWED)
        if self._launch.is_given_away(canonical_json(said.value)):
            return Verdict(False, reason=HOLDS_KEY)
        return Verdict(True, said.value, said.reason and self._scrub(said.reason))

    async def _ready(self) -> LineProcess | None:
        """The running program; None where a start has failed that may be tried again."""
        if self._stopped is not None:
            raise self._stopped
        if self._process is not None:
            return self._process
        try:
            self._process = await LineProcess.start(self._launch)
        except OSError as error:
            self._stopped = JudgeStopped(
                f"{self._named}: cannot be started: {error.strerror}", hint=_RESUME_HINT
            )
            raise self._stopped from error
        self._is_loaded = False
        if self._hello is None:
            return self._process
        try:
            line = parse_line(await self._line(self._process))
        except (Garbage, ProcessGone, TimeoutError, ValueError) as error:
            await self._failed(error, self._patience_seconds)
            return None
        except (asyncio.CancelledError, JudgeHurried):
            await self._end(0.0)
            raise
        if not isinstance(line, Hello) or not _same(line.configuration, self._hello):
            await self._end()
            self._stopped = JudgeStopped(
                f"{self._named}: says another configuration than when it was tried",
                hint=_RESUME_HINT,
            )
            raise self._stopped
        self._is_loaded = True
        return self._process

    @property
    def _patience_seconds(self) -> float:
        """Longest wait for a line: it may take a while to load before its first one."""
        is_loaded, usual = self._is_loaded, self._timeout_seconds
        return usual if is_loaded else max(START_SECONDS, usual)

    @property
    def _named(self) -> str:
        return f"the process of judge {self.task}/{self.name}"

    async def _failed(self, error: Exception, waited_seconds: float) -> str:
        """End the program after a failure; gives what happened.

        Where it may not be started again, the next use of it raises JudgeStopped.
        """
        process, self._process = self._process, None
        assert process is not None
        is_gone = isinstance(error, ProcessGone)
        code = await (process.end() if is_gone else process.end(0.0))
        if is_gone:
            said = ended(code)
        elif isinstance(error, TimeoutError):
            said = (
                f"gave no answer in {waited_seconds:g} s"
                " (does it flush its output after each line?)"
            )
        else:
            said = self._scrub(str(error))
        tail = process.tail()
        failure = f"{self._named} {said}" + (f"; its last words: {tail}" if tail else "")
        self._restarts += 1
        self._in_vain += 1
        self._timeouts += isinstance(error, TimeoutError)
        is_vain = self._in_vain >= MOST_IN_VAIN or self._timeouts >= MOST_TIMEOUTS
        if self._restarts > MOST_RESTARTS or is_vain:
            times = "once" if self._restarts == 1 else f"{self._restarts} times"
            self._stopped = JudgeStopped(
                f"{failure}; it has failed {times} and is not started again", hint=_RESUME_HINT
            )
        return failure

    async def _end(self, patience_seconds: float = PATIENCE_SECONDS) -> None:
        process, self._process = self._process, None
        if process is not None:
            await process.end(patience_seconds)


def _same(one: JSON, other: JSON) -> bool:
    try:
        return canonical_json(one) == canonical_json(other)
    except (ValueError, TypeError, RecursionError):
        return False
