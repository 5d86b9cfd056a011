"""`import` and `export`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.cli.output import JsonOption, print_json, say, use_json
from auditor.cli.running import StoreArgument
from auditor.errors import UsageError

if TYPE_CHECKING:
    from auditor.importing import ImportReport

_STDIN = Path("-")


def import_(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...", help="Files with one JSON object a line, gzip too; - reads stdin."
        ),
    ],
    store: Annotated[
        Path | None,
        typer.Option("--store", help="The store. Default: beside the file, same name, .db."),
    ] = None,
    spec: Annotated[
        Path | None,
        typer.Option("--spec", help="Spec of a new store. Default: the protocols' defaults."),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            metavar="PROTOCOL|TARGET",
            help="Only this protocol or target; may be repeated.",
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="Take at most so many lines now.")
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Take nothing unless every line fits.")
    ] = False,
    no_judge: Annotated[
        bool, typer.Option("--no-judge", help="Leave judging and statistics for later.")
    ] = False,
    json: JsonOption = False,
) -> int:
    """Take in answers or annotations that were collected elsewhere, judge and count them."""
    use_json(json)
    from auditor.importing import import_files
    from auditor.spec import load_spec

    path = store or _default_store(files[0])
    report = import_files(
        files,
        path,
        spec=None if spec is None else load_spec(spec, needs_targets=False),
        only=only,
        limit=limit,
        strict=strict,
        judge=not no_judge,
        say=say,
    )
    if json:
        print_json(report.as_json())
    _conclude(report, shows_results=not (json or no_judge))
    return report.exit_code


def _default_store(file: Path) -> Path:
    if file == _STDIN:
        raise UsageError("an import from stdin needs a store", hint="name it with --store")
    return file.with_name(file.name.removesuffix(".gz")).with_suffix(".db")


def _conclude(report: ImportReport, *, shows_results: bool) -> None:
    from auditor.cli.results import print_results

    if shows_results and (report.taken or report.known):
        print_results(report.store)
    if report.unknown_fields:
        say(f"fields that mean nothing here were passed over: {', '.join(report.unknown_fields)}")
    counts = [f"{report.taken:,} line{'' if report.taken == 1 else 's'} taken"]
    if report.known:
        counts.append(f"{report.known:,} were there already")
    if report.left_out:
        counts.append(f"{report.left_out:,} left out")
    if report.rejected:
        counts.append(f"{report.rejected:,} rejected")
    say(f"{', '.join(counts)}; store: {report.store}", "yellow" if report.rejected else "")


def export(
    store: StoreArgument,
    folder: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="The folder to write into.")
    ],
    format: Annotated[
        str, typer.Option("--format", help="jsonl, csv, parquet or sqlite.", metavar="FORMAT")
    ] = "jsonl",
    force: Annotated[bool, typer.Option("--force", help="Overwrite files of an export.")] = False,
    json: JsonOption = False,
) -> int:
    """Write trials, responses, annotations, statistics and calls as files."""
    use_json(json)
    from auditor.reports.export import export as write

    counts = write(store, folder, format=format, force=force, say=say)
    if json:
        print_json({"folder": str(folder), "format": format, "rows": counts})
    return 0
