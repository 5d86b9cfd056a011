"""The statistics agent: computes the result table from annotations, and keeps no state."""

from __future__ import annotations

import itertools
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from agents.corpora import corpus_statistics
from auditor import protocols
from auditor.canonical import canonical_json
from auditor.protocols.additions import is_judge_comparer, is_task_sorter
from auditor.protocols.base import (
    NO_BASES,
    UNSPECIFIED,
    AnyProtocol,
    Bases,
    Bench,
    CellRecord,
    Materials,
    ProtocolParams,
    Reading,
    StatisticRow,
    Task,
    TrialRecord,
)
from auditor.store.results import (
    ResultRow,
    StoredJudge,
    audited,
    judges,
    judges_with_a_say,
    readings,
)
from auditor.types import JSON

_HASH_DIGITS = 8

Panel = tuple[tuple[StoredJudge, StoredJudge | None], ...]
"""One judge a task, each with the judge whose annotations it reads."""


def compute(
    connection: sqlite3.Connection,
    params: Mapping[str, ProtocolParams],
    materials: Materials,
    bases: Bases = NO_BASES,
    only: Collection[str] | None = None,
) -> list[ResultRow]:
    """All statistics of the plan in force; one protocol, target and panel of judges at a time.

    `params` holds the spec's parameters by protocol; protocols without any are imported ones.
    `only` names the protocols that are wanted; None: all, and corpora.
    `bases` names the base models of instruction-tuned targets.
    A panel computes the targets of which all its judges have a say: those of an import do not
    read planned answers, and nobody reads a target of which only judgements came in. Where no
    judge of a task has a say of a target, the task's first one stands for all.
    """
    targets: dict[str, dict[str, bool]] = defaultdict(dict)
    origins: dict[str, str] = {}
    for name, target, is_simulated, origin in audited(connection):
        if only is not None and name not in only:
            continue
        targets[name][target] = is_simulated
        origins[target] = origin
    rows: list[ResultRow] = []
    for name, simulated in targets.items():
        protocol = protocols.get(name)
        there = {origins[target] for target in simulated}
        stored = [judge for judge in judges(connection, name) if judge.origins & there]
        says = {
            target: judges_with_a_say(connection, name, target, origins[target], stored)
            for target in simulated
        }
        found: dict[str, ResultRow] = {}
        for panel in _panels(protocol, stored):
            computed: list[StatisticRow] = []
            judged = [target for target in simulated if _speaks(panel, says[target], stored)]
            if not judged:
                continue
            for target in judged:
                cells = _cells(connection, name, target, panel)
                computed += protocol.statistics(target, cells, params.get(name), materials)
            computed += protocol.across(computed, materials, bases=bases)
            marks = _Marks(protocol, panel, stored)
            made_up = {
                statistic: {
                    target: simulated[target] or marks.has_simulated(statistic, says[target])
                    for target in judged
                }
                for statistic in {row.statistic for row in computed}
            }
            for row in computed:
                _take(row, marks, made_up[row.statistic], found)
        rows += found.values()
        task = protocol.tasks[0]
        if is_judge_comparer(protocol):
            of_task = [judge for judge in stored if judge.task == task.name]
            for target, is_simulated in simulated.items():
                heard = [judge for judge in of_task if judge.judge_id in says[target]]
                benches = _benches(connection, name, task, target, heard, of_task)
                for row in protocol.between(target, benches, params.get(name), materials):
                    compared = judges_compared(row, task, heard, of_task)
                    is_made_up = any(judge.simulated for judge in compared)
                    rows.append(_result(row, {}, {target: is_simulated or is_made_up}))
    if only is None:
        rows += (_result(row, {}, {}) for row in corpus_statistics(connection, materials))
    return rows


def _speaks(panel: Panel, say: Collection[int], stored: Sequence[StoredJudge]) -> bool:
    """Whether a panel computes a target of which these judges, by their ids, have a say."""
    for judge, _ in panel:
        peers = [other.judge_id for other in stored if other.task == judge.task]
        heard = [number for number in peers if number in say] or peers[:1]
        if judge.judge_id not in heard:
            return False
    return True


def judges_compared(
    row: StatisticRow, task: Task, heard: Sequence[StoredJudge], peers: Sequence[StoredJudge]
) -> Sequence[StoredJudge]:
    """The judges that a row of a comparison rests on: those that its group names, else all.

    `heard` are those that it may rest on, `peers` all judges of the task.
    """
    names = [row.group[key] for key in ("judge", "other_judge") if key in row.group]
    shown = {judge.judge_id: _labels(task, judge, peers).get("judge") for judge in heard}
    return [judge for judge in heard if shown[judge.judge_id] in names] or heard


def _benches(
    connection: sqlite3.Connection,
    protocol: str,
    task: Task,
    target: str,
    chosen: Sequence[StoredJudge],
    peers: Sequence[StoredJudge],
) -> list[Bench]:
    """What these judges of a task say of one target; `peers` are all its judges."""
    return [
        Bench(
            judge=judge.name,
            labels=_labels(task, judge, peers),
            cells=_cells(connection, protocol, target, ((judge, None),)),
        )
        for judge in chosen
    ]


def _panels(protocol: AnyProtocol, stored: Sequence[StoredJudge]) -> Iterator[Panel]:
    """Every combination of one judge a task; a judge that is read stands before its readers."""
    reads = {task.name: task.reads for task in protocol.tasks}
    by_task = [[judge for judge in stored if judge.task == task.name] for task in protocol.tasks]
    for combination in itertools.product(*filter(None, by_task)):
        chosen = {judge.task: judge for judge in combination}
        yield tuple((judge, chosen.get(reads[judge.task] or "")) for judge in combination)


