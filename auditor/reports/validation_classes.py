"""How raters agree on classes, as lines of a terminal: pairs, single classes, the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.text import Text

from auditor.counted import counted
from auditor.live import figures
from auditor.live.columns import Cell, Column, crop, grid
from auditor.live.footnotes import Footnotes
from auditor.live.glyphs import Glyphs
from auditor.reports.agreement_figures import ClassAgreement
from auditor.reports.named_rows import named_grid
from auditor.statistics.confusion import Confusion

_MOST_CLASSES = 8
_MOST_DISAGREEMENTS = 10

_PAIRS = (
    Column(key="who", priority=0, right=False),
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


def class_pairs_lines(
    pairs: Sequence[tuple[str, int, ClassAgreement]], width: int, notes: Footnotes, glyphs: Glyphs
) -> list[Text]:
    """A line for each pair of raters: (their names, items that both rated, figures)."""
    rows: list[Mapping[str, Cell]] = [
        {key: glyphs.text((head, "dim")) for key, head in _PAIR_HEADS.items()}
    ]
    for who, n, found in pairs:
        estimates = {
            "kappa": found.kappa,
            "alpha": found.alpha,
            "accuracy": found.accuracy,
            "pi": found.pi,
        }
        row: dict[str, Cell] = {"who": glyphs.text(who), "n": glyphs.text(figures.count(n))}
        for key, estimate in estimates.items():
            row[key] = glyphs.text(figures.figure(estimate.value))
            if between := figures.interval(estimate.ci_low, estimate.ci_high):
                row[f"{key}_interval"] = glyphs.text((between, "dim"))
        note = next((value.note for value in estimates.values() if value.note), None)
        if note is not None:
            row["note"] = glyphs.text((notes.mark(note), "dim"))
        rows.append(row)
    return named_grid(_PAIRS, rows, width, glyphs)


def confusion_lines(confusion: Confusion, width: int, glyphs: Glyphs) -> Iterator[Text]:
    """Recall and precision by class, and who was taken for what; of very many the commonest."""
    names = confusion.classes
    few = len(names) <= _MOST_CLASSES
    # Of very many classes most are texts of any wording: what each is worth says little.
    listed = names if few else [name for name in names if not name.startswith('"')]
    if listed:
        yield Text()
        yield from _classes(confusion, listed[:_MOST_CLASSES], width, glyphs)
    yield Text()
    yield from (table_lines if few else _disagreements)(confusion, width, glyphs)


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


def table_lines(confusion: Confusion, width: int, glyphs: Glyphs) -> list[Text]:
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
        lines.append(glyphs.text((f"  and {counted(more, 'pair')} more", "dim")))
    return lines
