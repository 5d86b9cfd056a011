"""`stats`, `explain` and `verify`."""

from __future__ import annotations

import os
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.cli.output import JsonOption, print_json, say, stdout, use_json
from auditor.cli.running import StoreArgument
from auditor.counted import counted
from auditor.errors import StoreError, StoreLocked, UsageError

if TYPE_CHECKING:
    from auditor.store.results import ResultRow

AllOption = Annotated[
    bool, typer.Option("--all", help="Every row of the result table, not the overview.")
]
StatisticOption = Annotated[
    list[str] | None,
    typer.Option(
        "--statistic", metavar="NAME", help="Every row of this statistic; may be repeated."
    ),
]
TargetOption = Annotated[
    list[str] | None,
    typer.Option("--target", metavar="NAME", help="Only this target; may be repeated."),
]
ProtocolOption = Annotated[
    list[str] | None,
    typer.Option("--protocol", metavar="NAME", help="Only this protocol; may be repeated."),
]
PresetsOption = Annotated[
    str | None,
    typer.Option(
        "--presets",
        metavar="P,Q",
        help="Fit the probe on these presets of the rubric (F,C,all), for this table alone."
        " Default: those of the spec.",
    ),
]


def stats(
    store: StoreArgument,
    json: JsonOption = False,
    all_rows: AllOption = False,
    statistic: StatisticOption = None,
    target: TargetOption = None,
    protocol: ProtocolOption = None,
    presets: PresetsOption = None,
) -> int:
    """Show the statistics of a store; what has changed since they were computed is taken in.

    An overview of the headline figures, or every row of what is asked for.
    """
    use_json(json)
    rows = current_statistics(store) if presets is None else _by_presets(store, presets)
    for name, wanted in (("protocol", protocol), ("target", target), ("statistic", statistic)):
        rows = _of(rows, name, wanted)
    if json:
        print_json([row.as_json() for row in rows])
    else:
        _print_table(rows, store, everything=all_rows or bool(statistic))
    return 0


def _by_presets(store: Path, presets: str) -> list[ResultRow]:
    from auditor.scheduler.other_presets import statistics_by
    from auditor.store.connection import sqlite_errors

    with sqlite_errors(store):
        return statistics_by(store, [name.strip() for name in presets.split(",")])


def _of(rows: list[ResultRow], name: str, wanted: list[str] | None) -> list[ResultRow]:
    """The rows of what is wanted. Raises UsageError for a name that no row has."""
    if not wanted or not rows:
        return rows
    known = sorted({str(getattr(row, name)) for row in rows})
    for each in wanted:
        if each not in known:
            close = get_close_matches(each, known, n=1)
            raise UsageError(
                f"--{name} {each}: the store has no such rows; it has {', '.join(known)}",
                hint=f"did you mean {close[0]!r}?" if close else None,
            )
    return [row for row in rows if getattr(row, name) in wanted]


def print_results(store: Path, protocol: str | None = None) -> None:
    """The overview of a store's statistics, or of one protocol's, on stdout."""
    rows = current_statistics(store)
    _print_table([row for row in rows if protocol in (None, row.protocol)], store, everything=False)


def _print_table(rows: list[ResultRow], store: Path, *, everything: bool) -> None:
    from auditor.live.tables import results_table
    from auditor.protocols.base import StatisticRow

    fields = StatisticRow.__dataclass_fields__
    console = stdout()
    console.print(
        results_table(
            [StatisticRow(**{name: getattr(row, name) for name in fields}) for row in rows],
            simulated={row.target for row in rows if row.simulated},
            overview=not everything,
        )
    )
    if not everything and rows:
        say(f"the other rows: auditor stats {store} --statistic NAME, or --all, or --json")
        say("what a statistic means: auditor explain NAME")


def current_statistics(store: Path) -> list[ResultRow]:
    """The stored snapshot, or a new one where it is out of date; stored if the store is free."""
    from auditor.scheduler.launch import stored_plan
    from auditor.scheduler.refresh import compute_statistics, store_statistics
    from auditor.store.connection import sqlite_errors
    from auditor.store.reading import open_reader
    from auditor.store.results import is_current, last_seq, read_statistics

    connection = open_reader(store)
    try:
        with sqlite_errors(store):
            if is_current(connection):
                return read_statistics(connection)
            # Before the plan is read: another process may change both meanwhile.
            as_of = last_seq(connection)
    finally:
        connection.close()
    plan = stored_plan(store).plan
    with sqlite_errors(store):
        rows = compute_statistics(store, plan)
    try:
        if os.access(store, os.W_OK) and not store_statistics(store, rows, as_of=as_of):
            say("the store has changed meanwhile; these statistics were not stored")
    except StoreLocked:
        say("the run goes on; these statistics are of what is there now and were not stored")
    except StoreError as error:
        say(f"these statistics were not stored: {error.message}", "yellow")
    return rows


def explain(
    statistic: Annotated[str, typer.Argument(metavar="STATISTIC", help="A statistic's name.")],
    protocol: Annotated[
        str | None, typer.Option("--protocol", help="Of this protocol; default: of all.")
    ] = None,
    json: JsonOption = False,
) -> int:
    """Say what a statistic is: definition, equation, source, interval, departures."""
    use_json(json)
    from auditor.reports.explanations import explanation, render_explanation

    found = explanation(statistic, protocol)
    if json:
        print_json(found)
    else:
        stdout().print(render_explanation(found))
    return 0


def verify(store: StoreArgument, json: JsonOption = False) -> int:
    """Check that a store is whole and unaltered: pages, schema, plan, digests, tallies."""
    use_json(json)
    from auditor.harmless import harmless
    from auditor.scheduler.kept_plan import kept_plan
    from auditor.store.connection import sqlite_errors
    from auditor.store.reading import open_reader
    from auditor.store.verification import verify as check

    connection = open_reader(store)
    try:
        with sqlite_errors(store):
            found = dict(check(connection, kept_plan(store)))
    finally:
        connection.close()
    if json:
        print_json({"store": str(store), "checks": found})
    else:
        for name, problems in found.items():
            stdout().print(
                f"{name}: {'good' if not problems else counted(len(problems), 'problem')}"
            )
            for problem in problems:
                stdout().print(f"  {harmless(problem)}", markup=False)
    return 1 if any(found.values()) else 0
