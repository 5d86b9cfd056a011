"""Whether a judge keeps what judges promise: checks that people run on a judge of their own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

import rubrics
from agents.judges.base import (
    Answer,
    AnyJudge,
    Verdict,
    can_hurry,
    is_answer_judge,
    is_batch_judge,
    is_text_judge,
)
from agents.judges.command_judge import NOT_ALLOWED
from agents.judges.command_lines import NO_REASON, NO_VALUE, NOT_A_REASON, NOT_BOOLEAN
from agents.judges.command_process import kill_all
from agents.judges.odd_texts import ODD_TEXTS
from agents.judges.outside_process import NO_VERDICT, NOT_JSON
from auditor import protocols
from auditor.canonical import canonical_json
from auditor.errors import AuditorError
from auditor.harmless import harmless
from auditor.plugins import described
from auditor.protocols.base import AnyProtocol, Task
from auditor.types import JSON

TIMEOUT_SECONDS = 10.0
"""For one odd text, none of which is longer than 220 kB."""
LONGEST_REASON = 200

_START_SECONDS = 120.0
_ALONE = 8
"""Texts that are also asked one by one."""
_MALFORMED = (NO_REASON, NO_VALUE, NOT_A_REASON, NOT_BOOLEAN, NO_VERDICT, NOT_JSON, NOT_ALLOWED)

Said = Verdict | Exception
"""What a judge gave; one of an outside package may have given anything else."""


@dataclass(frozen=True, kw_only=True)
class Check:
    """One promise, and whether the judge keeps it."""

    name: str
    passed: bool | None
    """None: not tried."""
    said: str
    """What was seen: where it fails an example, where it was not tried the reason."""


@dataclass(frozen=True, slots=True)
class _Source:
    kind: str
    text: str
    """As the judge is given it: a response, or an annotation as JSON."""


async def conformance(
    open_judge: Callable[[], AnyJudge],
    protocol: str,
    task: Task,
    name: str | None,
    tell: Callable[[str], None] = lambda _: None,
) -> list[Check]:
    """The checks of one judge of a protocol's task. Raises nothing that a judge may do.

    `open_judge` makes it anew at each call; `name` is what it has to call itself, None anything;
    `tell` hears what is waited for. Later checks are left out where the judge does not load or
    start, and not tried where it has said nothing that they could look at.
    """
    checks: list[Check] = []
    try:
        # In a thread: a command is tried, and Ctrl-C has to be heard meanwhile.
        judge, again = await asyncio.to_thread(lambda: (open_judge(), open_judge()))
    except asyncio.CancelledError:
        kill_all()
        raise
    except Exception as error:
        return [_check("loads", _words(error))]
    checks.append(_check("loads", None))
    checks.append(_check("declares its task and name", _wrong_names(judge, task, name)))
    checks.append(_check("has the same JSON configuration at every load", _wrong(judge, again)))
    if can_hurry(judge):
        judge.on_wait = tell
    try:
        if is_batch_judge(judge):
            async with asyncio.timeout(_START_SECONDS):
                await judge.start()
        checks += await _answers(judge, protocols.get(protocol), task, tell)
    except Exception as error:
        checks.append(_check("starts", _words(error)))
    finally:
        checks.append(await _closing(judge))
    return checks


async def _answers(
    judge: AnyJudge, protocol: AnyProtocol, task: Task, tell: Callable[[str], None]
) -> list[Check]:
    sources = _sources(protocol, task)
    answer = _answer_of(protocol)
    texts = [source.text for source in sources]
    tell(f"asking about {len(sources)} odd texts, {TIMEOUT_SECONDS:g} s each at most")
    first = await _said(judge, texts, answer, tell)
    checks = [_check(f"answers {len(sources)} odd texts, each in time", _failure(sources, first))]
    repeated, ordered = "says the same again", "says the same in another order, and alone"
    allowed = f"gives values that the task {task.name!r} may take"
    reasoned = "gives short reasons, one for each invalid verdict"
    if not _verdicts(first):
        why = "it gave no verdict"
        return [*checks, *(_untried(name, why) for name in (repeated, ordered, allowed, reasoned))]
    again = await _said(judge, texts, answer, tell)
    checks.append(_compared(repeated, sources, first, again))
    backwards = (await _said(judge, texts[::-1], answer, tell))[::-1]
    alone = [each for text in texts[:_ALONE] for each in await _said(judge, [text], answer, tell)]
    checks.append(_compared(ordered, sources, first, backwards, alone))
    malformed = _malformed(sources, first, protocol, task)
    if malformed is None and not _any_valid(first):
        plain = _plain_sources(task)
        answers = [source.text for source in plain]
        easy = await _said(judge, answers, answer, tell) if plain else []
        checks.append(_of_plain(allowed, plain, easy, _malformed(plain, easy, protocol, task)))
    else:
        checks.append(_check(allowed, malformed))
    if all(verdict.valid and verdict.reason is None for verdict in _verdicts(first)):
        checks.append(_untried(reasoned, "it gave no reason, and no invalid verdict"))
    else:
        checks.append(_check(reasoned, _reasons(first)))
    return checks


def _verdicts(said: Sequence[Said]) -> list[Verdict]:
    return [each for each in said if isinstance(each, Verdict)]


def _any_valid(said: Sequence[Said]) -> bool:
    return any(verdict.valid for verdict in _verdicts(said))


def _of_plain(
    name: str, plain: Sequence[_Source], easy: Sequence[Said], malformed: str | None
) -> Check:
    """Whether what a judge says of plain answers may be said, where odd texts say nothing to it."""
    if malformed is not None or _any_valid(easy):
        return _check(name, malformed)
    answers = ", ".join(source.text for source in plain)
    of_plain = f", of the plain answers {answers} neither" if plain else ""
    return _untried(name, f"it gave no valid verdict{of_plain}")


def _compared(
    name: str, sources: Sequence[_Source], first: Sequence[Said], *others: Sequence[Said]
) -> Check:
    """Whether a judge said the same, of the texts of which it said something at both times."""
    for other in others:
        if (differs := _difference(sources, first, other)) is not None:
            return _check(name, differs)
    for other in others:
        pairs = zip(first, other, strict=False)
        if not any(isinstance(a, Verdict) and isinstance(b, Verdict) for a, b in pairs):
            return _untried(name, "it gave no verdict when it was asked again")
    return _check(name, None)


def _sources(protocol: AnyProtocol, task: Task) -> list[_Source]:
    if task.reads is None:
        return [_Source(kind, text) for kind, text in ODD_TEXTS]
    reads = next(other for other in protocol.tasks if other.name == task.reads)
    values: list[tuple[str, JSON]] = [(label, label) for label in reads.labels]
    values += [("null", None), *ODD_TEXTS]
    return [
        _Source(kind, json.dumps(value))
        for kind, value in values
        if protocol.check_value(reads.name, value) is None
    ]


def _plain_sources(task: Task) -> list[_Source]:
    """Answers that are nothing but a value which the task may take."""
    if task.reads is not None:
        return []  # the values of the task that it reads are among its sources
    numbers = task.numbers
    lowest = [] if numbers is None or numbers.low is None else [f"{numbers.low:g}"]
    return [_Source("the plain answer", text) for text in (*task.labels, *lowest)]


def _answer_of(protocol: AnyProtocol) -> Callable[[str], Answer]:
    """Answers to the protocol's first prompt, for a judge that sees what was asked."""
    materials = {path: rubrics.read(path) for path in protocol.materials}
    prompts = islice(protocol.prompts(protocol.params_type(), materials), 1)
    for prompt in prompts:
        return lambda text: Answer(text, prompt.factors, prompt.messages)
    return lambda text: Answer(text, {})


