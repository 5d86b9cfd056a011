"""`list`: what there is to audit with."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.cli.output import JsonOption, print_json, stdout, use_json
from auditor.errors import UsageError

if TYPE_CHECKING:
    from rich.text import Text

    from agents.judges import OfflineJudge
    from auditor.live.glyphs import Glyphs
    from auditor.plugins import Plugin
    from auditor.types import JSON


_DISTRIBUTION = "bias-auditor"
"""What this package is installed as."""


class Listed(StrEnum):
    """What can be listed."""

    PROTOCOLS = "protocols"
    JUDGES = "judges"
    PROVIDERS = "providers"
    RUBRICS = "rubrics"
    STATISTICS = "statistics"
    FIGURES = "figures"


_SUMMARIES = {
    Listed.PROTOCOLS: "the ways to audit",
    Listed.JUDGES: "what annotates answers, by protocol and task",
    Listed.PROVIDERS: "where models are asked, and the environment variables of their keys",
    Listed.RUBRICS: "the files that protocols and judges go by, with their hashes",
    Listed.STATISTICS: "what is computed; auditor explain NAME says how",
    Listed.FIGURES: "what `auditor report` draws",
}


_PLAIN = ("summary", "paper", "title")
"""Columns that need no head to be understood."""


def list_(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="WHAT",
            help="What to list: protocols, judges, providers, rubrics, statistics or figures."
            " Without it: what there is to list.",
        ),
    ] = None,
    check: Annotated[
        str | None,
        typer.Option(
            "--check",
            metavar="NAME",
            help="Check that this judge keeps what judges promise: NAME, TASK/NAME or"
            " PROTOCOL.TASK.NAME.",
        ),
    ] = None,
    command: Annotated[
        str | None,
        typer.Option("--command", metavar="COMMAND", help="Check a judge that is a command."),
    ] = None,
    task: Annotated[str | None, typer.Option("--task", help="The task that it judges.")] = None,
    protocol: Annotated[
        str | None, typer.Option("--protocol", help="Where several protocols have the task.")
    ] = None,
    json: JsonOption = False,
) -> int:
    """List protocols, judges, providers, rubrics, statistics or figures; or check a judge."""
    use_json(json)
    listed = None if what is None else _listed(what)
    if check is not None or command is not None:
        if listed is not Listed.JUDGES:
            raise UsageError("--check and --command are of `list judges`")
        from auditor.cli.checking import check as check_judge

        return check_judge(check, command=command, task=task, protocol=protocol, json=json)
    if task is not None or protocol is not None:
        raise UsageError("--task and --protocol stand beside --check or --command")
    rows = _overview() if listed is None else _ROWS[listed]()
    if json:
        print_json(rows)
        return 0
    # What no row has (a broken plug-in, where there is none) needs no column.
    names = [name for name in (rows[0] if rows else ()) if _is_shown(name, rows)]
    console = stdout()
    from auditor.live.glyphs import glyphs_for

    naming = 3 if listed is Listed.JUDGES else 1
    for line in _lines(rows, names, naming, console.width, glyphs_for(console)):
        console.print(line)
    return 0


def _listed(what: str) -> Listed:
    try:
        return Listed(what)
    except ValueError:
        raise UsageError(f"WHAT: value {what!r}; allowed: {', '.join(Listed)}") from None


def _lines(
    rows: list[dict[str, JSON]], names: list[str], naming: int, width: int, glyphs: Glyphs
) -> list[Text]:
    """A line a row where they fit; else what names a row, and below it what is said of it.

    `naming` is how many of the first columns name a row.
    """
    from rich.text import Text

    from auditor.live.columns import Column, column_widths, grid, total_width
    from auditor.live.entries import Entry, Figure, entry_lines

    columns = [Column(key=name, priority=0, right=False) for name in names]
    heads = {name: glyphs.text((name, "dim")) for name in names}
    cells = [{name: glyphs.text(_words(row[name])) for name in names} for row in rows]
    widths = column_widths(columns, [heads, *cells], width)
    if total_width(widths) <= width:
        return grid(columns, [heads, *cells], width, glyphs, widths=widths)
    entries = [
        Entry(
            name=Text("  ").join(cell[name] for name in names[:naming]),
            figures={name: cell[name] for name in names[naming:] if row[name] is not None},
        )
        for row, cell in zip(rows, cells, strict=True)
    ]
    said = [
        Figure(key=name, head=name, right=False, label="" if name in _PLAIN else None)
        for name in names[naming:]
    ]
    return entry_lines("  ".join(names[:naming]), said, entries, width, glyphs)


def _words(value: JSON) -> str:
    return "—" if value is None else str(value)


def _overview() -> list[dict[str, JSON]]:
    return [{"list": str(each), "summary": summary} for each, summary in _SUMMARIES.items()]


def _is_shown(name: str, rows: list[dict[str, JSON]]) -> bool:
    return name != "broken" or any(row[name] is not None for row in rows)


def _protocols() -> list[dict[str, JSON]]:
    from auditor import protocols

    broken = protocols.broken()
    unusable = {plugin.name for plugin, _ in broken if protocols.origin(plugin.name) is not None}
    rows: list[dict[str, JSON]] = []
    for name in protocols.names():
        if name in unusable:
            continue
        found, plugin = protocols.get(name), protocols.origin(name)
        row = {"protocol": found.name, "summary": found.summary, "paper": found.paper}
        rows.append({**row, "from": _origin(plugin), "broken": None})
    for plugin, reason in broken:
        unknown: dict[str, JSON] = {"protocol": plugin.name, "summary": None, "paper": None}
        rows.append({**unknown, "from": plugin.shown, "broken": reason})
    return rows


def _judges() -> list[dict[str, JSON]]:
    from agents import judges
    from agents.judges import model

    rows: list[dict[str, JSON]] = [_judge_row(judge, None) for judge in judges.table()]
    for plugin, found in judges.outside_judges():
        if isinstance(found, str):
            names = dict.fromkeys(("protocol", "task", "judge", "summary"))
            rows.append({**names, "judge": plugin.name, "from": plugin.shown, "broken": found})
        else:
            rows.append(_judge_row(found, plugin))
    models: list[dict[str, JSON]] = [
        {
            "protocol": m.protocol,
            "task": m.task,
            "judge": "PROVIDER:MODEL",
            "summary": f"any model, told what rubrics/{m.prompt} says",
            "from": _origin(None),
            "broken": None,
        }
        for m in model.table()
    ]
    commands: dict[str, JSON] = {
        "protocol": "any",
        "task": "any",
        "judge": "command = [...]",
        "summary": "any program, lines of JSON in and out; --command and --task try one",
        "from": None,
        "broken": None,
    }
    return [*rows, *models, commands]


def _judge_row(judge: OfflineJudge, plugin: Plugin | None) -> dict[str, JSON]:
    return {
        "protocol": judge.protocol,
        "task": judge.task,
        "judge": judge.name,
        "summary": judge.summary,
        "from": _origin(plugin),
        "broken": None,
    }


def _origin(plugin: Plugin | None) -> str:
    """The distribution that a thing comes from, with its version."""
    from auditor import __version__

    return f"{_DISTRIBUTION} {__version__}" if plugin is None else plugin.shown


def _providers() -> list[dict[str, JSON]]:
    from auditor import providers

    simulated = {"name": "sim", "wire": "in process", "base_url": None, "api_key_env": None}
    local = providers.provider_row(providers.known_provider("local"))
    rows: list[dict[str, JSON]] = [
        {**row, "from": _origin(None), "broken": None}
        for row in (simulated, local, *providers.providers_table())
    ]
    for plugin, found in providers.outside_providers():
        if isinstance(found, str):
            unknown: dict[str, JSON] = dict.fromkeys(simulated)
            said = {"name": plugin.name, "from": plugin.shown, "broken": found}
            rows.append({**unknown, **said})
        else:
            known = providers.provider_row(found)
            rows.append({**known, "from": plugin.shown, "broken": None})
    return rows


def _rubrics() -> list[dict[str, JSON]]:
    import rubrics
    from auditor import protocols
    from auditor.canonical import text_digest16

    protocols.take_up_all()
    return [
        {"file": path, "hash": text_digest16(rubrics.read(path)).hex()} for path in rubrics.names()
    ]


def _statistics() -> list[dict[str, JSON]]:
    from auditor.reports.explanations import explanations

    return [
        {key: words.get(key) for key in ("statistic", "family", "title")}
        for words in explanations()
    ]


def _figures() -> list[dict[str, JSON]]:
    from auditor.reports.figures import figures

    return [{"figure": f.name, "protocol": f.protocol, "summary": f.summary} for f in figures()]


_ROWS = {
    Listed.PROTOCOLS: _protocols,
    Listed.JUDGES: _judges,
    Listed.PROVIDERS: _providers,
    Listed.RUBRICS: _rubrics,
    Listed.STATISTICS: _statistics,
    Listed.FIGURES: _figures,
}
