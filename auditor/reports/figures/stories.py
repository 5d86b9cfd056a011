"""Figures of `stories`: men's shares by occupation and target, against benchmarks, after tuning."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from auditor.counted import counted
from auditor.protocols.stories.occupations import (
    BENCHMARKS,
    OCCUPATIONS,
    Occupation,
    all_occupations,
)
from auditor.reports.figures.findings import Findings
from auditor.reports.figures.registry import Figure
from auditor.reports.figures.shapes import (
    Box,
    Boxes,
    Drawing,
    Panel,
    Point,
    Scale,
    Scatter,
    TileMap,
    Tiles,
)
from auditor.reports.figures.tile_words import FEW, few_words, gap_words
from auditor.store.results import ResultRow

_SHARE = "male_share"
_SHIFT = "tuning_shift"
_GAP = "no answer with a gendered name"
_UNIT = "gendered names"
_SHARE_LABEL = "male share of gendered names, %"
_BENCHMARK_NAMES = {"gsr": "GSR rating", "bls": "BLS"}
_BENCHMARK_AXES = {
    "bls": "male share of the employed (BLS), %",
    "gsr": "male association people rate (GSR), %",
}
_BENCHMARK_WORDS = (
    "GSR: gender stereotype rating, (rating - 1) / 6 (Kennison and Trofe 2003). BLS: male share of"
    " the employed, United States (CPS 2023)."
)

Shares = Mapping[tuple[str, str], ResultRow]
"""Rows of `male_share` by occupation and target."""


def _heat_map(findings: Findings) -> list[Drawing]:
    shares, occupations = _shares(findings)
    if not occupations:
        return []
    rows = [shares.get((o.name, target)) for o in occupations for target in findings.targets]
    block = Tiles(
        columns=tuple(findings.shown(target) for target in findings.targets),
        values=tuple(
            tuple(_value(shares.get((o.name, target))) for target in findings.targets)
            for o in occupations
        ),
        scale=Scale.SHARE,
        label=_SHARE_LABEL,
        few=_few(shares, occupations, findings.targets),
    )
    return [
        Drawing(
            title="Men among protagonists, by occupation and target",
            shape=TileMap(rows=_names(occupations), blocks=(_benchmarks(occupations), block)),
            statistics=(_SHARE,),
            n=_n(rows),
            unit=_UNIT,
            missing=block.missing,
            targets=findings.targets,
            caption=(
                "Occupations from the most female (top) to the most male (bottom) rating.",
                *gap_words(block, _GAP, " of the targets"),
                *few_words(block, _UNIT),
                _BENCHMARK_WORDS,
            ),
        )
    ]


def _box_plot(findings: Findings) -> list[Drawing]:
    shares, occupations = _shares(findings)
    if not occupations:
        return []
    boxes = []
    for name in BENCHMARKS:
        known = tuple(b for o in occupations if (b := o.benchmark(name)) is not None)
        boxes.append(
            Box(
                label=f"benchmark {_BENCHMARK_NAMES[name]}",
                values=known,
                missing=len(occupations) - len(known),
                is_reference=True,
            )
        )
    rows = []
    for target in findings.targets:
        found = [shares.get((occupation.name, target)) for occupation in occupations]
        values = tuple(row.value for row in found if row is not None and row.value is not None)
        rows += found
        boxes.append(
            Box(
                label=findings.shown(target),
                values=values,
                missing=len(occupations) - len(values),
            )
        )
    missing = sum(box.missing for box in boxes if not box.is_reference)
    return [
        Drawing(
            title="Men among protagonists, over occupations",
            shape=Boxes(boxes=tuple(boxes), axis=_SHARE_LABEL, items="occupations"),
            statistics=(_SHARE,),
            n=_n(rows),
            unit=_UNIT,
            missing=missing,
            targets=findings.targets,
            caption=(
                "One value an occupation. Thick line: median; box: quartiles; whiskers: the last"
                " value within 1.5 quartile distances; circles: values beyond; diamonds: all values"
                " where there are fewer than five. Lines through all boxes: medians of the"
                " benchmarks (dashed BLS, dotted GSR).",
                _BENCHMARK_WORDS,
            ),
        )
    ]


def _benchmark_scatter(findings: Findings) -> list[Drawing]:
    shares, occupations = _shares(findings)
    if not occupations:
        return []
    panels = tuple(
        tuple(_panel(findings, shares, occupations, target, name) for name in BENCHMARKS)
        for target in findings.targets
    )
    rows = [shares.get((o.name, target)) for o in occupations for target in findings.targets]
    return [
        Drawing(
            title="Men among protagonists against who does the work, and who people think does",
            shape=Scatter(
                rows=tuple(findings.shown(target) for target in findings.targets),
                columns=tuple(_BENCHMARK_AXES[name] for name in BENCHMARKS),
                axis=_SHARE_LABEL,
                panels=panels,
            ),
            statistics=(_SHARE, "kendall_tau", "ampd"),
            n=_n(rows),
            unit=_UNIT,
            missing=sum(_value(row) is None for row in rows),
            targets=findings.targets,
            caption=(
                "One point an occupation, with its Wilson interval (95 %). Dashed: equality; below"
                " it fewer men are written than the benchmark has. Occupations without a share or"
                " without the benchmark are not drawn; n counts those that are.",
                _BENCHMARK_WORDS,
            ),
        )
    ]


def _panel(
    findings: Findings,
    shares: Shares,
    occupations: Sequence[Occupation],
    target: str,
    benchmark: str,
) -> Panel:
    points = []
    for occupation in occupations:
        row, x = shares.get((occupation.name, target)), occupation.benchmark(benchmark)
        if row is not None and row.value is not None and x is not None:
            points.append(Point(x=x, y=row.value, low=row.ci_low, high=row.ci_high))
    figures = [
        f"{name} {_figure(row)}"
        for statistic, name in (("kendall_tau", "tau"), ("ampd", "AMPD"))
        for row in findings.of(statistic)
        if row.target == target and row.group.get("benchmark") == benchmark
    ]
    facts = (counted(len(points), "occupation"), "; ".join(figures))
    return Panel(points=tuple(points), facts=facts)


def _tuning_maps(findings: Findings) -> list[Drawing]:
    """Base, tuned and difference (section 4.3, figure 3 of the paper), one a pair."""
    pairs = {(row.target, str(row.group["other"])): None for row in findings.of(_SHIFT)}
    return [
        drawing
        for tuned, base in pairs
        if (drawing := _tuning_map(findings, tuned, base)) is not None
    ]


def _tuning_map(findings: Findings, tuned: str, base: str) -> Drawing | None:
    shares, everything = _shares(findings)
    shifts = {
        row.group["occupation"]: row
        for row in findings.of(_SHIFT)
        if row.target == tuned and row.group["other"] == base and "occupation" in row.group
    }
    occupations = [occupation for occupation in everything if occupation.name in shifts]
    if not occupations:
        return None
    targets = (base, tuned)
    both = Tiles(
        columns=tuple(findings.shown(target) for target in targets),
        values=tuple(
            tuple(_value(shares.get((o.name, target))) for target in targets) for o in occupations
        ),
        scale=Scale.SHARE,
        label=_SHARE_LABEL,
        few=_few(shares, occupations, targets),
    )
    difference = Tiles(
        columns=("difference",),
        values=tuple((shifts[occupation.name].value,) for occupation in occupations),
        scale=Scale.SHIFT,
        label="tuned minus base, percentage points",
        marked=frozenset(
            (number, 0)
            for number, occupation in enumerate(occupations)
            if _excludes_zero(shifts[occupation.name])
        ),
    )
    whole = next(
        row
        for row in findings.of(_SHIFT)
        if row.target == tuned and row.group["other"] == base and "occupation" not in row.group
    )
    return Drawing(
        title=f"Men among protagonists before and after tuning: {base}, {tuned}",
        shape=TileMap(
            rows=_names(occupations), blocks=(_benchmarks(occupations), both, difference)
        ),
        statistics=(_SHARE, _SHIFT),
        n=_n(shifts.values()),
        unit=_UNIT,
        missing=both.missing + difference.missing,
        targets=targets,
        caption=(
            f"Base: {base}. Tuned: {tuned}. Mean difference over {whole.n} occupations:"
            f" {_figure(whole)} (bootstrap over occupations, paired).",
            "Occupations from the most female (top) to the most male (bottom) rating. Dot: the"
            " occupation's own interval (Newcombe, 95 %, not corrected for the number of"
            " occupations) leaves zero out.",
            *gap_words(both, _GAP, " of the two models"),
            *few_words(both, _UNIT),
            _BENCHMARK_WORDS,
        ),
    )


def _shares(findings: Findings) -> tuple[Shares, list[Occupation]]:
    """Shares, and the occupations that any target was asked about, by rating."""
    shares = {(row.group["occupation"], row.target): row for row in findings.of(_SHARE)}
    asked = {occupation for occupation, _ in shares}
    known = all_occupations(findings.materials(OCCUPATIONS))
    occupations = [occupation for occupation in known if occupation.name in asked]
    # A blank rating stands last; equal ones as the table has them.
    occupations.sort(key=lambda o: (o.gsr is None, o.gsr or 0.0))
    return shares, occupations


def _benchmarks(occupations: Sequence[Occupation]) -> Tiles:
    names = tuple(reversed(BENCHMARKS))
    return Tiles(
        columns=tuple(_BENCHMARK_NAMES[name] for name in names),
        values=tuple(tuple(o.benchmark(name) for name in names) for o in occupations),
        scale=Scale.SHARE,
        label=_SHARE_LABEL,
    )


def _names(occupations: Sequence[Occupation]) -> tuple[str, ...]:
    return tuple(occupation.name for occupation in occupations)


def _value(row: ResultRow | None) -> float | None:
    return None if row is None else row.value


def _n(rows: Iterable[ResultRow | None]) -> int:
    return sum(row.n or 0 for row in rows if row is not None)


def _few(
    shares: Shares, occupations: Sequence[Occupation], targets: Sequence[str]
) -> frozenset[tuple[int, int]]:
    """Places of shares of few names."""
    return frozenset(
        (number, column)
        for number, occupation in enumerate(occupations)
        for column, target in enumerate(targets)
        if (row := shares.get((occupation.name, target))) is not None
        and row.value is not None
        and (row.n or 0) < FEW
    )


def _excludes_zero(row: ResultRow) -> bool:
    if row.ci_low is None or row.ci_high is None:
        return False
    return row.ci_low > 0 or row.ci_high < 0


def _figure(row: ResultRow) -> str:
    if row.value is None:
        return "undefined"
    said = f"{row.value:.2f}"
    if row.ci_low is not None and row.ci_high is not None:
        said += f" [{row.ci_low:.2f}, {row.ci_high:.2f}]"
    return said.replace("-", "−")


FIGURES = (
    Figure(
        name="stories-heatmap",
        protocol="stories",
        summary="men's share by occupation and target, ordered by rating",
        draw=_heat_map,
    ),
    Figure(
        name="stories-boxplot",
        protocol="stories",
        summary="men's shares by target beside both benchmarks",
        draw=_box_plot,
    ),
    Figure(
        name="stories-benchmarks",
        protocol="stories",
        summary="men's shares against both benchmarks, with the line of equality",
        draw=_benchmark_scatter,
    ),
    Figure(
        name="stories-tuning",
        protocol="stories",
        summary="men's shares of a base model, of the tuned one, and their difference",
        draw=_tuning_maps,
    ),
)
