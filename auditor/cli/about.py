"""`list`: what there is to audit with."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.cli.output import JsonOption, print_json, stdout, use_json
from auditor.errors import UsageError
from auditor.harmless import harmless
from auditor.types import JSON

if TYPE_CHECKING:
    from rich.text import Text

    from agents.judges import OfflineJudge
    from auditor.plugins import Plugin


class Listed(StrEnum):
    """What can be listed."""

    PROTOCOLS = "protocols"
    JUDGES = "judges"
    PROVIDERS = "providers"
    RUBRICS = "rubrics"
    STATISTICS = "statistics"
    FIGURES = "figures"


def list_(
    what: Annotated[Listed, typer.Argument(help="What to list.")],
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
    if check is not None or command is not None:
        if what is not Listed.JUDGES:
            raise UsageError(f"list {what}: --check and --command are of `list judges`")
        from auditor.cli.checking import check as check_judge

        return check_judge(check, command=command, task=task, protocol=protocol, json=json)
    if task is not None or protocol is not None:
        raise UsageError("--task and --protocol stand beside --check or --command")
    rows = _ROWS[what]()
    if json:
        print_json(rows)
        return 0
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    # What no row has (a broken plug-in, where there is none) needs no column.
    columns = [name for name in (rows[0] if rows else ()) if _is_shown(name, rows)]
    for name in columns:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*(_cell(row[name]) for name in columns))
    stdout().print(table)
    return 0


def _is_shown(name: str, rows: list[dict[str, JSON]]) -> bool:
    return name not in ("from", "broken") or any(row[name] is not None for row in rows)


def _cell(value: JSON) -> Text:
    from rich.text import Text

    # A plug-in's words are no markup.
    return Text("—" if value is None else harmless(str(value)))


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
        rows.append({**row, "from": None if plugin is None else plugin.shown, "broken": None})
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
            "from": None,
            "broken": None,
        }
        for m in model.table()
    ]
    commands: dict[str, JSON] = {
        "protocol": "any",
        "task": "any",
        "judge": "command = [...]",
        "summary": "any program that reads requests and writes verdicts, a line of JSON each",
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
        "from": None if plugin is None else plugin.shown,
        "broken": None,
    }


def _providers() -> list[dict[str, JSON]]:
    from auditor import providers

    simulated = {"name": "sim", "wire": "in process", "base_url": None, "api_key_env": None}
    rows: list[dict[str, JSON]] = [
        {**row, "from": None, "broken": None} for row in (simulated, *providers.providers_table())
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
