"""Maps of spaces: a tile a space and target, private and public ones apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from auditor.counted import plural
from auditor.protocols.spatial_explicit.prompts import DOMAINS, PAPER_PROMPT, SPACES, all_spaces
from auditor.reports.figures.findings import Findings
from auditor.reports.figures.shapes import Scale, TileMap, Tiles
from auditor.reports.figures.tile_words import FEW
from auditor.statistics import mean
from auditor.store.results import ResultRow

HOMES_FIRST = DOMAINS[::-1]
"""Private spaces first, as in the paper's figures."""
TARGETS_A_PAGE = 14
"""Columns of tiles that stay narrower than a page."""
MEN_FIRST = "Within each domain from the most men (top) to the most women."

HUES = "Blue with bold numbers: more men; red: more women."

ByPlace = Mapping[tuple[str, str], ResultRow]
"""Rows of one statistic by space and target."""
Sections = Sequence[tuple[str, Sequence[str]]]
"""Domains with their spaces."""


def under_one_prompt(rows: Iterable[ResultRow]) -> tuple[str | None, list[ResultRow], int]:
    """Prompt 1 where it was run, else the first one; its rows, and how many others there are.

    A group without a prompt is Prompt 1's; None: there are no rows.
    """
    by_prompt: dict[str, list[ResultRow]] = {}
    for row in rows:
        by_prompt.setdefault(str(row.group.get("prompt", PAPER_PROMPT)), []).append(row)
    if not by_prompt:
        return None, [], 0
    prompt = PAPER_PROMPT if PAPER_PROMPT in by_prompt else min(by_prompt)
    return prompt, by_prompt[prompt], len(by_prompt) - 1


def prompt_words(prompt: str, others: int) -> str:
    """Which prompt is shown, and how many are not."""
    if not others:
        return f"Prompt {prompt}."
    return f"Prompt {prompt}; {others_words(others, 'prompt')}."


def others_words(count: int, noun: str) -> str:
    """What was run besides and is not shown: "2 other prompts not shown"."""
    return f"{count} other {noun if count == 1 else plural(noun)} not shown"


def by_place(rows: Iterable[ResultRow]) -> dict[tuple[str, str], ResultRow]:
    """Rows of one statistic, whose groups tell but their spaces apart."""
    return {(row.group["space"], row.target): row for row in rows}


def sections(findings: Findings, rows: ByPlace, leading: str | None = None) -> Sections:
    """Spaces by domain, from the highest mean over targets to the lowest, unknown ones last.

    `leading` is a target whose values alone give the order.
    """
    known: dict[str, list[float]] = {}
    for (space, target), row in rows.items():
        values = known.setdefault(space, [])
        if row.value is not None and leading in (None, target):
            values.append(row.value)
    means = {space: mean(values) for space, values in known.items()}
    ordered = sorted(means, key=lambda space: (means[space] is None, -(means[space] or 0.0), space))
    domains = {space.name: space.domain for space in all_spaces(findings.materials(SPACES))}
    found = [
        (f"{domain} spaces", [space for space in ordered if domains.get(space) == domain])
        for domain in HOMES_FIRST
    ]
    return [section for section in found if section[1]]


def spaces_of(named: Sections) -> list[str]:
    """All spaces, as they stand one below the other."""
    return [space for _, spaces in named for space in spaces]


def space_tiles(
    findings: Findings,
    rows: ByPlace,
    spaces: Sequence[str],
    targets: Sequence[str],
    *,
    scale: Scale,
    label: str,
    marked: frozenset[tuple[str, str]] = frozenset(),
    fewest: int = FEW,
) -> Tiles:
    """A column of tiles a target; `marked` are the spaces and targets with a dot.

    Numbers that rest on fewer than `fewest` answers stand in brackets.
    """
    found = [[rows.get((space, target)) for target in targets] for space in spaces]
    places = [(number, column) for number in range(len(spaces)) for column in range(len(targets))]
    return Tiles(
        columns=tuple(findings.shown(target) for target in targets),
        values=tuple(tuple(None if r is None else r.value for r in line) for line in found),
        scale=scale,
        label=label,
        marked=frozenset(at for at in places if (spaces[at[0]], targets[at[1]]) in marked),
        few=frozenset(
            (number, column)
            for number, column in places
            if (row := found[number][column]) is not None
            and row.value is not None
            and (row.n or 0) < fewest
        ),
    )


def space_map(named: Sections, *blocks: Tiles) -> TileMap:
    """Blocks of tiles over the spaces of both domains."""
    return TileMap(
        rows=tuple(spaces_of(named)),
        blocks=blocks,
        sections=tuple((domain, len(spaces)) for domain, spaces in named),
    )


def answers(rows: ByPlace, spaces: Sequence[str], targets: Sequence[str]) -> int:
    """How many answers these tiles rest on."""
    found = (rows.get((space, target)) for space in spaces for target in targets)
    return sum(row.n or 0 for row in found if row is not None)
