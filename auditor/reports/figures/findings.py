"""What figures are drawn from: stored statistics, and where they come from."""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import rubrics
from auditor import protocols
from auditor.canonical import canonical_json
from auditor.errors import UsageError
from auditor.protocols import spatial_corpus
from auditor.store import sources
from auditor.store.connection import sqlite_errors
from auditor.store.corpus import corpora
from auditor.store.reading import open_reader
from auditor.store.results import ResultRow, audited, judges
from auditor.types import JSON

SIMULATED_MARK = "SIM"
_PANEL = ("source", "judge")
"""Keys of a group that name a judge, where a task has two."""
_EVERY = "*"

Moments = tuple[float, float]
"""Of the first and the last answer, in Unix seconds."""


@dataclass(frozen=True, kw_only=True)
class StoreFindings:
    """The statistics of one store."""

    path: Path
    run: str
    rows: tuple[ResultRow, ...]
    moments: Mapping[str, Moments]
    """By protocol; absent without an answer."""
    imported: frozenset[str]
    """Protocols with imported answers."""
    targets: Mapping[str, tuple[str, ...]]
    """All that the plan holds, by protocol."""
    judges: Mapping[str, Mapping[str, tuple[str, ...]]]
    """By protocol and task; those that have annotated nothing are left out."""
    materials: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Findings:
    """The rows of one protocol that rest on one judge of each task, from one store or more."""

    protocol: str
    paper: str
    runs: tuple[str, ...]
    days: str
    """Days of the first and the last answer (UTC), or that there is none. An imported answer
    that says no time has that of its import; of a corpus those of the counting."""
    judges: str
    """Task and judge, in a line."""
    targets: tuple[str, ...]
    """Names that tell the targets of all stores apart, those without a row among them."""
    rows: tuple[ResultRow, ...]
    """Of single targets, under these names; without the judges in their groups."""
    simulated: frozenset[str]
    """Targets with a row that rests on a simulated answer or judge."""
    stores: tuple[StoreFindings, ...]
    names: tuple[Mapping[str, str], ...]
    """By store, what its targets are called here."""
    marks: Mapping[str, JSON]
    """What told the rows of these judges from those of others."""
    elsewhere: Mapping[str, frozenset[str]]
    """By statistic, the targets of which only other judges have rows of it."""

    def about(self, statistic: str) -> Findings:
        """These without the targets that the figures of other judges show this statistic of.

        A target of which no judge has a row stays: it is missing.
        """
        left_out = self.elsewhere.get(statistic, frozenset())
        if not left_out:
            return self
        there = [
            (store, {old: name for old, name in renamed.items() if name not in left_out})
            for store, renamed in zip(self.stores, self.names, strict=True)
        ]
        there = [(store, renamed) for store, renamed in there if renamed]
        rows = [row for row in self.rows if row.target not in left_out]
        stores, names = [store for store, _ in there], [renamed for _, renamed in there]
        return _findings(self.protocol, stores, names, self.marks, rows, self.elsewhere)

    def of(self, statistic: str) -> list[ResultRow]:
        """The rows of one statistic."""
        return [row for row in self.rows if row.statistic == statistic]

    def shown(self, target: str) -> str:
        """A target's name, with a mark where it is simulated."""
        return f"{target} {SIMULATED_MARK}" if target in self.simulated else target

    def materials(self, *paths: str) -> dict[str, str]:
        """Rubric files as the runs went by them.

        Raises UsageError where two stores went by different ones.
        """
        found: dict[str, str] = {}
        for path in paths:
            texts = {
                store.materials[path]: store.path
                for store in self.stores
                if path in store.materials
            }
            if len(texts) > 1:
                places = " and ".join(str(place) for place in texts.values())
                raise UsageError(
                    f"{places} go by different rubrics/{path}",
                    hint="draw the figures of each by itself",
                )
            found[path] = next(iter(texts), None) or rubrics.read(path)
        return found


def read_findings(path: Path, rows: Iterable[ResultRow]) -> StoreFindings:
    """What a store says beside its statistics, which are `rows`."""
    connection = open_reader(path)
    try:
        with sqlite_errors(path):
            (run,) = connection.execute("SELECT name FROM runs").fetchone()
            targets: dict[str, list[str]] = defaultdict(list)
            imported = set()
            for protocol, target, _, origin in audited(connection):
                targets[protocol].append(target)
                if origin == "imported":
                    imported.add(protocol)
            moments = connection.execute(
                "SELECT c.protocol, min(e.at), max(e.at) FROM _responses r"
                " JOIN events e ON e.seq = r.seq JOIN trials t ON t.id = r.trial_id"
                " JOIN cells c ON c.id = t.cell_id"
                " WHERE c.superseded = 0 AND t.repetition < c.repetitions GROUP BY c.protocol"
            ).fetchall()
            # Texts that were counted: nobody was asked, so no plan holds them.
            if counted := corpora(connection):
                targets[spatial_corpus.NAME] = counted
                moments += connection.execute(
                    "SELECT ?, min(e.at), max(e.at) FROM corpus_files f JOIN events e USING (seq)",
                    (spatial_corpus.NAME,),
                ).fetchall()
            by_task: dict[str, dict[str, list[str]]] = {}
            for protocol in targets:
                tasks = by_task.setdefault(protocol, {})
                at_work = _judges_at_work(connection, protocol)
                for judge in judges(connection, protocol):
                    if judge.judge_id in at_work:
                        tasks.setdefault(judge.task, []).append(judge.name)
            return StoreFindings(
                path=path,
                run=run,
                rows=tuple(rows),
                imported=frozenset(imported),
                moments={protocol: (first, last) for protocol, first, last in moments},
                targets={protocol: tuple(names) for protocol, names in targets.items()},
                judges={
                    protocol: {task: tuple(names) for task, names in tasks.items()}
                    for protocol, tasks in by_task.items()
                },
                materials=sources.materials(connection),
            )
    finally:
        connection.close()


