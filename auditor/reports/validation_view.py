"""A validation as a terminal shows it, at any width."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from auditor.live import figures
from auditor.live.columns import Cell, Column, flow
from auditor.live.entries import broken
from auditor.live.footnotes import Footnotes
from auditor.live.glyphs import Glyphs, glyphs_for
from auditor.live.simulated import simulated_badge
from auditor.reports.agreement_figures import ClassAgreement, Kind, NumberAgreement
from auditor.reports.comparing import Comparison
from auditor.reports.named_rows import named_grid
from auditor.reports.validation_classes import (
    class_pairs_lines,
    confusion_lines,
    table_lines,
)
from auditor.reports.validation_numbers import number_lines
from auditor.reports.validation_report import PartValidation, TaskValidation, ValidationReport
from auditor.statistics.estimates import Estimate

_NO_JUDGE = "no judge has annotated this task"

_FIGURES = (
    Column(key="name", priority=0, right=False),
    Column(key="value", priority=0),
    Column(key="interval", priority=1, right=False),
    Column(key="n", priority=2),
    Column(key="note", priority=0, right=False),
)


class ValidationTable:
    """A validation, laid out for the width of the console that prints it."""

    def __init__(self, report: ValidationReport) -> None:
        self._report = report

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from self.lines(options.max_width, glyphs_for(console))

    def lines(self, width: int, glyphs: Glyphs) -> list[Text]:
        """The lines, none longer than `width` cells."""
        if not self._report.tasks:
            return [glyphs.text(("no label fits this store", "dim"))]
        lines: list[Text] = []
        for task in self._report.tasks:
            notes = Footnotes(glyphs)
            lines += [Text()] if lines else []
            lines += _title(task, width, glyphs)
            lines += _parts(task, width, notes, glyphs)
            lines += notes.lines(width)
        return lines


def _title(task: TaskValidation, width: int, glyphs: Glyphs) -> list[Text]:
    title = glyphs.text((f"{task.protocol} {task.task}", "bold"))
    if task.simulated:
        title = Text.assemble(title, "  ", simulated_badge(glyphs), no_wrap=True)
    facts = [glyphs.text(f"labelled responses: {figures.count(task.items)}")]
    facts += [
        glyphs.text(f"{name}: {figures.count(count)}") for name, count in task.annotators.items()
    ]
    return [*broken(title, width), *flow(facts, width, glyphs)]


def _parts(task: TaskValidation, width: int, notes: Footnotes, glyphs: Glyphs) -> Iterator[Text]:
    """Numbers of many parts are a line each; whatever else is shown part after part."""
    found = [comparison for part in task.parts for comparison in part.comparisons]
    has_parts = any(part.part is not None for part in task.parts)
    if not has_parts or any(isinstance(each.figures, ClassAgreement) for each in found):
        for part in task.parts:
            yield from _part(part, width, notes, glyphs)
        return
    yield from _doubts(task.parts, width, glyphs)
    for kind in Kind:
        pairs = dict.fromkeys((each.first, each.second) for each in found if each.kind is kind)
        for first, second in pairs:
            chosen = [
                each
                for each in found
                if (each.kind, each.first, each.second) == (kind, first, second)
            ]
            yield Text()
            yield from broken(_pair_head(chosen[0], glyphs), width)
            rows = [
                (f"  {each.part}", sum(each.excluded.values()), each.figures)
                for each in chosen
                if isinstance(each.figures, NumberAgreement)
            ]
            yield from number_lines(rows, width, notes, glyphs, has_reference=kind.has_reference)
    joint = [
        _figure(f"  {part.part}, alpha", part.annotators_alpha, notes, glyphs)
        for part in task.parts
        if part.annotators_alpha is not None and len(task.annotators) > 2
    ]
    if joint:
        yield Text()
        yield glyphs.text(("all annotators", "bold"))
        yield from named_grid(_FIGURES, joint, width, glyphs)


def _pair_head(found: Comparison, glyphs: Glyphs) -> Text:
    if found.kind.has_reference:
        return glyphs.text((found.second, "bold"), f" against {found.first}")
    return glyphs.text((f"{found.kind}: ", "bold"), f"{found.first} / {found.second}")


def _doubts(parts: Sequence[PartValidation], width: int, glyphs: Glyphs) -> Iterator[Text]:
    """What was reconciled, and what people do not agree on; and that there is no judge."""
    if not any(each.kind is Kind.PEOPLE_JUDGE for part in parts for each in part.comparisons):
        yield Text()
        yield from broken(glyphs.text((_NO_JUDGE, "yellow")), width)
    facts = {
        "reconciled": max(part.reconciled for part in parts),
        "without a majority of annotators": sum(part.no_majority for part in parts),
    }
    told = [
        glyphs.text(f"{name}: {figures.count(count)}") for name, count in facts.items() if count
    ]
    if told:
        yield Text()
        yield from flow(told, width, glyphs)


def _part(part: PartValidation, width: int, notes: Footnotes, glyphs: Glyphs) -> Iterator[Text]:
    name = f"{part.part}: " if part.part is not None else ""
    for found in part.comparisons:
        if found.kind is Kind.PEOPLE_JUDGE:
            yield Text()
            yield from _against_people(found, name, width, notes, glyphs)
    yield from _doubts([part], width, glyphs)
    for kind in (Kind.ANNOTATOR_JUDGE, Kind.ANNOTATORS, Kind.JUDGES):
        pairs = [found for found in part.comparisons if found.kind is kind]
        if pairs:
            yield Text()
            yield from broken(glyphs.text((f"{name}{kind}", "bold")), width)
            yield from _pairs(pairs, kind, width, notes, glyphs)
        if kind is Kind.ANNOTATORS and part.annotators_alpha is not None and len(pairs) > 1:
            row = _figure("all annotators, alpha", part.annotators_alpha, notes, glyphs)
            yield from named_grid(_FIGURES, [row], width, glyphs)


def _against_people(
    found: Comparison, part: str, width: int, notes: Footnotes, glyphs: Glyphs
) -> Iterator[Text]:
    left_out = [f"{count:,} {reason}" for reason, count in found.excluded.items()]
    head = glyphs.text(
        (f"{part}{found.second}", "bold"),
        f" against people, n = {figures.count(found.n)}",
        (f" (left out: {', '.join(left_out)})" if left_out else "", "dim"),
    )
    yield from broken(head, width)
    estimates = found.figures.named(found.kind)
    rows = [_figure(f"  {name}", value, notes, glyphs) for name, value in estimates.items()]
    yield from named_grid(_FIGURES, rows, width, glyphs)
    if isinstance(found.figures, NumberAgreement):
        if len(found.confusion.classes) > 1:
            yield Text()
            yield from table_lines(found.confusion, width, glyphs)
    elif found.n:
        yield from confusion_lines(found.confusion, width, glyphs)


def _pairs(
    pairs: Sequence[Comparison], kind: Kind, width: int, notes: Footnotes, glyphs: Glyphs
) -> list[Text]:
    classes, numbers = [], []
    for each in pairs:
        if isinstance(each.figures, ClassAgreement):
            classes.append((_pair(each), each.n, each.figures))
        else:
            numbers.append((_pair(each), sum(each.excluded.values()), each.figures))
    if classes:
        return class_pairs_lines(classes, width, notes, glyphs)
    return number_lines(numbers, width, notes, glyphs, has_reference=kind.has_reference)


def _pair(found: Comparison) -> str:
    """Judges before people, annotators and judges in their order."""
    names = (found.first, found.second)
    return " / ".join(reversed(names) if found.kind.has_reference else names)


def _figure(name: str, estimate: Estimate, notes: Footnotes, glyphs: Glyphs) -> Mapping[str, Cell]:
    cells: dict[str, Cell] = {
        "name": glyphs.text(name),
        "value": glyphs.text(
            (figures.figure(estimate.value), "bold" if estimate.value is not None else "dim")
        ),
    }
    if between := figures.interval(estimate.ci_low, estimate.ci_high):
        cells["interval"] = glyphs.text(between)
    if estimate.note is not None:
        cells["note"] = glyphs.text((notes.mark(estimate.note), "dim"))
    return cells
