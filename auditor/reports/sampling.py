"""`sample`: which answers people are asked to label. Drawn by name, so that more keep the first."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappush, heappushpop
from pathlib import Path

from auditor import protocols
from auditor.draws import draw_integer
from auditor.errors import UsageError
from auditor.protocols.additions import is_logprob_reader, is_score_reader
from auditor.protocols.base import AnyProtocol, Materials, Part, ProtocolParams, Task
from auditor.reports.label_values import NotAllowed, label_value
from auditor.reports.parts import asked_parts, stored_materials, task_parts
from auditor.reports.scales import Said
from auditor.reports.strata import Stratum, check_sizes, in_proportion, read_sizes, stratifier
from auditor.store.sources import JUDGED_OUTCOMES
from auditor.types import JSON

DEFAULT_N = 100

Ranked = tuple[int, int]
"""A trial's draw and its id: trials are taken in the order of their draws."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StratumCount:
    """What was drawn of one stratum."""

    levels: Stratum
    available: int
    """Answers with a text."""
    asked: int
    taken: int
    classes: Mapping[str, int]
    """Of each oversampled class, answers among those taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Answers to be labelled."""

    protocol: AnyProtocol
    task: Task
    seed: int
    stratify: tuple[str, ...]
    trials: tuple[int, ...]
    """Ids in the order in which they were drawn."""
    strata: tuple[StratumCount, ...]
    asked: int
    """Answers that were asked for: more than were drawn where there are no more."""
    oversample: Mapping[str, int]
    """Classes of which each stratum was to have so many."""
    parts: tuple[Part, ...]
    """What of a value is labelled, where values are objects of parts."""
    materials: Materials
    """The protocol's rubric files, as the run goes by them."""
    simulated: bool

    def as_json(self) -> dict[str, JSON]:
        """What was drawn, without the answers."""
        return {
            "protocol": self.protocol.name,
            "task": self.task.name,
            "seed": self.seed,
            "asked": self.asked,
            "n": len(self.trials),
            "parts": [part.name for part in self.parts],
            "simulated": self.simulated,
            "strata": [
                {
                    "levels": dict(zip(self.stratify, count.levels, strict=True)),
                    "available": count.available,
                    "asked": count.asked,
                    "taken": count.taken,
                    "classes": dict(count.classes),
                }
                for count in self.strata
            ],
        }


def draw_sample(
    connection: sqlite3.Connection,
    task: str,
    *,
    protocol: str | None = None,
    n: int | None = None,
    stratify: Sequence[str] = (),
    sizes: Path | None = None,
    oversample: Mapping[str, int] | None = None,
    seed: int | None = None,
    parts: Sequence[str] = (),
    params: Mapping[str, ProtocolParams] | None = None,
) -> Sample:
    """Draw answers of the plan that have a text, without replacement.

    Each answer has a number that depends on the seed, the task and its trial's key alone; of each
    stratum those with the smallest numbers are taken. So the same seed gives the same sample, and
    a greater n (or greater sizes) keeps what a smaller one takes, as long as the answers are the
    same.

    Args:
        connection: a reader of the store.
        task: what is to be labelled.
        protocol: needed where several protocols of the store have the task.
        n: answers in all, 100 by default; strata get theirs in proportion to their sizes.
        stratify: factors, "target", or properties of levels (see `strata.stratifier`).
        sizes: CSV file with the answers to draw of each stratum, in the place of `n`.
        oversample: classes of the task (or "invalid") to numbers: of each stratum so many answers,
            where there are, that a judge has given this class, within the stratum's size.
        seed: in the place of the run's own.
        parts: parts of the task's values to be labelled (dimensions of a rubric); none: those that
            the protocol asks for by the run's spec.
        params: the spec's parameters by protocol.

    Source: SPAGBias (arXiv 2604.14672), Appendix D: 15, 15, 35 and 35 by domain and gender, two of
    a rare class in each.

    Raises UsageError for what the store or the task does not have.
    """
    found = _protocol(connection, task, protocol)
    own = next(known for known in found.tasks if known.name == task)
    _refuse_what_no_text_says(found)
    materials = stored_materials(connection, found)
    own_params = (params or {}).get(found.name)
    chosen = asked_parts(task_parts(found, own, materials, own_params), parts)
    wanted, asked = _wanted(n, stratify, sizes)
    stratum_of = stratifier(wanted, found, materials)
    if seed is None:
        seed = int(connection.execute("SELECT seed FROM runs").fetchone()[0])
    total = DEFAULT_N if n is None else n
    rare = _rare(connection, found, own, oversample or {}, materials)
    pools: dict[Stratum, _Pool] = {}
    simulated: set[int] = set()
    for answer in _answers(connection, found.name):
        stratum = stratum_of(answer.target, answer.levels)
        if stratum not in pools:
            pools[stratum] = _Pool(max(asked.values(), default=total), rare)
        draw = draw_integer(seed, f"sample/{found.name}/{task}", answer.key)
        if pools[stratum].offer((draw, answer.trial_id)) and answer.simulated:
            simulated.add(answer.trial_id)
    if not pools:
        raise UsageError(
            f"the store has no answer to {found.name} with a text yet", hint="run it first"
        )
    available = {stratum: pool.size for stratum, pool in pools.items()}
    if sizes is not None:
        check_sizes(sizes, asked, available)
        order = [stratum for stratum in sorted(asked) for _ in range(asked[stratum])]
    else:
        order = in_proportion(available, total)
    drawn = list(_drawn(pools, order))
    return Sample(
        protocol=found,
        task=own,
        seed=seed,
        stratify=wanted,
        trials=tuple(trial for _, trial in drawn),
        strata=_counts(available, order, drawn, rare),
        asked=total if sizes is None else len(order),
        oversample=dict(oversample or {}),
        parts=chosen,
        materials=materials,
        simulated=any(trial in simulated for _, trial in drawn),
    )


