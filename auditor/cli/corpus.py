"""`corpus`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.cli.output import (
    EXIT_INTERRUPTED,
    JsonOption,
    print_json,
    say,
    stderr,
    stdout,
    use_json,
)
from auditor.counted import counted
from auditor.errors import UsageError
from auditor.harmless import harmless

if TYPE_CHECKING:
    from rich.table import Table

    from auditor.corpus.report import CorpusReport
    from auditor.protocols.spatial_corpus import GenderFigures

_LONGEST_NAME = 200
_PACKED = (".gz", ".zst", ".zstd")


def corpus(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE...",
            help="JSON lines, text or parquet, plain, gzip or zstd. None: show what was counted.",
        ),
    ] = None,
    store: Annotated[
        Path | None,
        typer.Option("--store", help="The store. Default: beside the first file, same name, .db."),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option("--name", help="What the corpus is called. Default: as the first file."),
    ] = None,
    field: Annotated[
        str, typer.Option("--field", help="Field of a JSON object, or column, with the text.")
    ] = "text",
    per_space: Annotated[
        int | None,
        typer.Option(
            "--per-space", min=1, metavar="K", help="Take the first K documents of each space."
        ),
    ] = None,
    json: JsonOption = False,
) -> int:
    """Count women's and men's words beside spaces in files of text (NSGC); goes on where it was."""
    use_json(json)
    from auditor.corpus.run import count_corpus

    if files:
        first = _bare(files[0])
        chosen = _checked(first.stem if name is None else name)
        try:
            with _shown() as (begun, progress):
                report = count_corpus(
                    files,
                    store or first.with_suffix(".db"),
                    name=chosen,
                    field=field,
                    per_space=per_space,
                    say=say,
                    begun=begun,
                    progress=progress,
                )
        except KeyboardInterrupt:
            say("interrupted; counted files stay counted, the same command goes on with the rest")
            return EXIT_INTERRUPTED
    else:
        report = _stored(store, name)
    if json:
        print_json(report.as_json())
    else:
        _print(report)
    return report.exit_code


def _checked(name: str) -> str:
    """A corpus' name that can be shown. Raises UsageError for any other."""
    if not (0 < len(name) <= _LONGEST_NAME and name.isprintable() and name == name.strip() != "*"):
        raise UsageError(
            f"--name {harmless(name, _LONGEST_NAME)!r}: allowed: a name that can be shown, at most"
            f" {_LONGEST_NAME} characters",
            where="--name",
        )
    return name


def _bare(file: Path) -> Path:
    """A file without the ending of its packing."""
    return file.with_suffix("") if file.suffix in _PACKED and file.stem else file


def _stored(store: Path | None, name: str | None) -> CorpusReport:
    """What a store holds. Raises UsageError where it is not clear which corpus is meant."""
    from auditor.corpus.run import stored_report
    from auditor.store.connection import sqlite_errors
    from auditor.store.corpus import corpora
    from auditor.store.reading import open_reader

    if store is None:
        raise UsageError("no file to count; allowed: files, or --store of what was counted")
    connection = open_reader(store)
    try:
        with sqlite_errors(store):
            known = corpora(connection)
    finally:
        connection.close()
    if not known:
        raise UsageError(f"{store} holds no corpus", hint="name the files to count")
    if name is None and len(known) > 1:
        raise UsageError(f"{store} holds several corpora; allowed: --name {', '.join(known)}")
    chosen = known[0] if name is None else name
    if chosen not in known:
        raise UsageError(f"--name {chosen}: {store} has no such corpus; it has {', '.join(known)}")
    return stored_report(store, chosen)


_Numbers = Callable[[int, int], None]


@contextlib.contextmanager
def _shown() -> Iterator[tuple[_Numbers, _Numbers]]:
    """A line that tells how far the counting is, where stderr is a terminal."""
    console = stderr()
    if not console.is_terminal:
        yield (lambda _bytes, _files: None), (lambda _bytes, _files: None)
        return
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as shown:
        task = shown.add_task("looking at the files", total=None)
        count = 0

        def begun(size: int, files: int) -> None:
            nonlocal count
            count = files
            shown.update(task, total=size, description=f"0 of {files:,} files")

        def progress(read: int, files: int) -> None:
            shown.update(task, completed=read, description=f"{files:,} of {count:,} files")

        yield begun, progress


def _print(report: CorpusReport) -> None:
    from auditor.protocols.spatial_corpus import top

    for gender in ("women", "men"):
        found = top(report.figures, gender)
        if found:
            stdout().print(_table(gender, found))
    standing = report.standing
    if standing is not None:
        most = "" if standing.per_space is None else f", {standing.per_space:,} a space at most"
        say(
            f"{report.corpus}: {counted(standing.documents, 'document')} of"
            f" {counted(standing.files, 'file')}{most}"
        )
    said = []
    if report.counted:
        speed = report.bytes_read / 1e6 / report.seconds if report.seconds else 0.0
        said.append(f"{report.counted:,} counted at {speed:.0f} MB/s")
    if report.known:
        said.append(f"{report.known:,} counted before")
    if report.unneeded:
        said.append(f"{report.unneeded:,} not needed")
    if report.problems:
        said.append(f"{len(report.problems):,} broken off")
    if report.rejected:
        said.append(f"{counted(report.rejected, 'line')} rejected")
    if said:
        say(f"files: {', '.join(said)}", "yellow" if report.exit_code else "")
    say(
        f"all rows: auditor stats {report.store} --statistic nsgc; what it is: auditor explain nsgc"
    )


def _table(gender: str, found: list[GenderFigures]) -> Table:
    from rich.table import Table

    table = Table(title=f"most {gender}", title_justify="left", box=None, pad_edge=False)
    table.add_column("space")
    for head in ("NSGC", "95 %", "sentences", "words", "documents"):
        table.add_column(head, justify="right")
    for each in found:
        nsgc = each.nsgc
        between = "" if nsgc.ci_low is None else f"{nsgc.ci_low:.3f} to {nsgc.ci_high:.3f}"
        table.add_row(
            each.space,
            f"{nsgc.value:.3f}",
            between,
            f"{each.counts.sentences:,}",
            f"{each.counts.tokens:,}",
            f"{each.documents:,}",
        )
    return table
