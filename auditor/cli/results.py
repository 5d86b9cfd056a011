"""`stats`, `explain` and `verify`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.cli.output import JsonOption, print_json, say, stdout, use_json
from auditor.cli.running import StoreArgument
from auditor.errors import StoreError, StoreLocked

if TYPE_CHECKING:
    from auditor.store.results import ResultRow

AllOption = Annotated[
    bool, typer.Option("--all", help="Every row of the result table, not the overview.")
]


def stats(store: StoreArgument, json: JsonOption = False, all_rows: AllOption = False) -> int:
    """Show the statistics of a store; what has changed since they were computed is taken in."""
    use_json(json)
    rows = current_statistics(store)
    if json:
        print_json([row.as_json() for row in rows])
    else:
        _print_table(rows, everything=all_rows)
    return 0


def print_results(store: Path) -> None:
    """The overview of a store's statistics, on stdout."""
    _print_table(current_statistics(store), everything=False)


def _print_table(rows: list[ResultRow], *, everything: bool) -> None:
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
        say("every figure: auditor stats STORE --all, or --json; what one means: auditor explain")


def current_statistics(store: Path) -> list[ResultRow]:
    """The stored snapshot, or a new one where it is out of date; stored if the store is free."""
    from auditor.scheduler.audit import compute_statistics
    from auditor.scheduler.launch import stored_plan
    from auditor.scheduler.refresh import store_statistics
    from auditor.store.connection import sqlite_errors
    from auditor.store.reading import open_reader
    from auditor.store.results import is_current, read_statistics

    connection = open_reader(store)
    try:
        with sqlite_errors(store):
            if is_current(connection):
                return read_statistics(connection)
    finally:
        connection.close()
    plan = stored_plan(store).plan
    with sqlite_errors(store):
        rows = compute_statistics(store, plan)
    try:
        if os.access(store, os.W_OK):
            store_statistics(store, rows)
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
    """Check that a store is whole and unaltered: pages, references, digests, tallies."""
    use_json(json)
    from auditor.store.connection import sqlite_errors
    from auditor.store.reading import open_reader
    from auditor.store.verification import verify as check

    connection = open_reader(store)
    try:
        with sqlite_errors(store):
            found = dict(check(connection))
    finally:
        connection.close()
    if json:
        print_json({"store": str(store), "checks": found})
    else:
        for name, problems in found.items():
            stdout().print(f"{name}: {'good' if not problems else f'{len(problems)} problem(s)'}")
            for problem in problems:
                stdout().print(f"  {problem}", markup=False)
    return 1 if any(found.values()) else 0
