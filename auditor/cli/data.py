"""`import` and `export`."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.cli.output import JsonOption, print_json, say, use_json
from auditor.cli.running import StoreArgument
from auditor.counted import counted, plural
from auditor.errors import UsageError
from auditor.harmless import harmless

if TYPE_CHECKING:
    from auditor.importing import ImportReport

_STDIN = Path("-")
_NAMED = 10
"""Names that an error lists."""
_LONGEST = 60
"""Characters of each."""


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
    if only:
        _check_wanted(only, files)
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


def _check_wanted(only: list[str], files: list[Path]) -> None:
    """Raise UsageError where a name that is wanted is no line's protocol or target."""
    if not all(file.is_file() for file in files):  # a pipe can be read only once
        return
    protocols, targets = _names_in(files)
    for name in only:
        if name not in protocols | targets:
            raise UsageError(
                f"--only {harmless(name, _LONGEST)}: no line has such a protocol or target; the"
                f" lines have {_listed('protocol', protocols)} and {_listed('target', targets)}"
            )


def _names_in(files: list[Path]) -> tuple[set[str], set[str]]:
    """Protocols and targets of all lines; a line that cannot be read has none."""
    from auditor.importing.source import ImportSource
    from auditor.importing.values import Rejected, read_object

    found: tuple[set[str], set[str]] = (set(), set())
    for file in files:
        with closing(ImportSource(file)) as source:
            for _, raw in source.lines():
                try:
                    fields = {} if raw is None else read_object(raw)
                except Rejected:
                    continue
                for names, key in zip(found, ("protocol", "target"), strict=True):
                    if isinstance(name := fields.get(key), str):
                        names.add(name)
    return found


def _listed(noun: str, names: set[str]) -> str:
    shown = [harmless(name, _LONGEST) for name in sorted(names)]
    more = f" and {len(shown) - _NAMED:,} more" if len(shown) > _NAMED else ""
    if not shown:
        return f"no {noun}"
    return f"the {noun if len(shown) == 1 else plural(noun)} {', '.join(shown[:_NAMED])}{more}"


def _conclude(report: ImportReport, *, shows_results: bool) -> None:
    from auditor.cli.results import print_results

    if shows_results and (report.taken or report.known):
        print_results(report.store)
    if report.unknown_fields:
        say(f"fields that mean nothing here were passed over: {', '.join(report.unknown_fields)}")
    counts = [f"{counted(report.taken, 'line')} taken"]
    if report.known:
        verb = "was" if report.known == 1 else "were"
        counts.append(f"{report.known:,} {verb} there already")
    if report.left_out:
        counts.append(f"{report.left_out:,} left out")
    if report.rejected:
        counts.append(f"{report.rejected:,} rejected")
    place = f"store: {report.store}" if report.store.exists() else "no store was made"
    say(f"{', '.join(counts)}; {place}", "yellow" if report.rejected else "")


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