async def _said(
    judge: AnyJudge,
    texts: Sequence[str],
    answer: Callable[[str], Answer],
    tell: Callable[[str], None],
) -> list[Said]:
    if is_batch_judge(judge):
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS * len(texts) + _START_SECONDS):
                return list(await judge.judge_batch(texts))
        except Exception as error:
            return [error] * len(texts)
    found: list[Said] = []
    for text in texts:
        try:
            # In a thread, so that one that hangs is told and not waited for.
            async with asyncio.timeout(TIMEOUT_SECONDS):
                if is_answer_judge(judge):
                    said = await asyncio.to_thread(judge.judge_answer, answer(text))
                else:
                    assert is_text_judge(judge)
                    said = await asyncio.to_thread(judge.judge, text)
            found.append(said)
        except Exception as error:
            found.append(error)
            if isinstance(error, TimeoutError):
                tell(f"no answer about text {len(found)} of {len(texts)} in {TIMEOUT_SECONDS:g} s")
    return found


def _wrong_names(judge: AnyJudge, task: Task, name: str | None) -> str | None:
    if judge.task != task.name:
        return f"its task is {judge.task!r}, not {task.name!r}"
    if name is not None and judge.name != name:
        return f"its name is {judge.name!r}, not {name!r}"
    return None


def _wrong(judge: AnyJudge, again: AnyJudge) -> str | None:
    try:
        one = canonical_json(dict(judge.configuration))
        other = canonical_json(dict(again.configuration))
    except Exception as error:
        return f"no JSON: {described(error)}"
    return None if one == other else f"{_short(one)} and then {_short(other)}"


