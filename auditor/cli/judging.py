"""`sample` and `validate`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.cli.output import JsonOption, print_json, say, stdout, use_json
from auditor.cli.running import StoreArgument
from auditor.errors import UsageError

if TYPE_CHECKING:
    from auditor.reports.sampling import Sample
    from auditor.reports.sheets import Sheets
    from auditor.reports.validation_report import ValidationReport

_NAMED_PROBLEMS = 20


def sample(
    store: StoreArgument,
    task: Annotated[str, typer.Option("--task", help="The annotation task to label.")],
    n: Annotated[
        int | None, typer.Option("--n", "-n", min=1, help="Answers to draw. Default: 100.")
    ] = None,
    stratify: Annotated[
        list[str] | None,
        typer.Option(
            "--stratify",
            metavar="F,G",
            help="Factors, target, or properties of levels (domain) that the draw is spread over.",
        ),
    ] = None,
    sizes: Annotated[
        Path | None,
        typer.Option(
            "--sizes", metavar="FILE", help="CSV: the strata's columns, and n of each stratum."
        ),
    ] = None,
    oversample: Annotated[
        list[str] | None,
        typer.Option(
            "--oversample",
            metavar="CLASS=N",
            help="Of each stratum at least N answers that a judge gives this class; may be"
            " repeated.",
        ),
    ] = None,
    annotators: Annotated[
        int, typer.Option("--annotators", min=1, max=99, help="Blind sheets to write.")
    ] = 2,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="DIR",
            help="The folder to write into. Default: beside the store, by its name and the task.",
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", help="Seed of the draw. Default: the run's.")
    ] = None,
    protocol: Annotated[
        str | None, typer.Option("--protocol", help="Where several protocols have the task.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite sheets, and labels that they hold.")
    ] = False,
    json: JsonOption = False,
) -> int:
    """Draw answers for people to label: blind sheets, and one to reconcile them."""
    use_json(json)
    from auditor.reports.sampling import draw_sample
    from auditor.reports.sheets import write_sheets
    from auditor.store.connection import sqlite_errors
    from auditor.store.reading import open_reader

    connection = open_reader(store)
    try:
        with sqlite_errors(store):
            drawn = draw_sample(
                connection,
                task,
                protocol=protocol,
                n=n,
                stratify=_names(stratify),
                sizes=sizes,
                oversample=_numbers(oversample),
                seed=seed,
            )
            folder = output or store.with_name(f"{store.stem}-{drawn.task.name}-sample")
            written = write_sheets(connection, drawn, folder, annotators=annotators, force=force)
    finally:
        connection.close()
    if json:
        files = [str(folder / name) for name in written.files]
        print_json({"folder": str(folder), "files": files, **drawn.as_json()})
    _tell_sample(store, drawn, written)
    return 0


def _names(given: list[str] | None) -> list[str]:
    return [name.strip() for part in given or () for name in part.split(",") if name.strip()]


def _numbers(given: list[str] | None) -> dict[str, int]:
    found: dict[str, int] = {}
    for part in given or ():
        name, _, number = part.rpartition("=")
        if not name or not (number.isascii() and number.isdigit()) or int(number) < 1:
            raise UsageError(
                f"oversample: value {part!r}; allowed: CLASS=N, N a whole number from 1"
            )
        found[name] = int(number)
    return found


def _tell_sample(store: Path, drawn: Sample, written: Sheets) -> None:
    for count in drawn.strata:
        name = ", ".join(count.levels) or "all answers"
        if count.taken < count.asked:
            say(f"{name}: {count.taken} of {count.asked} asked for; there are no more", "yellow")
    if drawn.simulated:
        say("these answers are simulated", "magenta")
    if written.too_long:
        say(
            f"{written.too_long} texts are longer than a spreadsheet's cell holds: read those with"
            " `auditor show`",
            "yellow",
        )
    say(f"{written.rows:,} answers in each of {len(written.files)} sheets: {written.folder}")
    say(f"fill in the column `label`, then: auditor validate {store} --labels FILE")


def validate(
    store: StoreArgument,
    labels: Annotated[
        list[Path],
        typer.Option(
            "--labels",
            metavar="FILE.csv",
            help="People's labels; may be repeated.",
            show_default=False,
        ),
    ],
    task: Annotated[
        str | None,
        typer.Option("--task", help="Only labels of this task; needed without a column task."),
    ] = None,
    json: JsonOption = False,
) -> int:
    """Hold judges against people's labels, and judges and people against each other."""
    use_json(json)
    from auditor.reports.labels import read_labels
    from auditor.reports.validation import validate as hold_against
    from auditor.store.connection import sqlite_errors
    from auditor.store.reading import open_reader

    read = read_labels(labels, task=task)
    connection = open_reader(store)
    try:
        with sqlite_errors(store):
            report = hold_against(connection, read, task)
    finally:
        connection.close()
    if json:
        print_json(report.as_json())
    else:
        from auditor.reports.validation_view import ValidationTable

        stdout().print(ValidationTable(report))
    _tell_validation(report)
    return report.exit_code


def _tell_validation(report: ValidationReport) -> None:
    for problem in report.problems[:_NAMED_PROBLEMS]:
        say(problem.message, "yellow")
    unnamed = len(report.problems) - _NAMED_PROBLEMS
    if unnamed > 0:
        say(f"and {unnamed:,} more lines that could not be taken; --json names all", "yellow")
    counts = [f"{report.taken:,} labels taken"]
    for number, words in (
        (len(report.problems), "could not be taken"),
        (report.blank, "not filled in"),
        (report.repeated, "said twice"),
        (report.other_tasks, "of other tasks"),
    ):
        if number:
            counts.append(f"{number:,} {words}")
    say(", ".join(counts), "yellow" if report.problems else "")
