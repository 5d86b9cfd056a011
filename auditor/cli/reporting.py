"""`report`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.cli.output import JsonOption, print_json, say, stdout, use_json
from auditor.cli.results import current_statistics
from auditor.counted import counted
from auditor.harmless import harmless

if TYPE_CHECKING:
    from auditor.types import JSON


def report(
    stores: Annotated[
        list[Path],
        typer.Argument(metavar="STORE...", help="Stores: their targets stand side by side."),
    ],
    folder: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="The folder to write into.")
    ],
    figure: Annotated[
        list[str] | None,
        typer.Option(
            "--figure",
            metavar="NAME",
            help="Only this figure (see `auditor list figures`); may be repeated.",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite the files of these figures.")
    ] = False,
    json: JsonOption = False,
) -> int:
    """Draw figures of the statistics, as SVG and PNG, with an index of what they show.

    Figures of an earlier report in the folder that are not drawn anew stay, there and in the index.
    """
    use_json(json)
    from auditor.reports.figures import (
        INDEX,
        chosen_figures,
        findings,
        read_findings,
        write_figures,
    )

    chosen = chosen_figures(figure)
    paths = list({path.resolve(): path for path in stores}.values())
    read = [read_findings(path, current_statistics(path)) for path in paths]
    written = write_figures(findings(read), chosen, folder, force=force)
    if json:
        entries = [each.as_json() for each in written.drawn]
        kept = [*written.kept]
        print_json({"folder": str(folder), "index": INDEX, "figures": entries, "kept": kept})
        return 0
    for each in written.drawn:
        _print(each.drawing.title)
        for name in each.files:
            _print(f"  {folder / name}")
        if each.drawing.missing:
            values = counted(each.drawing.missing, "value", verb=("is", "are"))
            say(f"{each.stem}: {values} missing and drawn as such")
    _print(f"index: {folder / INDEX}")
    if written.kept:
        figures = counted(len(written.kept), "figure")
        verb = "stays" if len(written.kept) == 1 else "stay"
        names = ", ".join(_stem(entry) for entry in written.kept)
        say(f"{figures} of an earlier report {verb} there and in the index: {names}")
    return 0


def _print(line: str) -> None:
    stdout().print(harmless(line), markup=False, soft_wrap=True)


def _stem(entry: Mapping[str, JSON]) -> str:
    return Path(entry["files"][0]).stem
