"""What a plan will take, and what models were found to take, as tables for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from auditor.counted import counted
from auditor.harmless import harmless
from auditor.live import figures
from auditor.scheduler.estimates import SECONDS_A_CALL, Expected
from auditor.scheduler.profiles import Probed
from auditor.scheduler.readiness import Readiness, TargetReadiness


def plan_table(
    name: str,
    total: Expected,
    by_target: Mapping[str, Expected],
    by_judge: Mapping[str, Expected],
    *,
    caps_output: bool,
) -> RenderableType:
    """One row a target, one a judge that is a model, and their sum."""
    table = Table(title=f"plan of {harmless(name)}", title_justify="left", box=None)
    table.add_column("target", overflow="fold")
    for head in ("trials", "calls", "tokens at most", "cost at most", "time"):
        table.add_column(head, justify="right")
    judges = [(f"judge {judge}", found) for judge, found in by_judge.items()]
    rows = [*by_target.items(), *judges, ("all", total)]
    for target, found in rows:
        table.add_row(
            Text(harmless(target)),
            figures.count(found.trials) if found.trials else "",
            figures.count(found.calls),
            figures.count(found.tokens),
            "unknown" if found.cost_usd is None else figures.dollars(found.cost_usd),
            figures.duration(found.seconds),
            style="bold" if target == "all" and found is total else "",
        )
    sent = "is sent, since the budget needs one" if caps_output else "is not sent unless set"
    note = (
        f"tokens and cost assume answers of {counted(total.max_tokens, 'token')} (the output"
        f" cap; it {sent});"
        f" time assumes {SECONDS_A_CALL:.0f} s a call"
    )
    return Group(table, Text(note, style="dim"))


def targets_table(targets: Sequence[TargetReadiness]) -> RenderableType:
    """One row a target: where its model is asked, and whether it can be."""
    table = Table(title="targets", title_justify="left", box=None)
    for head in ("target", "model", "at", ""):
        table.add_column(head, overflow="fold")
    for target in targets:
        style = "" if target.error is None else "red"
        cells = (target.name, target.model, target.endpoint, target.said)
        table.add_row(*(Text(harmless(cell), style=style) for cell in cells))
    return table


def judges_table(judges: Sequence[Readiness]) -> RenderableType:
    """One row a judge: where it comes from, and whether it can work."""
    table = Table(title="judges", title_justify="left", box=None)
    for head in ("task", "judge", "from", ""):
        table.add_column(head, overflow="fold")
    for judge in judges:
        style = "" if judge.is_ready else "red"
        cells = (f"{judge.protocol} {judge.task}", judge.label, judge.kind, judge.said)
        table.add_row(*(Text(harmless(cell), style=style) for cell in cells))
    return table


def findings_table(probed: Sequence[Probed]) -> RenderableType:
    """One block a model: each question with what it showed."""
    if not probed:
        return Text("no target here is asked over a network: nothing to examine")
    parts: list[RenderableType] = []
    for found in probed:
        place = f"{harmless(found.model)} at {harmless(found.endpoint)}"
        title = f"{place} ({counted(found.calls, 'call')})"
        table = Table(title=title, title_justify="left", box=None, show_header=False)
        table.add_column(style="dim")
        table.add_column(overflow="fold")
        for question, answer in found.findings:
            table.add_row(Text(harmless(question)), Text(harmless(answer, 200)))
        if found.error is not None:
            table.add_row("error", Text(harmless(found.error, 400), style="red"))
        parts.append(table)
    return Group(*parts)
