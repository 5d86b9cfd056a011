"""A validation as a terminal shows it, at any width."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from auditor.live import figures
from auditor.live.columns import Cell, Column, crop, flow, grid
from auditor.live.footnotes import Footnotes
from auditor.live.glyphs import Glyphs, glyphs_for
from auditor.live.header import simulated_badge
from auditor.reports.comparing import Comparison, Kind
from auditor.reports.validation_report import PartValidation, TaskValidation, ValidationReport
from auditor.statistics.confusion import Confusion
from auditor.statistics.estimates import Estimate

_MOST_CLASSES = 8
_MOST_DISAGREEMENTS = 10

_FIGURES = (
    Column(key="name", priority=0, right=False, least=16),
    Column(key="value", priority=0),
    Column(key="interval", priority=1, right=False),
    Column(key="n", priority=2),
    Column(key="note", priority=0, right=False),
)
_PAIRS = (
    Column(key="who", priority=0, right=False, least=25),
    Column(key="n", priority=1),
    Column(key="kappa", priority=0),
    Column(key="kappa_interval", priority=2, right=False),
    Column(key="alpha", priority=4),
    Column(key="alpha_interval", priority=7, right=False),
    Column(key="accuracy", priority=3),
    Column(key="accuracy_interval", priority=6, right=False),
    Column(key="pi", priority=5),
    Column(key="pi_interval", priority=8, right=False),
    Column(key="note", priority=0, right=False),
)
_PAIR_HEADS = {
    "n": "n",
    "kappa": "kappa",
    "kappa_interval": "95 % interval",
    "alpha": "alpha",
    "alpha_interval": "95 % interval",
    "accuracy": "equal",
    "accuracy_interval": "95 % interval",
    "pi": "pi",
    "pi_interval": "95 % interval",
}
_CLASSES = (
    Column(key="class", priority=0, right=False, least=10),
    Column(key="people", priority=2),
    Column(key="recall", priority=0),
    Column(key="recall_interval", priority=1, right=False),
    Column(key="judge", priority=2),
    Column(key="precision", priority=0),
    Column(key="precision_interval", priority=1, right=False),
)
_CLASS_HEADS = {
    "class": "  class",
    "people": "people",
    "recall": "recall",
    "recall_interval": "95 % interval",
    "judge": "judge",
    "precision": "precision",
    "precision_interval": "95 % interval",
}


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
            for part in task.parts:
                lines += _part(task, part, width, notes, glyphs)
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
    return [crop(title, width, glyphs), *flow(facts, width, glyphs)]


def _part(
    task: TaskValidation, part: PartValidation, width: int, notes: Footnotes, glyphs: Glyphs
) -> Iterator[Text]:
    name = f"{part.part}: " if part.part is not None else ""
    against = [found for found in part.comparisons if found.kind is Kind.PEOPLE_JUDGE]
    for found in against:
        yield Text()
        yield from _against_people(found, name, width, notes, glyphs)
    if not against:
        yield Text()
        yield glyphs.text(("no judge has annotated this task", "yellow"))
    facts = {"reconciled": part.reconciled, "without a majority of annotators": part.no_majority}
    told = [
        glyphs.text(f"{name}: {figures.count(count)}") for name, count in facts.items() if count
    ]
    if told:
        yield Text()
        yield from flow(told, width, glyphs)
    for kind in (Kind.ANNOTATOR_JUDGE, Kind.ANNOTATORS, Kind.JUDGES):
        pairs = [found for found in part.comparisons if found.kind is kind]
        if pairs:
            yield Text()
            yield crop(glyphs.text((f"{name}{kind}", "bold")), width, glyphs)
            yield from _pairs(pairs, width, notes, glyphs)
        if kind is Kind.ANNOTATORS and part.annotators_alpha is not None and len(pairs) > 1:
            row = _figure("all annotators, alpha", part.annotators_alpha, notes, glyphs)
            yield from grid(_FIGURES, [row], width, glyphs)


def _against_people(
    found: Comparison, part: str, width: int, notes: Footnotes, glyphs: Glyphs
) -> Iterator[Text]:
    left_out = [f"{count:,} {reason}" for reason, count in found.excluded.items()]
    head = glyphs.text(
        (f"{part}{found.second}", "bold"),
        f" against people, n = {figures.count(found.n)}",
        (f" (left out: {', '.join(left_out)})" if left_out else "", "dim"),
    )
    yield crop(head, width, glyphs)
    estimates = {
        "accuracy": found.accuracy,
        "Cohen's kappa": found.kappa,
        "Scott's pi": found.pi,
        "Krippendorff's alpha": found.alpha,
    }
    if found.nearness is not None:
        estimates |= {
            "alpha of the numbers": found.nearness.alpha,
            "mean difference": found.nearness.mean_difference,
            "mean absolute difference": found.nearness.mean_absolute_difference,
        }
    rows = [_figure(f"  {name}", value, notes, glyphs) for name, value in estimates.items()]
    yield from grid(_FIGURES, rows, width, glyphs)
    if not found.n:
        return
    classes = found.confusion.classes
    few = len(classes) <= _MOST_CLASSES
    # Of very many classes most are texts of any wording: what each is worth says little.
    listed = classes if few else [name for name in classes if not name.startswith('"')]
    if listed:
        yield Text()
        yield from _classes(found.confusion, listed[:_MOST_CLASSES], width, glyphs)
    yield Text()
    yield from (_table if few else _disagreements)(found.confusion, width, glyphs)


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


def _pairs(pairs: Sequence[Comparison], width: int, notes: Footnotes, glyphs: Glyphs) -> list[Text]:
    rows: list[Mapping[str, Cell]] = [
        {key: glyphs.text((head, "dim")) for key, head in _PAIR_HEADS.items()}
    ]
    for found in pairs:
        # Numbers are rarely equal: how near they are says more than their classes.
        alpha = found.alpha if found.nearness is None else found.nearness.alpha
        estimates = {
            "kappa": found.kappa, "alpha": alpha, "accuracy": found.accuracy, "pi": found.pi
        }  # fmt: skip
        row: dict[str, Cell] = {
            "who": glyphs.text(_pair(found)),
            "n": glyphs.text(figures.count(found.n)),
        }
        for key, estimate in estimates.items():
            row[key] = glyphs.text(figures.figure(estimate.value))
            if between := figures.interval(estimate.ci_low, estimate.ci_high):
                row[f"{key}_interval"] = glyphs.text((between, "dim"))
        note = next((value.note for value in estimates.values() if value.note), None)
        if note is not None:
            row["note"] = glyphs.text((notes.mark(note), "dim"))
        rows.append(row)
    return grid(_PAIRS, rows, width, glyphs)


def _pair(found: Comparison) -> str:
    """Judges before people, annotators and judges in their order."""
    names = (found.first, found.second)
    return " / ".join(reversed(names) if found.kind.has_reference else names)


def _classes(confusion: Confusion, names: Sequence[str], width: int, glyphs: Glyphs) -> list[Text]:
    rows: list[Mapping[str, Cell]] = [
        {key: glyphs.text((head, "dim")) for key, head in _CLASS_HEADS.items()}
    ]
    for name in names:
        recall, precision = confusion.recall(name), confusion.precision(name)
        rows.append(
            {
                "class": glyphs.text(f"  {name}"),
                "people": glyphs.text(figures.count(confusion.by_reference(name))),
                "recall": glyphs.text(figures.figure(recall.value)),
                "recall_interval": glyphs.text(figures.interval(recall.ci_low, recall.ci_high)),
                "judge": glyphs.text(figures.count(confusion.by_rater(name))),
                "precision": glyphs.text(figures.figure(precision.value)),
                "precision_interval": glyphs.text(
                    figures.interval(precision.ci_low, precision.ci_high)
                ),
            }
        )
    return grid(_CLASSES, rows, width, glyphs)


def _table(confusion: Confusion, width: int, glyphs: Glyphs) -> list[Text]:
    """Classes by people down, by the judge across; a dash for none."""
    names = confusion.classes
    columns = [
        Column(key="class", priority=0, right=False, least=8),
        *(Column(key=f"class {name}", priority=0, least=4) for name in names),
    ]
    rows: list[Mapping[str, Cell]] = [
        {
            "class": glyphs.text(("  people \\ judge", "dim")),
            **{f"class {name}": glyphs.text((name, "dim")) for name in names},
        }
    ]
    for reference in names:
        row: dict[str, Cell] = {"class": glyphs.text(f"  {reference}")}
        for name in names:
            count = confusion.count(reference, name)
            style = "bold" if name == reference else "yellow" if count else "dim"
            row[f"class {name}"] = glyphs.text((figures.count(count) if count else ".", style))
        rows.append(row)
    return grid(columns, rows, width, glyphs)


def _disagreements(confusion: Confusion, width: int, glyphs: Glyphs) -> list[Text]:
    found = confusion.disagreements()
    lines = [glyphs.text(("  people and judge differ", "dim"))] if found else []
    for reference, name, count in found[:_MOST_DISAGREEMENTS]:
        line = glyphs.text(f"  {figures.count(count)}  people {reference}, judge {name}")
        lines.append(crop(line, width, glyphs))
    if len(found) > _MOST_DISAGREEMENTS:
        more = len(found) - _MOST_DISAGREEMENTS
        lines.append(glyphs.text((f"  and {more:,} more such pairs", "dim")))
    return lines
