"""How near raters' numbers are, as lines of a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.text import Text

from auditor.live import figures
from auditor.live.columns import Cell, Column
from auditor.live.footnotes import Footnotes
from auditor.live.glyphs import Glyphs
from auditor.reports.agreement_figures import NumberAgreement
from auditor.reports.named_rows import named_grid

_INTERVAL = "95 % interval"
# Figures in their order on the line: (key, priority, priority of the interval).
_ORDER = (
    ("error", 0, 3),
    ("bias", 0, 2),
    ("alpha", 4, 5),
    ("within", 6, 9),
    ("pearson", 7, 10),
    ("spearman", 8, 11),
)
_COLUMNS = (
    Column(key="who", priority=0, right=False),
    Column(key="n", priority=1),
    *(
        column
        for key, priority, of_interval in _ORDER
        for column in (
            Column(key=key, priority=priority),
            Column(key=f"{key} interval", priority=of_interval, right=False),
        )
    ),
    Column(key="left out", priority=1),
    Column(key="note", priority=0, right=False),
)


def number_lines(
    rows: Sequence[tuple[str, int, NumberAgreement]],
    width: int,
    notes: Footnotes,
    glyphs: Glyphs,
    *,
    has_reference: bool,
) -> list[Text]:
    """A line for each (name, items left out, figures); of figures the most important that fit.

    `has_reference`: the first rater is taken as right, so that differences are errors.
    """
    near = next((found.near for *_, found in rows), None)
    heads = {
        "n": "n",
        "left out": "left out" if any(left_out for _, left_out, _ in rows) else "",
        "error": "error" if has_reference else "apart",
        "bias": "bias" if has_reference else "difference",
        "alpha": "alpha",
        "within": "" if near is None else f"within {near:g}",
        "pearson": "r",
        "spearman": "rho",
    }
    head: dict[str, Cell] = {key: glyphs.text((word, "dim")) for key, word in heads.items() if word}
    head |= {f"{key} interval": glyphs.text((_INTERVAL, "dim")) for key, *_ in _ORDER}
    return named_grid(
        _COLUMNS,
        [head, *(_row(name, left_out, found, notes, glyphs) for name, left_out, found in rows)],
        width,
        glyphs,
    )


def _row(
    name: str, left_out: int, found: NumberAgreement, notes: Footnotes, glyphs: Glyphs
) -> Mapping[str, Cell]:
    estimates = {
        "error": found.mean_absolute_difference,
        "bias": found.mean_difference,
        "alpha": found.alpha,
        "within": found.within,
        "pearson": found.pearson,
        "spearman": found.spearman,
    }
    row: dict[str, Cell] = {"who": glyphs.text(name), "n": glyphs.text(figures.count(found.n))}
    if left_out:
        row["left out"] = glyphs.text(figures.count(left_out))
    for key, estimate in estimates.items():
        if estimate is None:
            continue
        row[key] = glyphs.text(figures.figure(estimate.value))
        if between := figures.interval(estimate.ci_low, estimate.ci_high):
            row[f"{key} interval"] = glyphs.text((between, "dim"))
    noted = [each.note for each in estimates.values() if each is not None and each.note]
    if noted:
        row["note"] = glyphs.text((notes.mark(noted[0]), "dim"))
    return row
