"""The progress table: done of planned, speed, and what the endpoint of each row does."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from rich.text import Text

from auditor.live import figures
from auditor.live.columns import Cell, Column, column_widths, crop, crop_middle, grid
from auditor.live.glyphs import Glyphs
from auditor.live.rows import Row, summed
from auditor.live.simulated import simulated_tag

COLUMNS = (
    Column(key="bar", priority=4, right=False, least=6, most=48),
    Column(key="percent", priority=6),
    Column(key="done", priority=0),
    Column(key="rate", priority=1),
    Column(key="flight", priority=5),
    Column(key="limited", priority=7),
    Column(key="retries", priority=8),
    Column(key="failed", priority=2),
    Column(key="unusable", priority=9),
    Column(key="left", priority=3),
)


def progress_lines(
    sections: Sequence[tuple[str, Sequence[Row], Sequence[Row]]],
    *,
    width: int,
    now: float,
    live: bool,
    glyphs: Glyphs,
) -> list[Text]:
    """Sections of (title, shown rows, summed-up rows) as one grid with a heading each.

    Where endpoints serve several rows, a last line says which.

    `now` is in Unix seconds; `live` says whether a process still works on the run.
    """
    short = width < 110
    cells: list[Mapping[str, Cell]] = []
    for title, shown, rest in sections:
        if not shown and not rest:
            continue
        if cells:
            cells.append({})
        cells.append(_heading(title, [*shown, *rest], glyphs))
        cells.extend(_cells(row, now=now, live=live, short=short, glyphs=glyphs) for row in shown)
        if rest:
            more = summed(f"and {len(rest)} more", rest)
            cells.append(_cells(more, now=now, live=live, short=short, glyphs=glyphs))
    names = [name for cell in cells if isinstance(name := cell.get("name"), Text)]
    columns = (_name_column(names, width, glyphs), *COLUMNS)
    widths = column_widths(columns, cells, width)
    lines = grid(columns, cells, width, glyphs, widths=widths)
    if "flight" in widths:
        rows = [row for _, shown, rest in sections for row in [*shown, *rest]]
        lines += _shared_endpoints(rows, width, glyphs)
    return lines


def _name_column(names: Sequence[Text], width: int, glyphs: Glyphs) -> Column:
    """As wide at least as keeps all names apart, and on a wide terminal most of them whole."""
    whole = len({name.plain for name in names})
    least = 24 if width >= 80 else 16 if width >= 40 else 10
    widest = max((name.cell_len for name in names), default=0)
    while least < widest and whole > len(
        {crop_middle(name, least, glyphs).plain for name in names}
    ):
        least += 1
    return Column(key="name", priority=0, right=False, least=least)


def _shared_endpoints(rows: Iterable[Row], width: int, glyphs: Glyphs) -> list[Text]:
    """One line that says which rows each * counts together; nothing where no row has one."""
    users: dict[str, list[str]] = {}
    for row in rows:
        if row.shared and row.gauge and not row.is_complete:
            users.setdefault(row.gauge.endpoint, []).append(row.name)
    if not users:
        return []
    words = [f"{endpoint} serves {', '.join(names)}" for endpoint, names in users.items()]
    note = f"  * in flight by endpoint: {'; '.join(words)}"
    return [crop(glyphs.text((note, "dim")), width, glyphs)]


def bar(width: int, done: int, planned: int, ahead: int, style: str, glyphs: Glyphs) -> Text:
    """A bar of `width` cells: done, then what lies ready, then the rest. Full only when done."""
    if planned <= 0:
        return glyphs.text((glyphs.empty * width, "dim"))
    steps = 2 if glyphs.half else 1
    filled = min(width * steps, width * steps * done // planned)
    full, half = divmod(filled, steps)
    reach = min(width, math.ceil(width * (done + ahead) / planned)) if ahead else 0
    ready = max(0, reach - full - half)
    rest = width - full - half - ready
    return glyphs.text(
        (glyphs.full * full + glyphs.half * half, style),
        (glyphs.ahead * ready, "yellow"),
        (glyphs.empty * rest, "dim"),
    )


def _cells(row: Row, *, now: float, live: bool, short: bool, glyphs: Glyphs) -> Mapping[str, Cell]:
    sign, style = _sign(row, now, live, glyphs)
    lead = glyphs.text("    " if row.part else (f"{sign} ", style))
    name = glyphs.text((row.name, "dim" if row.part else ""))
    if row.simulated:
        name.append_text(simulated_tag(glyphs))
    done = figures.count(row.done, short=short and row.planned > 99_999)
    planned = figures.count(row.planned, short=short and row.planned > 99_999)
    bar_style = "green" if row.is_complete else "cyan"
    cells: dict[str, Cell] = {
        "name": Text.assemble(lead, name, no_wrap=True),
        "bar": lambda width: bar(width, row.done, row.planned, row.lag or 0, bar_style, glyphs),
        "percent": glyphs.text(figures.percent(row.done, row.planned)),
        "done": glyphs.text(done, (f" / {planned}", "dim")),
        "failed": _alarming(row.failed, "bold red", glyphs),
        "unusable": _alarming(row.unusable, "yellow", glyphs),
    }
    if row.part:
        return cells
    works = live and not row.is_complete
    if works:
        cells["rate"] = glyphs.text(figures.rate(row.rate))
    if works or row.lag:
        cells["left"] = _left(row, glyphs)
    if row.calls is not None:
        cells["limited"] = _alarming(row.calls.rate_limited, "yellow", glyphs)
        cells["retries"] = _alarming(row.calls.retries, "yellow", glyphs)
    if row.gauge is not None and works:
        flight = f"{row.gauge.in_flight}/{row.gauge.concurrency}"
        cells["flight"] = glyphs.text(flight, "*" if row.shared else " ")
    return cells


def _heading(title: str, rows: Sequence[Row], glyphs: Glyphs) -> Mapping[str, Cell]:
    judges = any(row.lag is not None for row in rows)
    shared = any(row.shared for row in rows)
    heads = {
        "name": title,
        "done": "judged" if judges else "answered",
        "rate": "speed",
        "flight": "in flight",
        "limited": "429s",
        "retries": "retries",
        "failed": "failed",
        "unusable": "invalid" if judges else "no text",
        "left": "lag" if judges else "left",
    }
    if not any(row.gauge for row in rows):
        del heads["flight"]
    if not any(row.calls for row in rows):
        del heads["limited"], heads["retries"]
    style = "bold" if title else "dim"
    cells: dict[str, Cell] = {key: glyphs.text((text, "dim")) for key, text in heads.items()}
    cells["name"] = glyphs.text((title, style))
    if "flight" in heads:
        cells["flight"] = glyphs.text(("in flight" + ("" if shared else " "), "dim"))
    return cells


def _left(row: Row, glyphs: Glyphs) -> Text:
    if row.lag is not None:
        return glyphs.text((figures.count(row.lag, short=True), "dim" if row.lag == 0 else ""))
    return glyphs.text("" if row.sums else figures.duration(row.seconds_left))


def _sign(row: Row, now: float, live: bool, glyphs: Glyphs) -> tuple[str, str]:
    if row.is_complete:
        return glyphs.complete, "green"
    gauge = row.gauge
    if live and gauge and gauge.waiting_until is not None and gauge.waiting_until > now:
        return glyphs.waiting, "bold yellow"
    if gauge and gauge.is_stopped:
        return glyphs.stopped, "bold red"
    return glyphs.active, ""


def _alarming(number: int, style: str, glyphs: Glyphs) -> Text:
    return glyphs.text((figures.count(number, short=True), style if number else "dim"))
