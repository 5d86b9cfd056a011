"""`list`: what there is to audit with."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from auditor.cli.output import JsonOption, print_json, stdout, use_json
from auditor.types import JSON


class Listed(StrEnum):
    """What can be listed."""

    PROTOCOLS = "protocols"
    JUDGES = "judges"
    PROVIDERS = "providers"
    RUBRICS = "rubrics"
    STATISTICS = "statistics"


def list_(
    what: Annotated[Listed, typer.Argument(help="What to list.")], json: JsonOption = False
) -> int:
    """List protocols, judges, providers, rubrics or statistics."""
    use_json(json)
    rows = _ROWS[what]()
    if json:
        print_json(rows)
        return 0
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name in rows[0] if rows else ():
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*("—" if value is None else str(value) for value in row.values()))
    stdout().print(table)
    return 0


def _protocols() -> list[dict[str, JSON]]:
    from auditor import protocols

    found = [protocols.get(name) for name in protocols.names()]
    return [{"protocol": p.name, "summary": p.summary, "paper": p.paper} for p in found]


def _judges() -> list[dict[str, JSON]]:
    from agents import judges
    from agents.judges import model

    offline: list[dict[str, JSON]] = [
        {"protocol": j.protocol, "task": j.task, "judge": j.name, "summary": j.summary}
        for j in judges.table()
    ]
    models: list[dict[str, JSON]] = [
        {
            "protocol": m.protocol,
            "task": m.task,
            "judge": "PROVIDER:MODEL",
            "summary": f"any model, told what rubrics/{m.prompt} says",
        }
        for m in model.table()
    ]
    return [*offline, *models]


def _providers() -> list[dict[str, JSON]]:
    from auditor.providers import providers_table

    simulated = {"name": "sim", "wire": "in process", "base_url": None, "api_key_env": None}
    return [simulated, *(dict(row) for row in providers_table())]


def _rubrics() -> list[dict[str, JSON]]:
    import rubrics
    from auditor.canonical import text_digest16

    return [
        {"file": path, "hash": text_digest16(rubrics.read(path)).hex()} for path in rubrics.names()
    ]


def _statistics() -> list[dict[str, JSON]]:
    from auditor.reports.explanations import explanations

    return [
        {key: words.get(key) for key in ("statistic", "family", "title")}
        for words in explanations()
    ]


_ROWS = {
    Listed.PROTOCOLS: _protocols,
    Listed.JUDGES: _judges,
    Listed.PROVIDERS: _providers,
    Listed.RUBRICS: _rubrics,
    Listed.STATISTICS: _statistics,
}
