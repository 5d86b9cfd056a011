"""The top of the dashboard: which run, how far, how long, how much."""

from __future__ import annotations

from collections.abc import Mapping

from rich.text import Text

from auditor.counted import counted
from auditor.live import figures
from auditor.live.columns import crop, crop_middle, ends, flow
from auditor.live.glyphs import Glyphs
from auditor.live.progress import bar
from auditor.live.rates import Rates
from auditor.live.simulated import simulated_badge, simulated_targets
from auditor.store.status import Snapshot

_LEAST_NAME = 12
"""Cells of the run's name that stay beside its state."""

_UNCERTAIN_SECONDS = 1.0
"""So much two readings of the clock by two processes may be out of order."""

_STATE_STYLES: Mapping[str, str] = {
    "running": "bold cyan",
    "complete": "bold green",
    "interrupted": "bold yellow",
    "incomplete": "bold yellow",
}


def header(
    snapshot: Snapshot, rates: Rates, *, width: int, now: float, glyphs: Glyphs
) -> list[Text]:
    """Name, state and times; the run's bar; speed, money and limits."""
    return [
        *_title(snapshot, rates, width=width, now=now, glyphs=glyphs),
        _bar(snapshot, width, glyphs),
        *flow(_amounts(snapshot, rates, glyphs), width, glyphs),
    ]


def elapsed_seconds(snapshot: Snapshot, now: float) -> float | None:
    """Seconds that the present or last holder has worked.

    None before the first, and where the clock was set back behind its start.
    """
    if snapshot.started_at is None:
        return None
    ended_at = None if snapshot.state == "running" else snapshot.ended_at
    seconds = (now if ended_at is None else ended_at) - snapshot.started_at
    return None if seconds < -_UNCERTAIN_SECONDS else seconds


def spent(snapshot: Snapshot) -> str:
    """What the run has cost, beside the limit and what is reserved for calls in flight."""
    limit = snapshot.budget.get("usd")
    if snapshot.cost_usd is None:
        known = "spent unknown (no price)"
    else:
        known = f"spent {figures.dollars(snapshot.cost_usd)}"
    of = f" of {figures.dollars(limit)}" if limit is not None else ""
    unit = " USD" if of or snapshot.cost_usd is not None else ""
    reserved = snapshot.reserved_usd
    held = f" ({figures.dollars(reserved)} reserved)" if reserved > 0 else ""
    return f"{known}{of}{unit}{held}"


def _title(
    snapshot: Snapshot, rates: Rates, *, width: int, now: float, glyphs: Glyphs
) -> list[Text]:
    state = glyphs.text((snapshot.state, _STATE_STYLES.get(snapshot.state, "bold")))
    simulated, of = simulated_targets(snapshot)
    badge = simulated_badge(glyphs, simulated=simulated, of=of)
    marks = [badge, state] if snapshot.simulated else [state]
    name = glyphs.text((snapshot.run, "bold"))
    room = width - sum(mark.cell_len + 2 for mark in marks)
    # Beside the marks a name keeps what tells it apart; else they have a line of their own.
    is_beside = room >= min(name.cell_len, _LEAST_NAME)
    left = crop_middle(name, room if is_beside else width, glyphs)
    if is_beside:
        left = Text("  ", no_wrap=True).join([left, *marks])
    elapsed = glyphs.text(("elapsed ", "dim"), figures.duration(elapsed_seconds(snapshot, now)))
    times = [elapsed]
    if snapshot.state == "running":
        about = figures.duration(rates.seconds_left)
        times.append(glyphs.text(("left ", "dim"), about))
    right = Text("   ").join(times)
    line = ends(left, right, width) if is_beside else None
    if line:
        return [line]
    below = [] if is_beside else flow(marks, width, glyphs, "  ")
    return [left, *below, crop(right, width, glyphs)]


def _bar(snapshot: Snapshot, width: int, glyphs: Glyphs) -> Text:
    trials = glyphs.text(
        (figures.percent(snapshot.responses, snapshot.planned), "bold"),
        f"  {figures.count(snapshot.responses)}",
        (f" / {counted(snapshot.planned, 'trial')}", "dim"),
    )
    room = width - trials.cell_len - 2
    if room < 8:
        return crop(trials, width, glyphs)
    style = "green" if snapshot.responses >= snapshot.planned else "cyan"
    drawn = bar(room, snapshot.responses, snapshot.planned, 0, style, glyphs)
    return Text.assemble(drawn, "  ", trials, no_wrap=True)


def _amounts(snapshot: Snapshot, rates: Rates, glyphs: Glyphs) -> list[Text]:
    budget = snapshot.budget
    items = []
    if snapshot.state == "running":
        items.append(glyphs.text(f"speed {figures.rate(rates.calls)}"))
    usd = None if snapshot.cost_usd is None else snapshot.cost_usd + snapshot.reserved_usd
    items.append(glyphs.text((spent(snapshot), _limit_style(usd, budget.get("usd")))))
    limit = budget.get("calls")
    calls = counted(snapshot.calls, "call")
    if limit is not None:
        calls = f"{figures.count(snapshot.calls)} of {counted(int(limit), 'call')}"
    items.append(glyphs.text((calls, _limit_style(snapshot.calls, limit))))
    tokens = snapshot.input_tokens + snapshot.output_tokens
    limit = budget.get("tokens")
    if limit is not None:
        text = f"{figures.count(tokens, short=True)} of {figures.count(limit, short=True)} tokens"
        items.append(glyphs.text((text, _limit_style(tokens, limit))))
    elif tokens:
        noun = "token" if snapshot.input_tokens == 1 else "tokens"
        into = figures.count(snapshot.input_tokens, short=True)
        out = figures.count(snapshot.output_tokens, short=True)
        items.append(glyphs.text(f"{into} {noun} in, {out} out"))
    if snapshot.retries:
        items.append(glyphs.text(counted(snapshot.retries, "retry")))
    if unknown := sum(agent.unknown for agent in snapshot.agents):
        items.append(glyphs.text((counted(unknown, "call of unknown outcome"), "yellow")))
    if snapshot.failures:
        items.append(glyphs.text((f"{figures.count(snapshot.failures)} failed", "bold red")))
    return items


def _limit_style(value: float | None, limit: float | None) -> str:
    """Yellow from nine tenths of a limit on, so that a stop does not come as a surprise."""
    return "yellow" if value is not None and limit and value >= 0.9 * limit else ""
