"""The top of the dashboard: which run, how far, how long, how much."""

from __future__ import annotations

from collections.abc import Mapping

from rich.text import Text

from auditor.live import figures
from auditor.live.columns import crop, crop_middle, ends, flow
from auditor.live.glyphs import Glyphs
from auditor.live.progress import bar
from auditor.live.rates import Rates
from auditor.store.status import Snapshot

SIMULATED = " SIMULATED "
"""Stands wherever a number may come from `sim:`; capitals, so that it needs no colour."""

PARTLY_SIMULATED = " PARTLY SIMULATED "
"""Stands over a run in which real models are audited too."""

SIMULATED_TAG = "SIM"
"""The same behind the name of a target."""

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


def simulated_badge(glyphs: Glyphs, *, partly: bool = False) -> Text:
    """The mark of simulated numbers; `partly` where numbers of real models stand beside them."""
    return glyphs.text((PARTLY_SIMULATED if partly else SIMULATED, "bold reverse magenta"))


def is_partly_simulated(snapshot: Snapshot) -> bool:
    """Whether some targets of a run are simulated and others are not."""
    return len({target.simulated for target in snapshot.targets}) > 1


def elapsed_seconds(snapshot: Snapshot, now: float) -> float | None:
    """Seconds that the present or last holder has worked; None before the first."""
    if snapshot.started_at is None:
        return None
    if snapshot.state == "running" or snapshot.ended_at is None:
        return now - snapshot.started_at
    return snapshot.ended_at - snapshot.started_at


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
    badge = simulated_badge(glyphs, partly=is_partly_simulated(snapshot))
    marks = [badge, state] if snapshot.simulated else [state]
    room = max(8, width - sum(mark.cell_len + 2 for mark in marks))
    left = crop_middle(glyphs.text((snapshot.run, "bold")), room, glyphs)
    for mark in marks:
        left = Text.assemble(left, "  ", mark, no_wrap=True)
    elapsed = glyphs.text(("elapsed ", "dim"), figures.duration(elapsed_seconds(snapshot, now)))
    times = [elapsed]
    if snapshot.state == "running":
        about = figures.duration(rates.seconds_left)
        times.append(glyphs.text(("left ", "dim"), about))
    right = Text("   ").join(times)
    line = ends(left, right, width)
    return [line] if line else [crop(left, width, glyphs), crop(right, width, glyphs)]


def _bar(snapshot: Snapshot, width: int, glyphs: Glyphs) -> Text:
    trials = glyphs.text(
        (figures.percent(snapshot.responses, snapshot.planned), "bold"),
        f"  {figures.count(snapshot.responses)}",
        (f" / {figures.count(snapshot.planned)} trials", "dim"),
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
    calls = figures.count(snapshot.calls)
    limit = budget.get("calls")
    of = f" of {figures.count(limit)}" if limit is not None else ""
    items.append(glyphs.text((f"{calls}{of} calls", _limit_style(snapshot.calls, limit))))
    tokens = snapshot.input_tokens + snapshot.output_tokens
    limit = budget.get("tokens")
    if limit is not None:
        text = f"{figures.count(tokens, short=True)} of {figures.count(limit, short=True)} tokens"
        items.append(glyphs.text((text, _limit_style(tokens, limit))))
    elif tokens:
        into = figures.count(snapshot.input_tokens, short=True)
        out = figures.count(snapshot.output_tokens, short=True)
        items.append(glyphs.text(f"{into} tokens in, {out} out"))
    if snapshot.retries:
        items.append(glyphs.text(f"{figures.count(snapshot.retries)} retries"))
    if unknown := sum(agent.unknown for agent in snapshot.agents):
        items.append(glyphs.text((f"{figures.count(unknown)} calls of unknown outcome", "yellow")))
    if snapshot.failures:
        items.append(glyphs.text((f"{figures.count(snapshot.failures)} failed", "bold red")))
    return items


def _limit_style(value: float | None, limit: float | None) -> str:
    """Yellow from nine tenths of a limit on, so that a stop does not come as a surprise."""
    return "yellow" if value is not None and limit and value >= 0.9 * limit else ""