def _judges_at_work(connection: sqlite3.Connection, protocol: str) -> set[int]:
    """The judges that have annotated an answer of this protocol's plan."""
    rows = connection.execute(
        "SELECT DISTINCT y.judge_id FROM tallies y JOIN cells c ON c.id = y.cell_id"
        " WHERE c.protocol = ? AND y.count > 0",
        (protocol,),
    )
    return {int(number) for (number,) in rows}


def findings(stores: Sequence[StoreFindings]) -> list[Findings]:
    """The stores' rows by protocol and judges.

    A target's name that two stores have is followed by the run's, in brackets, and by a number
    where these are equal too.
    """
    found = []
    for protocol in dict.fromkeys(name for store in stores for name in store.targets):
        holding = [store for store in stores if protocol in store.targets]
        names = _unlike_names(protocol, holding)
        panels: dict[str, tuple[dict[str, JSON], list[ResultRow]]] = {}
        for store, renamed in zip(holding, names, strict=True):
            for row in store.rows:
                if row.protocol != protocol or row.target == _EVERY:
                    continue
                marks = {key: row.group[key] for key in _PANEL if key in row.group}
                _, rows = panels.setdefault(canonical_json(marks), (marks, []))
                rows.append(_renamed(row, renamed))
        judged = [(marks, rows) for marks, rows in panels.values()] or [({}, [])]
        everywhere = _targets_of(row for _, rows in judged for row in rows)
        for marks, rows in judged:
            here = _targets_of(rows)
            elsewhere = {each: frozenset(everywhere[each] - here[each]) for each in here}
            found.append(_findings(protocol, holding, names, marks, rows, elsewhere))
    return found


def _targets_of(rows: Iterable[ResultRow]) -> dict[str, set[str]]:
    """By statistic, the targets that have a row of it."""
    targets: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        targets[row.statistic].add(row.target)
    return targets


def _findings(
    protocol: str,
    stores: Sequence[StoreFindings],
    names: Sequence[Mapping[str, str]],
    marks: Mapping[str, JSON],
    rows: Sequence[ResultRow],
    elsewhere: Mapping[str, frozenset[str]],
) -> Findings:
    return Findings(
        protocol=protocol,
        paper=_paper(protocol),
        runs=tuple(dict.fromkeys(store.run for store in stores)),
        days=_days(protocol, stores),
        judges="; ".join(
            dict.fromkeys(_judges(protocol, store.judges[protocol], marks) for store in stores)
        ),
        targets=tuple(name for renamed in names for name in renamed.values()),
        rows=tuple(rows),
        simulated=frozenset(row.target for row in rows if row.simulated),
        stores=tuple(stores),
        names=tuple(names),
        marks=marks,
        elsewhere=elsewhere,
    )


def _paper(protocol: str) -> str:
    if protocol == spatial_corpus.NAME:
        return spatial_corpus.PAPER
    return protocols.get(protocol).paper


def _unlike_names(protocol: str, stores: Sequence[StoreFindings]) -> list[dict[str, str]]:
    """For each store, the names of its targets, each to one that no other target has."""
    shared = Counter(name for store in stores for name in store.targets[protocol])
    taken: Counter[str] = Counter()
    found = []
    for store in stores:
        renamed = {}
        for name in store.targets[protocol]:
            unlike = name if shared[name] == 1 else f"{name} ({store.run})"
            taken[unlike] += 1
            renamed[name] = unlike if taken[unlike] == 1 else f"{unlike} #{taken[unlike]}"
        found.append(renamed)
    return found


def _renamed(row: ResultRow, names: Mapping[str, str]) -> ResultRow:
    group = {key: level for key, level in row.group.items() if key not in _PANEL}
    if isinstance(group.get("other"), str):
        group["other"] = names.get(group["other"], group["other"])
    return replace(row, target=names.get(row.target, row.target), group=group)


def _days(protocol: str, stores: Sequence[StoreFindings]) -> str:
    moments = [store.moments[protocol] for store in stores if protocol in store.moments]
    if not moments:
        return "no answers"
    first = datetime.fromtimestamp(min(begin for begin, _ in moments), UTC).date()
    last = datetime.fromtimestamp(max(end for _, end in moments), UTC).date()
    what = "texts counted on" if protocol == spatial_corpus.NAME else "answers of"
    days = f"{what} {first}" if first == last else f"{what} {first} to {last}"
    imported = [protocol in store.imported for store in stores]
    return f"{days} (imported)" if all(imported) else days


def _judges(protocol: str, by_task: Mapping[str, Sequence[str]], marks: Mapping[str, JSON]) -> str:
    if not by_task:
        return "none"
    is_read = {task.reads for task in protocols.get(protocol).tasks}
    said = []
    for task, names in by_task.items():
        mark = marks.get("source" if task in is_read else "judge")
        chosen = " or ".join(dict.fromkeys(names)) if mark is None or len(names) == 1 else mark
        said.append(f"{task} by {chosen}")
    return ", ".join(said)