def _drawn(
    pools: Mapping[Stratum, _Pool], order: Sequence[Stratum]
) -> Iterator[tuple[Stratum, int]]:
    """The next answer of each stratum in the order, as long as it has one."""
    queues = {stratum: iter(pool.in_order()) for stratum, pool in pools.items()}
    for stratum in order:
        trial = next(queues.get(stratum, iter(())), None)
        if trial is not None:
            yield stratum, trial


class _Pool:
    """The answers of one stratum that may be taken; memory does not grow with the others."""

    def __init__(self, most: int, rare: Mapping[str, _Rare]) -> None:
        self.size = 0
        self._most = most
        self._first: list[Ranked] = []
        self._rare = rare
        self._reserved: dict[str, list[Ranked]] = {name: [] for name in rare}

    def offer(self, ranked: Ranked) -> bool:
        """Keep an answer if it may be among those taken; whether it was kept for now."""
        self.size += 1
        kept = _keep(self._first, ranked, self._most)
        for name, rare in self._rare.items():
            if ranked[1] in rare.trials:
                kept |= _keep(self._reserved[name], ranked, rare.wanted)
        return kept

    def in_order(self) -> list[int]:
        """Trials in the order in which they are taken: what is reserved for rare classes first."""
        reserved = [_ascending(heap) for heap in self._reserved.values()]
        ordered = [ranked for one in (*reserved, _ascending(self._first)) for ranked in one]
        return list(dict.fromkeys(trial for _, trial in ordered))


@dataclass(frozen=True, slots=True)
class _Rare:
    """A class of which each stratum is to have some."""

    trials: frozenset[int]
    wanted: int


def _keep(heap: list[Ranked], ranked: Ranked, most: int) -> bool:
    """Keep the smallest; the heap holds them negated, the largest on top."""
    item = (-ranked[0], -ranked[1])
    if len(heap) < most:
        heappush(heap, item)
        return True
    return heappushpop(heap, item) != item


def _ascending(heap: Sequence[Ranked]) -> list[Ranked]:
    return sorted((-draw, -trial) for draw, trial in heap)


