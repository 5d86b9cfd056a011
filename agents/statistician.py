"""The statistics agent: computes the result table from annotations, and keeps no state."""

from __future__ import annotations

import itertools
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from auditor import protocols
from auditor.protocols.base import (
    AnyProtocol,
    CellRecord,
    Materials,
    ProtocolParams,
    Reading,
    StatisticRow,
    TrialRecord,
)
from auditor.store.results import ResultRow, StoredJudge, audited, judges, readings
from auditor.types import JSON

_HASH_DIGITS = 8

Panel = tuple[tuple[StoredJudge, StoredJudge | None], ...]
"""One judge a task, each with the judge whose annotations it reads."""


def compute(
    connection: sqlite3.Connection,
    params: Mapping[str, ProtocolParams],
    materials: Materials,
) -> list[ResultRow]:
    """All statistics of the plan in force; one protocol, target and panel of judges at a time.

    `params` holds the spec's parameters by protocol; protocols without any are imported ones.
    A panel computes the targets whose answers all its judges read: those of an import do not
    read planned ones.
    """
    targets: dict[str, dict[str, bool]] = defaultdict(dict)
    origins: dict[str, str] = {}
    for name, target, is_simulated, origin in audited(connection):
        targets[name][target] = is_simulated
        origins[target] = origin
    rows: list[ResultRow] = []
    for name, simulated in targets.items():
        protocol = protocols.get(name)
        for panel, labels in _panels(protocol, judges(connection, name)):
            computed: list[StatisticRow] = []
            # What a simulated judge says of a real answer is a simulated figure, too.
            is_made_up = any(judge.simulated for judge, _ in panel)
            judged = {
                target: is_simulated or is_made_up
                for target, is_simulated in simulated.items()
                if all(origins[target] in judge.origins for judge, _ in panel)
            }
            if not judged:
                continue
            for target in judged:
                cells = _cells(connection, name, target, panel)
                computed += protocol.statistics(target, cells, params.get(name), materials)
            computed += protocol.across(computed, materials)
            rows += (_result(row, labels, judged) for row in computed)
    return rows


def _panels(
    protocol: AnyProtocol, stored: Sequence[StoredJudge]
) -> Iterator[tuple[Panel, dict[str, JSON]]]:
    """Every combination of one judge a task, with the labels that tell its rows apart."""
    reads = {task.name: task.reads for task in protocol.tasks}
    by_task: dict[str, list[StoredJudge]] = defaultdict(list)
    for judge in stored:
        by_task[judge.task].append(judge)
    # A task stands before the tasks that read it.
    ordered = [task.name for task in protocol.tasks if by_task.get(task.name)]
    for combination in itertools.product(*(by_task[task] for task in ordered)):
        chosen = dict(zip(ordered, combination, strict=True))
        panel = tuple((judge, chosen.get(reads[task] or "")) for task, judge in chosen.items())
        labels: dict[str, JSON] = {}
        for task, judge in chosen.items():
            if len(by_task[task]) > 1:
                key = "source" if any(reads[other] == task for other in ordered) else "judge"
                labels[key] = _label(judge, by_task[task])
        yield panel, labels


def _label(judge: StoredJudge, others: Sequence[StoredJudge]) -> str:
    """A judge's spec name, with a piece of its hash where two configurations share it."""
    if sum(other.name == judge.name for other in others) == 1:
        return judge.name
    return f"{judge.name} {judge.hash.hex()[:_HASH_DIGITS]}"


def _cells(
    connection: sqlite3.Connection, protocol: str, target: str, panel: Panel
) -> Iterator[CellRecord]:
    for factors, trials in readings(connection, protocol, target, panel):
        yield CellRecord(
            factors,
            [
                TrialRecord(
                    trial.repetition,
                    trial.outcome,
                    {
                        task: Reading(valid, value, reason)
                        for task, (valid, value, reason) in trial.readings.items()
                    },
                )
                for trial in trials
            ],
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