def _failure(sources: Sequence[_Source], said: Sequence[Said]) -> str | None:
    if len(said) != len(sources):
        return f"{len(said)} verdicts on {len(sources)} texts"
    failures = [
        f"{source.kind}: {_words(each)}"
        for source, each in zip(sources, said, strict=True)
        if isinstance(each, Exception)
    ]
    return _counted(failures)


def _difference(
    sources: Sequence[_Source], first: Sequence[Said], other: Sequence[Said]
) -> str | None:
    differing = [
        f"{source.kind}: {_shown(one)}, then {_shown(two)}"
        for source, one, two in zip(sources, first, other, strict=False)
        # What fails is told by another check.
        if isinstance(one, Verdict) and isinstance(two, Verdict) and not _equal(one, two)
    ]
    return _counted(differing)


def _malformed(
    sources: Sequence[_Source], said: Sequence[Said], protocol: AnyProtocol, task: Task
) -> str | None:
    found = []
    for source, each in zip(sources, said, strict=False):
        if isinstance(each, Exception):
            continue
        if not each.valid and each.reason in _MALFORMED:
            found.append(f"{source.kind}: {each.reason}")
        elif each.valid and (wrong := protocol.check_value(task.name, each.value)) is not None:
            found.append(f"{source.kind}: {_short(repr(each.value))}; allowed: {wrong}")
    return _counted(found)


def _reasons(said: Sequence[Said]) -> str | None:
    for each in said:
        if not isinstance(each, Verdict):
            continue
        if each.reason is None:
            if not each.valid:
                return "an invalid verdict without a reason"
        elif len(str(each.reason)) > LONGEST_REASON:
            return f"more than {LONGEST_REASON} characters: {_short(repr(each.reason))}"
    return None


async def _closing(judge: AnyJudge) -> Check:
    if not is_batch_judge(judge):
        return _untried("closes", "it has nothing to close")
    try:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            await judge.close()
    except Exception as error:
        return _check("closes", _words(error))
    return _check("closes", None)


def _equal(one: Verdict, other: Verdict) -> bool:
    try:
        return canonical_json([one.valid, one.value, one.reason]) == canonical_json(
            [other.valid, other.value, other.reason]
        )
    except (TypeError, ValueError):
        return one == other


def _check(name: str, wrong: str | None) -> Check:
    return Check(name=name, passed=wrong is None, said=wrong or "")


def _untried(name: str, why: str) -> Check:
    return Check(name=name, passed=None, said=why)


def _counted(found: Sequence[str]) -> str | None:
    if not found:
        return None
    return found[0] if len(found) == 1 else f"{len(found)} times; {found[0]}"


def _shown(verdict: Said) -> str:
    if not isinstance(verdict, Verdict):
        return type(verdict).__name__
    return _short(repr(verdict.value)) if verdict.valid else f"invalid ({verdict.reason})"


def _short(text: str) -> str:
    return harmless(text, 80)


def _words(error: Exception) -> str:
    if isinstance(error, TimeoutError) and not str(error):
        return f"no answer in {TIMEOUT_SECONDS:g} s"
    return harmless(error.message if isinstance(error, AuditorError) else described(error), 300)