class _Marks:
    """What the rows of one panel have in their group to be told from those of the others."""

    def __init__(self, protocol: AnyProtocol, panel: Panel, stored: Sequence[StoredJudge]) -> None:
        self._protocol = protocol
        self._panel = {judge.task: (judge, source) for judge, source in panel}
        self._stored = stored
        self._tasks = {task.name: task for task in protocol.tasks}
        self._known: dict[tuple[str, ...], dict[str, JSON]] = {}

    def of(self, statistic: str) -> dict[str, JSON]:
        """`judge` of the task that a statistic is about, `source` of the one that this reads.

        The judge of a further task that it rests on is `TASK_judge`: tasks are called as factors.
        """
        tasks = self._rests_on(statistic)
        if tasks not in self._known:
            self._known[tasks] = self._labels(tasks)
        return self._known[tasks]

    def all(self) -> dict[str, JSON]:
        """The judge of every task, each as its `TASK_judge`."""
        labels: dict[str, JSON] = {}
        for task in self._panel:
            labels |= self._labels_of(task, f"{task}_judge")
        return labels

    def has_simulated(self, statistic: str, say: Collection[int]) -> bool:
        """Whether a judge that a statistic rests on is simulated: then its figure is, too.

        Of judges that have no say (the others, by their ids, do) nothing is in the figure.
        """
        resting = [self._panel[task] for task in self._rests_on(statistic)]
        judges = [judge for pair in resting for judge in pair if judge is not None]
        return any(judge.simulated and judge.judge_id in say for judge in judges)

    def _rests_on(self, statistic: str) -> tuple[str, ...]:
        if is_task_sorter(self._protocol):
            return tuple(t for t in self._protocol.rests_on(statistic) if t in self._panel)
        # Those that others read come last: they are the source of these.
        read = {source.task for _, source in self._panel.values() if source is not None}
        return tuple(sorted(self._panel, key=lambda task: task in read))

    def _labels(self, tasks: tuple[str, ...]) -> dict[str, JSON]:
        labels: dict[str, JSON] = {}
        read: dict[str, None] = {}
        for place, task in enumerate(tasks):
            if task in read:
                continue
            labels |= self._labels_of(task, f"{task}_judge" if place else "judge")
            source = self._panel[task][1]
            if source is not None:
                read.setdefault(source.task)
        for task in read:
            labels |= self._labels_of(task, "source")
        return labels

    def _labels_of(self, task: str, key: str) -> dict[str, JSON]:
        peers = [judge for judge in self._stored if judge.task == task]
        return _labels(self._tasks[task], self._panel[task][0], peers, key)


def _take(
    row: StatisticRow,
    marks: _Marks,
    simulated: Mapping[str, bool],
    found: dict[str, ResultRow],
) -> None:
    """Add a row, unless another panel has given the very same one."""
    result = _result(row, marks.of(row.statistic), simulated)
    if found.setdefault(_key(result), result) == result:
        return
    # Panels differ in what does not concern this figure, as in how far a judge has come.
    result = _result(row, {**marks.all(), **marks.of(row.statistic)}, simulated)
    found.setdefault(_key(result), result)


def _key(row: ResultRow) -> str:
    return canonical_json([row.statistic, row.target, dict(row.group)])


def _labels(
    task: Task, judge: StoredJudge, others: Sequence[StoredJudge], key: str = "judge"
) -> dict[str, JSON]:
    """What the rows of a judge have in their group to be told from those of the others."""
    labels: dict[str, JSON] = dict(judge.labels)
    if task.settings:
        labels["setting"] = judge.setting or UNSPECIFIED
    peers = [o for o in others if (o.setting, o.labels) == (judge.setting, judge.labels)]
    if len({other.name for other in others}) > 1 or len(peers) > 1:
        labels[key] = _label(judge, peers)
    return labels


def _label(judge: StoredJudge, others: Sequence[StoredJudge]) -> str:
    """A judge's spec name, with a piece of its hash where two configurations share it."""
    if sum(other.name == judge.name for other in others) == 1:
        return judge.name
    return f"{judge.name} {judge.hash.hex()[:_HASH_DIGITS]}"


def _cells(
    connection: sqlite3.Connection, protocol: str, target: str, panel: Panel
) -> Iterator[CellRecord]:
    for factors, trials in readings(connection, protocol, target, panel, Reading):
        yield CellRecord(
            factors,
            [TrialRecord(trial.repetition, trial.outcome, trial.readings) for trial in trials],
        )


def _result(
    row: StatisticRow, labels: Mapping[str, JSON], simulated: Mapping[str, bool]
) -> ResultRow:
    if labels:
        row = replace(row, group={**row.group, **labels})
    involved = [row.target] if row.target in simulated else list(simulated)
    other = row.group.get("other")
    if isinstance(other, str) and other in simulated:
        involved.append(other)
    return ResultRow(
        protocol=row.protocol,
        statistic=row.statistic,
        target=row.target,
        group=row.group,
        value=_plain(row.value),
        ci_low=_plain(row.ci_low),
        ci_high=_plain(row.ci_high),
        p_value=_plain(row.p_value),
        n=row.n,
        note=row.note,
        # A figure is simulated as soon as any answer in it, or its judge, is.
        simulated=any(simulated[name] for name in involved),
    )


def _plain(value: float | None) -> float | None:
    return None if value is None else float(value)
