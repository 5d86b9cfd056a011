"""What a run will do now: of a plan, what is not done yet and not left for later."""

from __future__ import annotations

import math
import sqlite3
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from auditor.scheduler.estimates import (
    Expected,
    Tally,
    added_up,
    judge_calls,
    judge_left,
    sources_a_trial,
    text_bytes,
)
from auditor.scheduler.judge_plan import ModelWork
from auditor.scheduler.part import Part
from auditor.scheduler.plan import Plan
from auditor.store import plan as stored
from auditor.store.connection import sqlite_errors
from auditor.store.reading import open_reader
from auditor.store.sources import open_sources
from auditor.store.trials import answered_trials


@dataclass(frozen=True, kw_only=True)
class Remaining:
    """What a run will do now, at most."""

    total: Expected
    done: int
    """Trials of the plan that have a response."""
    later: int
    """Trials that are left for later: `--only` or `--limit` says so."""


def remaining(plan: Plan, part: Part, store: Path) -> Remaining:
    """What is left to do in a store, of the part that is to be done.

    Trials without a response, and texts for judges that are models: those that wait in the store
    at their own length, those to come as long as the output caps allow. Writes nothing; the store
    need not be there.
    """
    if not stored.exists(store):
        return _remaining(plan, part, None)
    with closing(open_reader(store)) as connection, sqlite_errors(store):
        return _remaining(plan, part, connection)


def _remaining(plan: Plan, part: Part, connection: sqlite3.Connection | None) -> Remaining:
    wanted = {target.name for target in part.targets_of(plan.spec)}
    tallies = [Tally(plan, target) for target in plan.spec.targets]
    to_come: Counter[tuple[str, str]] = Counter()
    done = 0
    for target, tally in zip(plan.spec.targets, tallies, strict=True):
        for cell in plan.cells(target):
            known = 0 if connection is None else answered_trials(connection, cell.key)
            answered = min(known, cell.repetitions)
            done += answered
            is_wanted = part.protocols is None or cell.protocol in part.protocols
            if is_wanted and target.name in wanted:
                tally.add(cell, cell.repetitions - answered)
                to_come[cell.protocol, target.name] += cell.repetitions - answered
    parts = _within(tallies, part.trials)
    trials = sum(found.trials for found in parts)
    parts += [_of_judge(plan, work, to_come, trials, connection) for work in plan.model_judges]
    return Remaining(total=added_up(parts), done=done, later=plan.trials - done - trials)


def _within(tallies: list[Tally], limit: int | None) -> list[Expected]:
    """No more than so many trials over all targets: those of the dearest ones."""
    found = []
    left = math.inf if limit is None else limit
    for tally in sorted(tallies, key=lambda tally: -tally.dearest_usd):
        trials = int(min(left, tally.trials))
        found.append(tally.expected(trials))
        left -= trials
    return found


def _of_judge(
    plan: Plan,
    work: ModelWork,
    to_come: Mapping[tuple[str, str], int],
    trials: int,
    connection: sqlite3.Connection | None,
) -> Expected:
    """What a judge takes for what waits in the store, and for what these trials bring."""
    targets = {target.name: target for target in plan.spec.targets}
    own = {key: count for key, count in to_come.items() if key[0] in work.record.protocols}
    lengths = {
        key: text_bytes(plan, work.judge, key[0], targets[key[1]])
        for key, count in own.items()
        if count
    }
    answers = min(sum(own.values()), trials)
    total = min(
        sum(own[key] * length for key, length in lengths.items()),
        answers * max(lengths.values(), default=0),
    )
    sources = sources_a_trial(plan, work)
    found = [judge_calls(plan, work, answers * sources, total * sources)]
    if connection is not None:
        found += [
            judge_left(
                plan,
                work,
                open_sources(
                    connection,
                    protocol=protocol,
                    judge=work.record.hash,
                    reads=work.reads,
                    longest=work.judge.prompt.longest,
                ),
            )
            for protocol in work.record.protocols
        ]
    return added_up(found)
