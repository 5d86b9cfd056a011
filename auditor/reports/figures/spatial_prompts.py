"""Figures of `spatial.explicit` under several prompts: who does not answer, and what is forced."""

from __future__ import annotations

from collections.abc import Mapping

from auditor.counted import counted
from auditor.protocols.spatial_explicit.prompts import PAPER_TEMPERATURE, PROMPTS, templates
from auditor.reports.figures.findings import Findings
from auditor.reports.figures.paging import pages
from auditor.reports.figures.percents import PERCENT_TICKS, percent_mark
from auditor.reports.figures.registry import Figure
from auditor.reports.figures.shapes import (
    Drawing,
    MarkColumn,
    Marks,
    Panel,
    Point,
    Scatter,
)
from auditor.reports.figures.spatial_explicit import PROTOCOL, condition_of
from auditor.reports.figures.spatial_spaces import others_words
from auditor.store.results import ResultRow

_NO_CHOICE = {
    "refusal_rate": "refused",
    "neither_rate": "neither",
    "invalid_rate": "no valid answer",
}
_FREE, _FORCED = "0", "1"
_COLUMNS_A_PAGE = 8
_SQUARES_A_PAGE = 6
_CHANGES = ("better", "little", "worse")


def _refusals(findings: Findings) -> list[Drawing]:
    """Figure 9 of the paper: what is answered instead of a gender, prompt by prompt."""
    found: dict[tuple[str, str, float, str], ResultRow] = {
        (row.statistic, *condition_of(row), row.target): row
        for statistic in _NO_CHOICE
        for row in findings.of(statistic)
        if "space" not in row.group and "prompt" in row.group
    }
    temperatures = {temperature for _, _, temperature, _ in found}
    if not temperatures:
        return []
    temperature = min(temperatures, key=lambda each: (abs(each - PAPER_TEMPERATURE), each))
    asked = {prompt for _, prompt, at, _ in found if at == temperature}
    prompts = [p for p in sorted(templates(findings.materials(PROMPTS))) if p in asked]
    lines = [(prompt, statistic) for prompt in prompts for statistic in _NO_CHOICE]
    drawn = []
    for page in pages(findings.targets, _COLUMNS_A_PAGE):
        shown = {
            target: [
                found.get((statistic, prompt, temperature, target)) for prompt, statistic in lines
            ]
            for target in page.targets
        }
        columns = tuple(
            MarkColumn(
                title=findings.shown(target),
                axis="% of responses",
                reference=0.0,
                marks=tuple(percent_mark(row) for row in rows),
                ticks=PERCENT_TICKS,
            )
            for target, rows in shown.items()
        )
        refused = [
            row
            for rows in shown.values()
            for row in rows
            if row is not None and row.statistic == "refusal_rate"
        ]
        drawn.append(
            Drawing(
                title="Who does not choose: refusals and other answers, by prompt and target",
                shape=Marks(
                    rows=tuple(f"Prompt {p}: {_NO_CHOICE[statistic]}" for p, statistic in lines),
                    columns=columns,
                ),
                statistics=tuple(_NO_CHOICE),
                n=sum(row.n or 0 for row in refused),
                unit="responses",
                missing=sum(mark is None for column in columns for mark in column.marks),
                targets=page.targets,
                caption=(
                    f"At temperature {temperature:g}{_others(len(temperatures) - 1)}",
                    *page.words,
                    'Refused: by the endpoint, or in words. Prompt 0 alone offers "neither". Bars:'
                    " Wilson's 95 % interval, responses independent.",
                ),
            )
        )
    return drawn


def _others(count: int) -> str:
    return f"; {others_words(count, 'temperature')}." if count else "."


def _consistency(findings: Findings) -> list[Drawing]:
    """Figure 10 of the paper: a space's share where "neither" is offered, and where it is not."""
    by_target: dict[str, dict[tuple[str, float], dict[str, ResultRow]]] = {}
    for row in findings.of("men_share"):
        spaces = by_target.setdefault(row.target, {}).setdefault(condition_of(row), {})
        spaces[row.group["space"]] = row
    pairs = {
        target: pair
        for target in findings.targets
        if (pair := _both_prompts(by_target.get(target, {}))) is not None
    }
    drawn = []
    for page in pages(list(pairs), _SQUARES_A_PAGE):
        panels = tuple((_panel(findings, target, *pairs[target][:2]),) for target in page.targets)
        forced = sum(len(pairs[target][1]) for target in page.targets)
        points = sum(len(panel.points) for (panel,) in panels)
        rows = [
            row for target in page.targets for part in pairs[target][:2] for row in part.values()
        ]
        drawn.append(
            Drawing(
                title='What is forced: men\'s share with and without the option "neither"',
                shape=Scatter(
                    rows=tuple(findings.shown(target) for target in page.targets),
                    columns=('Prompt 0 (offers "neither")',),
                    axis="Prompt 1 (men or women)",
                    panels=panels,
                    has_halves=True,
                ),
                statistics=("men_share", "bias_consistency"),
                n=sum(row.n or 0 for row in rows),
                unit="valid choices",
                missing=forced - points,
                targets=page.targets,
                caption=(
                    *page.words,
                    "One point a space: men / (men + women) under either prompt, with Prompt 1's"
                    " Wilson interval (95 %). Dashed: equality; dotted: even shares.",
                    "Worse: from one side of a half to the other, or at least 0.1 farther from it;"
                    " little: farther by less than 0.1; better: not farther. Spaces that have no"
                    " gendered answer under one of the prompts are not drawn.",
                    *_held(sorted({pairs[target][2] for target in page.targets})),
                ),
            )
        )
    return drawn


def _both_prompts(
    conditions: Mapping[tuple[str, float], dict[str, ResultRow]],
) -> tuple[dict[str, ResultRow], dict[str, ResultRow], float] | None:
    """Rows under both prompts at the temperature that `bias_consistency` takes; None without."""
    shared = [t for prompt, t in conditions if prompt == _FREE and (_FORCED, t) in conditions]
    if not shared:
        return None
    held = min(shared, key=lambda t: (abs(t - PAPER_TEMPERATURE), t))
    return conditions[_FREE, held], conditions[_FORCED, held], held


def _held(temperatures: list[float]) -> list[str]:
    said = " or ".join(f"{temperature:g}" for temperature in temperatures)
    return [] if temperatures == [PAPER_TEMPERATURE] else [f"At temperature {said}."]


def _panel(
    findings: Findings,
    target: str,
    free: Mapping[str, ResultRow],
    forced: Mapping[str, ResultRow],
) -> Panel:
    points = []
    for space, row in forced.items():
        open_row = free.get(space)
        if open_row is not None and open_row.value is not None and row.value is not None:
            points.append(Point(x=open_row.value, y=row.value, low=row.ci_low, high=row.ci_high))
    changes = {
        row.group["change"]: row.value
        for row in findings.of("bias_consistency")
        if row.target == target
    }
    said = ", ".join(
        f"{change} {changes[change]:g}" for change in _CHANGES if changes.get(change) is not None
    )
    facts = (f"{len(points)} of {counted(len(forced), 'space')}", said or "no change is known")
    return Panel(points=tuple(points), facts=facts)


FIGURES = (
    Figure(
        name="spatial-explicit-refusals",
        protocol=PROTOCOL,
        summary="refusals and other answers without a gender, by prompt (figure 9)",
        draw=_refusals,
    ),
    Figure(
        name="spatial-explicit-consistency",
        protocol=PROTOCOL,
        summary="men's shares under Prompt 0 against Prompt 1 (figure 10)",
        draw=_consistency,
    ),
)
