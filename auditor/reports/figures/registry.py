"""Which figures there are. Their modules are loaded when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module

from auditor.errors import UsageError
from auditor.reports.figures.findings import Findings
from auditor.reports.figures.shapes import Drawing

_MODULES = (
    "stories",
    "spatial_explicit",
    "spatial_prompts",
    "spatial_probability",
    "spatial_construction",
    "spatial_planning",
    "spatial_profiling",
    "spatial_tracing",
    "spatial_corpus",
    "regional",
    "grap",
)


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One kind of figure."""

    name: str
    """Also the stem of its files: lower-case letters and dashes, led by its protocol."""
    protocol: str
    summary: str
    """One line for `auditor list figures`."""
    draw: Callable[[Findings], Sequence[Drawing]]
    """The drawings that these findings give; none where there is nothing to show."""

    def drawings(self, findings: Findings) -> list[tuple[Drawing, Findings]]:
        """What is drawn of these findings, each with what it shows of them.

        A target that other judges alone have judged has its place in their figures, and none here.
        """
        whole = self.draw(findings)
        drawn = []
        for statistic in dict.fromkeys(drawing.statistics[0] for drawing in whole):
            about = findings.about(statistic)
            drawings = whole if about is findings else self.draw(about)
            drawn += [(each, about) for each in drawings if each.statistics[0] == statistic]
        return drawn


def figures() -> tuple[Figure, ...]:
    """All figures, protocol by protocol."""
    modules = (import_module(f"auditor.reports.figures.{name}") for name in _MODULES)
    return tuple(figure for module in modules for figure in module.FIGURES)


def chosen_figures(names: Sequence[str] | None) -> tuple[Figure, ...]:
    """The figures of these names, in the order of the registry; None or none: all.

    Raises UsageError with the allowed names and close ones for a name that is none.
    """
    known = {figure.name: figure for figure in figures()}
    for name in names or ():
        if name not in known:
            close = get_close_matches(name, known, n=1)
            raise UsageError(
                f"no figure {name!r}; allowed: {', '.join(known)}",
                hint=f"did you mean {close[0]!r}?" if close else "see `auditor list figures`",
            )
    return tuple(figure for figure in known.values() if not names or figure.name in names)
