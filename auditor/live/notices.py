"""What a reader must know beside the numbers: alarms, why a run waits, the last errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.text import Text

from auditor.live import figures
from auditor.live.columns import Cell, Column, crop, grid, wrap
from auditor.live.glyphs import Glyphs
from auditor.store.status import EndpointGauge, RecentError, Snapshot

_MESSAGE_LIMIT = 400
"""Characters of one message that are looked at; a line shows fewer."""

_LINES = 2
"""Most lines of one alarm or of one wait."""

_WIDE = 64
"""Cells from which on a message has room beside its origin."""

_ORIGIN = (
    Column(key="when", priority=0),
    Column(key="kind", priority=0, right=False, least=8),
    Column(key="agent", priority=1, right=False, least=6),
)


def alarm_lines(snapshot: Snapshot, *, width: int, most: int, glyphs: Glyphs) -> list[Text]:
    """Every alarm, in two lines at most."""
    lines: list[Text] = []
    for alarm in snapshot.alarms:
        words = wrap(glyphs.plain(alarm, _MESSAGE_LIMIT), width, lead="! ", most=_LINES)
        lines += [crop(glyphs.text((line, "bold red")), width, glyphs) for line in words]
    return _at_most(lines, most, "lines of alarms", glyphs)


def wait_reasons(snapshot: Snapshot, now: float) -> list[tuple[EndpointGauge, float | None, str]]:
    """Endpoints that send nothing: (gauge, seconds until they go on or None for good, why).

    `now` is in Unix seconds. A wait whose time has come is over; nothing waits in a run that
    no process works on, but an endpoint that has stopped for good is named all the same.
    """
    waits: list[tuple[EndpointGauge, float | None, str]] = []
    for gauge in snapshot.endpoints:
        why = gauge.reason or gauge.last_error or "no reason given"
        if gauge.is_stopped:
            waits.append((gauge, None, why))
        elif gauge.waiting_until is None:
            continue
        elif snapshot.state == "running" and gauge.waiting_until > now:
            waits.append((gauge, gauge.waiting_until - now, why))
    return waits


def is_slowed(gauge: EndpointGauge) -> bool:
    """Whether an endpoint sends, but less than it is asked to."""
    return gauge.reason is not None and gauge.waiting_until is None and not gauge.is_stopped


def wait_lines(
    snapshot: Snapshot, *, width: int, now: float, most: int, glyphs: Glyphs
) -> list[Text]:
    """Endpoints that wait, with a countdown, or have stopped; two lines each at most."""
    lines: list[Text] = []
    for gauge in snapshot.endpoints:
        if is_slowed(gauge) and snapshot.state == "running":
            slow = glyphs.plain(f"{glyphs.waiting} {gauge.endpoint}: {gauge.reason}")
            lines.append(crop(glyphs.text((slow, "yellow")), width, glyphs))
    for gauge, seconds, why in wait_reasons(snapshot, now):
        if seconds is None:
            sign, style = glyphs.stopped, "bold red"
            text = f"{gauge.endpoint} has stopped: {why}"
        else:
            # A countdown shows the second that is running, so it ends at 0:01 and not at 0:00.
            sign, style = glyphs.waiting, "bold yellow"
            text = f"{gauge.endpoint} goes on in {figures.duration(seconds + 1)}: {why}"
        words = wrap(glyphs.plain(text, _MESSAGE_LIMIT), width, lead=f"{sign} ", most=_LINES)
        lines += [crop(glyphs.text((line, style)), width, glyphs) for line in words]
    return _at_most(lines, most, "lines on endpoints that wait or have stopped", glyphs)


def error_lines(
    errors: Sequence[RecentError], *, width: int, now: float, most: int, glyphs: Glyphs
) -> list[Text]:
    """The last errors, newest last, under a heading; equal ones in a row are counted."""
    if not errors or most < 2:
        return []
    groups: list[tuple[RecentError, int]] = []
    for error in errors:
        same = groups and (groups[-1][0].agent, groups[-1][0].kind, groups[-1][0].message) == (
            error.agent,
            error.kind,
            error.message,
        )
        if same:
            groups[-1] = (error, groups[-1][1] + 1)
        else:
            groups.append((error, 1))
    # Where a line is narrow, what happened stands below when and where.
    is_narrow = width < _WIDE
    shown = groups[-max(1, (most - 1) // (2 if is_narrow else 1)) :]
    cells: list[Mapping[str, Cell]] = [
        {
            "when": glyphs.text((f"  {figures.ago(now - error.at)} ago", "dim")),
            "kind": glyphs.text((error.kind + (f" ×{times}" if times > 1 else ""), "red")),
            "agent": glyphs.text(error.agent.removeprefix("generator:")),
        }
        for error, times in shown
    ]
    if is_narrow:
        lines = [glyphs.text(("last errors", "bold"))]
        for origin, (error, _) in zip(grid(_ORIGIN, cells, width, glyphs), shown, strict=True):
            message = glyphs.text((f"    {error.message[:_MESSAGE_LIMIT]}", "dim"))
            lines += [origin, crop(message, width, glyphs)]
        return lines[:most]
    # The message has the better half of a line.
    origins = grid(_ORIGIN, cells, max(36, width // 2), glyphs)
    reach = max(origin.cell_len for origin in origins) + 2
    lines = [glyphs.text(("last errors", "bold"))]
    for origin, (error, _) in zip(origins, shown, strict=True):
        message = glyphs.text((error.message[:_MESSAGE_LIMIT], "dim"))
        blank = " " * (reach - origin.cell_len)
        lines.append(crop(Text.assemble(origin, blank, message, no_wrap=True), width, glyphs))
    return lines


def _at_most(lines: list[Text], most: int, what: str, glyphs: Glyphs) -> list[Text]:
    if len(lines) <= most:
        return lines
    if most < 1:
        return []
    hidden = len(lines) - most + 1
    return [*lines[: most - 1], glyphs.text((f"  and {hidden} more {what}", "dim"))]
