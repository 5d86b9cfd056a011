"""The dashboard: one frame of the live view, laid out for a width and a height."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from auditor.live.findings import finding_lines
from auditor.live.glyphs import UNICODE, Glyphs
from auditor.live.header import header
from auditor.live.notices import alarm_lines, error_lines, wait_lines
from auditor.live.progress import progress_lines
from auditor.live.rates import Rates
from auditor.live.rows import Row, agent_rows, busiest
from auditor.live.simulated import simulated_badge, simulated_targets
from auditor.protocols.base import Headline
from auditor.store.status import Snapshot

_UNLIMITED = 1_000_000
_NOTICES = 4
"""Most lines of alarms, and of waits, where the height is limited."""


def render(
    snapshot: Snapshot,
    headlines: Sequence[Headline],
    rates: Rates,
    *,
    width: int,
    now: float,
    height: int | None = None,
    glyphs: Glyphs = UNICODE,
) -> RenderableType:
    """One frame: no line longer than `width` cells, no more than `height` lines.

    `now` is in Unix seconds (the clock of the snapshot's times). Without `height` everything
    is shown; with it the busiest rows are, and the others are summed up in one.
    """
    lines = frame(snapshot, headlines, rates, width=width, now=now, height=height, glyphs=glyphs)
    return Group(*lines)


def frame(
    snapshot: Snapshot,
    headlines: Sequence[Headline],
    rates: Rates,
    *,
    width: int,
    now: float,
    height: int | None = None,
    glyphs: Glyphs = UNICODE,
) -> list[Text]:
    """The lines of `render`, each a text of one line."""
    limit = _UNLIMITED if height is None else height
    top = header(snapshot, rates, width=width, now=now, glyphs=glyphs)
    few = _UNLIMITED if height is None else _NOTICES
    top += alarm_lines(snapshot, width=width, most=few, glyphs=glyphs)
    top += wait_lines(snapshot, width=width, now=now, most=few, glyphs=glyphs)

    targets, judges = agent_rows(snapshot, rates)

    def findings(most: int, first: Sequence[Row] = ()) -> list[Text]:
        names = {row.name for row in first}
        ordered = sorted(headlines, key=lambda headline: headline.target not in names)
        simulated, of = simulated_targets(snapshot)
        partly = 0 < simulated < of
        badge = simulated_badge(glyphs, simulated=simulated, of=of)
        return finding_lines(
            ordered,
            badge=badge if snapshot.simulated and not partly else None,
            simulated={t.target for t in snapshot.targets if t.simulated} if partly else (),
            width=width,
            most=most,
            glyphs=glyphs,
        )

    def errors(most: int) -> list[Text]:
        return error_lines(snapshot.errors, width=width, now=now, most=most, glyphs=glyphs)

    # Every block counts the blank line above it, tables count their heading.
    wants = [
        _wanted(len(targets), 2),
        _wanted(len(judges), 2),
        _wanted(len(findings(limit)), 1),
        _wanted(len(errors(limit)), 1),
    ]
    # The last one is for the note below the progress table.
    room = max(0, limit - len(top) - 1)
    target_room, judge_room, finding_room, error_room = share(room, wants, leasts=(4, 4, 4, 3))
    shown = _fit(targets, target_room - 2)
    progress = progress_lines(
        [
            ("targets", *shown),
            ("judges", *_fit(judges, judge_room - 2)),
        ],
        width=width,
        now=now,
        live=snapshot.state == "running",
        glyphs=glyphs,
    )
    blocks = [
        top,
        progress,
        findings(finding_room - 1, shown[0]),
        errors(error_room - 1),
    ]
    lines: list[Text] = []
    for block in blocks:
        lines += [Text(), *block] if lines and block else block
    return lines[:limit]


def share(room: int, wants: Sequence[int], *, leasts: Sequence[int]) -> list[int]:
    """Lines for each block: all they want if that fits, else fair shares.

    A block gets nothing or at least its `leasts` (or all that it wants, if that is less);
    the first blocks come first. What is left is dealt out line by line, twice as fast to the
    first block as to the others.
    """
    shares = [0] * len(wants)
    for number, (want, least) in enumerate(zip(wants, leasts, strict=True)):
        if min(want, least) <= room:
            shares[number] = min(want, least)
            room -= shares[number]
    while room > 0:
        hungry = [n for n, want in enumerate(wants) if 0 < shares[n] < want]
        if not hungry:
            break
        shares[min(hungry, key=lambda n: shares[n] / (2 if n == 0 else 1))] += 1
        room -= 1
    return shares


def _fit(rows: Sequence[Row], lines: int) -> tuple[Sequence[Row], Sequence[Row]]:
    return busiest(rows, lines) if lines > 0 else ((), ())


def _wanted(lines: int, around: int) -> int:
    return lines + around if lines else 0
