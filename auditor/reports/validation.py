"""`validate`: judges against people, judges against judges, annotators against annotators."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations

from auditor import protocols
from auditor.errors import UsageError
from auditor.protocols.base import Task
from auditor.reports.agreement_figures import Kind
from auditor.reports.comparing import Comparison, Draws, compare, joint_alpha
from auditor.reports.label_trials import Label, match_labels
from auditor.reports.labels import LabelFile
from auditor.reports.parts import stored_materials, task_parts
from auditor.reports.raters import Raters, consensus, pairs_of
from auditor.reports.scales import Said, Scale, class_of, is_number, number, parts_of, scale_of
from auditor.reports.validation_report import PartValidation, TaskValidation, ValidationReport
from auditor.statistics.estimates import Estimate
from auditor.statistics.item_bootstrap import RESAMPLES
from auditor.statistics.krippendorff import units_of

PEOPLE = "people"

Comparer = Callable[..., Comparison]
"""`compare` with task, part, draws and place filled in."""


def validate(
    connection: sqlite3.Connection,
    labels: LabelFile,
    task: str | None = None,
    *,
    resamples: int = RESAMPLES,
) -> ValidationReport:
    """Hold a store's judges against people's labels, and all of them against each other.

    Judges are compared with people, and with each annotator where there are several, over the
    labelled responses; with each other over all responses of the plan that both annotated. People
    as one are what was reconciled, else what more than half of the annotators say; responses
    without such a word are left out and counted (they are the harder ones, so that figures against
    people are of the easier). A judge's invalid annotations are a class of their own, "invalid",
    as are people's; a labelled response that a judge has not annotated is left out and counted.
    Only first annotations count where judging was repeated.

    What a task declares of its values says what is measured: how often classes are equal, how near
    numbers are. Values that are objects are compared part by part, over the parts that people
    labelled; lists only as a whole. Intervals are Wilson's for shares, bootstraps over responses
    for the rest, their draws named by the run's seed and the raters.

    Raises UsageError for a task that no protocol of the store has.
    """
    connection.execute("BEGIN")  # one moment of a store that may be growing
    try:
        run, seed = connection.execute("SELECT name, seed FROM runs").fetchone()
        _check_task(connection, task)
        found = match_labels(connection, labels, task=task)
        by_task: dict[tuple[str, str], list[Label]] = defaultdict(list)
        for label in found.labels:
            by_task[label.protocol, label.task].append(label)
        draws = Draws(seed=seed, resamples=resamples)
        tasks = tuple(
            _validated(connection, name, task_name, group, found.simulated_trials, draws)
            for (name, task_name), group in sorted(by_task.items())
        )
    finally:
        connection.execute("ROLLBACK")
    return ValidationReport(
        run=run,
        files=labels.files,
        taken=len(found.labels),
        blank=labels.blank,
        repeated=found.repeated,
        other_tasks=found.other_tasks,
        problems=tuple(found.problems),
        resamples=resamples,
        tasks=tasks,
    )


def _check_task(connection: sqlite3.Connection, task: str | None) -> None:
    names = [row[0] for row in connection.execute("SELECT DISTINCT protocol FROM cells")]
    known = {found.name for name in names for found in protocols.get(name).tasks}
    if task is not None and task not in known:
        raise UsageError(
            f"task: value {task!r}; allowed: {', '.join(sorted(known)) or 'none yet'}",
        )


def _validated(
    connection: sqlite3.Connection,
    protocol: str,
    task_name: str,
    labels: Sequence[Label],
    simulated_trials: set[int],
    draws: Draws,
) -> TaskValidation:
    task = next(task for task in protocols.get(protocol).tasks if task.name == task_name)
    raters = Raters.read(connection, protocol, task, labels)
    items = {label.trial_id for label in labels}
    simulated = not simulated_trials.isdisjoint(items)
    is_simulated = (
        simulated
        or any(judge.simulated for judge in raters.judges)
        or any(shared.simulated for shared in raters.judge_pairs.values())
    )
    labelled = set(parts_of(raters.said_by_people()))
    of_parts = _tasks_of_parts(connection, protocol, task, raters)
    parts: dict[str | None, Task] = {
        name: found for name, found in of_parts.items() if name in labelled
    }
    parts = parts or {None: task}
    return TaskValidation(
        protocol=protocol,
        task=task_name,
        items=len(items),
        annotators={name: len(ratings) for name, ratings in raters.annotators.items()},
        simulated=is_simulated,
        parts=tuple(
            _part(part, raters if part is None else raters.part(part), found, simulated, draws)
            for part, found in parts.items()
        ),
    )


def _tasks_of_parts(
    connection: sqlite3.Connection, protocol: str, task: Task, raters: Raters
) -> Mapping[str, Task]:
    """The parts of all values, in the protocol's order where it has one; none: no objects.

    Each with what the task is of this part: classes are those that the protocol explains.
    """
    found = parts_of(raters.said())
    if not found:
        return {}
    known = protocols.get(protocol)
    told = task_parts(known, task, stored_materials(connection, known))
    named = {part.name: tuple(part.anchors) for part in told if part.name in found}
    classes = named or dict.fromkeys(found, ())
    if task.numbers is not None:
        return dict.fromkeys(classes, task)
    return {name: replace(task, labels=labels) for name, labels in classes.items()}


def _part(
    part: str | None, raters: Raters, task: Task, simulated: bool, draws: Draws
) -> PartValidation:
    scale = scale_of(task)
    where = f"{raters.protocol}/{task.name}"
    comparer = partial(compare, task=task, part=part, draws=draws, where=where)
    people = consensus(raters.annotators, raters.reconciled, scale)
    name = "/".join((where, part or "", "annotators"))
    return PartValidation(
        part=part,
        scale=scale,
        reconciled=len(raters.reconciled),
        no_majority=people.no_majority,
        annotators_alpha=_annotators_alpha(raters, scale, draws, name),
        comparisons=(
            *_against_people(raters, people.ratings, people.no_majority, simulated, comparer),
            *_against_annotators(raters, simulated, comparer),
            *_among_annotators(raters, simulated, comparer),
            *_among_judges(raters, comparer),
        ),
    )


def _against_people(
    raters: Raters,
    people: Mapping[int, Said],
    no_majority: int,
    simulated: bool,
    comparer: Comparer,
) -> Iterator[Comparison]:
    for judge, ratings in raters.judges.items():
        not_judged = sum(trial not in ratings for trial in people)
        yield comparer(
            pairs_of(people, ratings),
            kind=Kind.PEOPLE_JUDGE,
            first=PEOPLE,
            second=judge.name,
            excluded={"no majority": no_majority, "not judged": not_judged},
            simulated=simulated or judge.simulated,
        )


def _against_annotators(
    raters: Raters, simulated: bool, comparer: Comparer
) -> Iterator[Comparison]:
    if len(raters.annotators) < 2:
        return  # people as one say what the only annotator says
    for judge, ratings in raters.judges.items():
        for name, own in raters.annotators.items():
            yield comparer(
                pairs_of(own, ratings),
                kind=Kind.ANNOTATOR_JUDGE,
                first=name,
                second=judge.name,
                excluded={"not judged": sum(trial not in ratings for trial in own)},
                simulated=simulated or judge.simulated,
            )


def _among_annotators(raters: Raters, simulated: bool, comparer: Comparer) -> Iterator[Comparison]:
    for (name, own), (other, others) in combinations(raters.annotators.items(), 2):
        yield comparer(
            pairs_of(own, others),
            kind=Kind.ANNOTATORS,
            first=name,
            second=other,
            excluded={"labelled by one of them": len(own.keys() ^ others.keys())},
            simulated=simulated,
        )


def _among_judges(raters: Raters, comparer: Comparer) -> Iterator[Comparison]:
    for (first, second), shared in raters.judge_pairs.items():
        yield comparer(
            shared.pairs,
            kind=Kind.JUDGES,
            first=first.name,
            second=second.name,
            excluded={},
            simulated=shared.simulated or first.simulated or second.simulated,
        )


def _annotators_alpha(raters: Raters, scale: Scale, draws: Draws, name: str) -> Estimate | None:
    if len(raters.annotators) < 2:
        return None
    read = _numbers if scale is Scale.NUMBERS else partial(_classes, scale=scale)
    units = units_of([read(ratings) for ratings in raters.annotators.values()])
    return joint_alpha(units, scale=scale, draws=draws, name=name)


def _classes(ratings: Mapping[int, Said], scale: Scale) -> dict[int, str]:
    return {trial: class_of(said, scale) for trial, said in ratings.items()}


def _numbers(ratings: Mapping[int, Said]) -> dict[int, float]:
    return {
        trial: number(said)
        for trial, said in ratings.items()
        if said is not None and is_number(said)
    }