def _counts(
    available: Mapping[Stratum, int],
    order: Sequence[Stratum],
    drawn: Sequence[tuple[Stratum, int]],
    rare: Mapping[str, _Rare],
) -> tuple[StratumCount, ...]:
    taken: dict[Stratum, list[int]] = defaultdict(list)
    for stratum, trial in drawn:
        taken[stratum].append(trial)
    asked = Counter(order)
    return tuple(
        StratumCount(
            levels=stratum,
            available=size,
            asked=asked[stratum],
            taken=len(taken[stratum]),
            classes={
                name: sum(trial in found.trials for trial in taken[stratum])
                for name, found in rare.items()
            },
        )
        for stratum, size in sorted(available.items())
    )


def _protocol(connection: sqlite3.Connection, task: str, name: str | None) -> AnyProtocol:
    rows = connection.execute("SELECT DISTINCT protocol FROM cells ORDER BY 1")
    stored = [protocols.get(row[0]) for row in rows]
    if name is not None and name not in [found.name for found in stored]:
        allowed = ", ".join(found.name for found in stored) or "none yet"
        raise UsageError(f"protocol: value {name!r} is not in this store; allowed: {allowed}")
    named = [found for found in stored if name in (None, found.name)]
    having = [found for found in named if task in [known.name for known in found.tasks]]
    if not having:
        known = sorted({own.name for found in named for own in found.tasks})
        raise UsageError(f"task: value {task!r}; allowed: {', '.join(known) or 'none yet'}")
    if len(having) > 1:
        names = ", ".join(found.name for found in having)
        raise UsageError(
            f"task: {task!r} is one of several protocols: {names}",
            hint="name one with --protocol",
        )
    return having[0]


def _refuse_what_no_text_says(protocol: AnyProtocol) -> None:
    if is_logprob_reader(protocol):
        raise UsageError(
            f"{protocol.name} is judged by log-probabilities, which no reader of a text can label",
            hint="draw a sample of another protocol",
        )
    if is_score_reader(protocol):
        raise UsageError(
            f"{protocol.name} reads scores that models compute, which nobody can label",
            hint="draw a sample of another protocol",
        )


def _wanted(
    n: int | None, stratify: Sequence[str], sizes: Path | None
) -> tuple[tuple[str, ...], dict[Stratum, int]]:
    if sizes is None:
        return tuple(stratify), {}
    if n is not None:
        raise UsageError("n: the sizes say how many; allowed: one of --n and --sizes")
    return read_sizes(sizes, stratify)


def _rare(
    connection: sqlite3.Connection,
    protocol: AnyProtocol,
    task: Task,
    oversample: Mapping[str, int],
    materials: Materials,
) -> dict[str, _Rare]:
    found: dict[str, _Rare] = {}
    for name, wanted in oversample.items():
        try:
            said: Said = label_value(protocol, task, name, materials=materials)
        except NotAllowed as error:
            raise UsageError(f"oversample: value {name!r}; allowed: {error.allowed}") from None
        rows = connection.execute(
            "SELECT a.trial_id FROM _annotations a JOIN judges j ON j.id = a.judge_id"
            " WHERE j.task = ? AND a.repeat = 0 AND a.value IS ?",
            (task.name, said),
        )
        found[name] = _Rare(frozenset(row[0] for row in rows), wanted)
    return found


@dataclass(frozen=True, slots=True)
class _Answer:
    trial_id: int
    key: bytes
    target: str
    levels: Mapping[str, JSON]
    simulated: bool


def _answers(connection: sqlite3.Connection, protocol: str) -> Iterator[_Answer]:
    """Every answer of the plan with a text, without it."""
    rows = connection.execute(
        "SELECT t.id, t.key, c.id, c.factors, g.name, g.simulated FROM cells c"
        " JOIN targets g ON g.id = c.target_id JOIN trials t ON t.cell_id = c.id"
        " JOIN _responses r ON r.trial_id = t.id"
        " WHERE c.protocol = ? AND c.superseded = 0 AND t.repetition < c.repetitions"
        f" AND r.text_id IS NOT NULL AND r.outcome IN ({', '.join('?' * len(JUDGED_OUTCOMES))})"
        " ORDER BY c.id",
        (protocol, *JUDGED_OUTCOMES),
    )
    current, levels = None, {}
    for trial, key, cell, factors, target, simulated in rows:
        if cell != current:
            current, levels = cell, json.loads(factors)
        yield _Answer(trial, bytes(key), target, levels, bool(simulated))
