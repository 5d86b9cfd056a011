"""`report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from auditor.cli.output import JsonOption, print_json, say, stdout, use_json
from auditor.cli.results import current_statistics
from auditor.harmless import harmless


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
    force: Annotated[bool, typer.Option("--force", help="Overwrite files of a report.")] = False,
    json: JsonOption = False,
) -> int:
    """Draw figures of the statistics, as SVG and PNG, with an index of what they show."""
    use_json(json)
    from auditor.reports.figures import chosen_figures, findings, read_findings, write_figures

    chosen = chosen_figures(figure)
    paths = list({path.resolve(): path for path in stores}.values())
    read = [read_findings(path, current_statistics(path)) for path in paths]
    written = write_figures(findings(read), chosen, folder, force=force)
    if json:
        entries = [each.as_json() for each in written]
        print_json({"folder": str(folder), "index": "figures.json", "figures": entries})
        return 0
    for each in written:
        for name in each.files:
            stdout().print(harmless(str(folder / name)), markup=False, soft_wrap=True)
        if each.drawing.missing:
            say(f"{each.stem}: {each.drawing.missing:,} values are missing and drawn as such")
    return 0
