"""`sample` and `validate`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.cli.output import JsonOption, print_json, say, stdout, use_json
from auditor.cli.running import StoreArgument
from auditor.counted import counted
from auditor.errors import UsageError

if TYPE_CHECKING:
    from auditor.reports.sampling import Sample, StratumCount
    from auditor.reports.sheets import Sheets
    from auditor.reports.validation_report import ValidationReport

_NAMED_PROBLEMS = 20
_ALL = "the store has no more"


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
    parts: Annotated[
        list[str] | None,
        typer.Option(
            "--part",
            metavar="P,Q",
            help="Parts of the values to label: dimensions of a rubric. Default: those of the"
            " spec's presets.",
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
    from auditor.scheduler.launch import stored_plan
    from auditor.store.connection import sqlite_errors
    from auditor.store.reading import open_reader

    spec = stored_plan(store).plan.spec
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
                parts=_names(parts),
                params=spec.protocols,
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
    _tell_what_is_short(drawn)
    if drawn.simulated:
        say("these answers are simulated", "magenta")
    if written.too_long:
        said = counted(written.too_long, "text", verb=("is", "are"))
        which = "that one" if written.too_long == 1 else "those"
        say(
            f"{said} longer than a spreadsheet's cell holds: read {which} with `auditor show`",
            "yellow",
        )
    sheets = counted(written.sheets, "sheet")
    say(f"{counted(written.rows, 'answer')} in each of {sheets}: {written.folder}")
    columns = "the columns named `label.`" if drawn.parts else "the column `label`"
    say(f"fill in {columns} as {written.folder / written.guide} says, then:")
    say(f"auditor validate {store} --labels FILE")


def _tell_what_is_short(drawn: Sample) -> None:
    """Where fewer answers were drawn than asked for: in all, of a stratum, of a class."""
    short = [count for count in drawn.strata if count.taken < count.asked]
    for count in short:
        say(f"{_stratum(count)}: {count.taken:,} of {count.asked:,} asked for; {_ALL}", "yellow")
    if not short and len(drawn.trials) < drawn.asked:
        say(f"{len(drawn.trials):,} of {drawn.asked:,} answers asked for; {_ALL}", "yellow")
    for count in drawn.strata:
        for name, wanted in drawn.oversample.items():
            found = count.classes[name]
            if count.asked and found < wanted:
                why = "this stratum has no more, or no more room"
                say(f"{_stratum(count)}: {name} {found:,} of {wanted:,}; {why}", "yellow")


def _stratum(count: StratumCount) -> str:
    return ", ".join(count.levels) or "all answers"


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
        lines = counted(unnamed, "line")
        say(f"and {lines} more that could not be taken; --json names all", "yellow")
    counts = [f"{counted(report.taken, 'label')} taken"]
    for number, words in (
        (len(report.problems), "could not be taken"),
        (report.blank, "not filled in"),
        (report.repeated, "said twice"),
        (report.other_tasks, "of other tasks"),
    ):
        if number:
            counts.append(f"{number:,} {words}")
    say(", ".join(counts), "yellow" if report.problems else "")
