"""A base model, the tuned one and their difference, space by space, of `spatial.*`."""

from __future__ import annotations

from collections.abc import Sequence

from auditor.counted import counted
from auditor.reports.figures.findings import Findings
from auditor.reports.figures.shapes import Drawing, Scale, Tiles
from auditor.reports.figures.spatial_spaces import (
    HUES,
    by_place,
    prompt_words,
    sections,
    space_map,
    space_tiles,
    spaces_of,
    under_one_prompt,
)
from auditor.reports.figures.tile_words import gap_words
from auditor.store.results import ResultRow

_SHARE = "men_probability"
_SHIFT = "tuning_shift"


def tuning_maps(findings: Findings) -> list[Drawing]:
    """Figures 7 and 20 of the paper: private and public spaces, one drawing a pair."""
    by_pair: dict[tuple[str, str], list[ResultRow]] = {}
    for row in findings.of(_SHIFT):
        by_pair.setdefault((row.target, str(row.group["other"])), []).append(row)
    return [
        drawing
        for (tuned, base), shifts in by_pair.items()
        if (drawing := _tuning_map(findings, tuned, base, shifts)) is not None
    ]


def _tuning_map(
    findings: Findings, tuned: str, base: str, shifts: Sequence[ResultRow]
) -> Drawing | None:
    prompt, rows, others = under_one_prompt(shifts)
    differences = by_place(row for row in rows if "space" in row.group)
    if prompt is None or not differences:
        return None
    both = (base, tuned)
    _, known, _ = under_one_prompt(
        row
        for row in findings.of(_SHARE)
        if row.target in both and row.group.get("prompt", prompt) == prompt
    )
    shares = by_place(known)
    named = [
        (domain, [space for space in spaces if (space, tuned) in differences])
        for domain, spaces in sections(findings, shares, base)
    ]
    spaces = spaces_of(named)
    before_after = space_tiles(
        findings,
        shares,
        spaces,
        both,
        scale=Scale.MEN,
        label="p(men) / (p(men) + p(women)), %",
        fewest=0,
    )
    difference = Tiles(
        columns=("difference",),
        values=tuple((differences[space, tuned].value,) for space in spaces),
        scale=Scale.SHIFT,
        label="tuned minus base, percentage points",
    )
    return Drawing(
        title=f"Who is seen where before and after tuning: {base}, {tuned}",
        shape=space_map(named, before_after, difference),
        statistics=(_SHIFT, _SHARE),
        n=sum(row.n or 0 for row in differences.values()),
        unit="responses",
        missing=before_after.missing + difference.missing,
        targets=both,
        caption=(
            f"Base: {base}. Tuned: {tuned}. {prompt_words(prompt, others)}",
            f"Mean difference in p(men): {_means(rows)} (Student's 95 % interval over spaces).",
            f"{HUES} Difference: purple towards men, orange towards women. Within each domain from"
            " the base's most men (top) to its most women.",
            *gap_words(before_after, "unknown", " of the two models"),
        ),
    )


def _means(rows: Sequence[ResultRow]) -> str:
    whole = [row for row in rows if "space" not in row.group]
    ordered = sorted(whole, key=lambda row: str(row.group.get("domain", "all")))
    return "; ".join(f"{row.group.get('domain', 'all')} {_figure(row)}" for row in ordered)


def _figure(row: ResultRow) -> str:
    if row.value is None:
        return "unknown"
    said = f"{row.value:+.3f}"
    if row.ci_low is not None and row.ci_high is not None:
        said += f" [{row.ci_low:.3f}, {row.ci_high:.3f}]"
    return f"{said} of {counted(row.n or 0, 'space')}".replace("-", "−")
