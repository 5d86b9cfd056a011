"""Medians with their spread, and ratios taken within a round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from tests.bench.candidates import Run

HEADINGS = (
    "candidate",
    "calls/s",
    "/ floor 1",
    "/ floor 2",
    "/ peer",
    "/ ideal time",
    "CPU ms/call",
    "+CPU ms/call",
    "before s",
    "after s",
    "peak MB",
)
NOTES = """\
calls/s       from the first call to the last commit; for audits as the store's journal has it
/ floor, peer calls/s over the floor's or the peer's of the same round
/ ideal time  time over calls x latency / concurrency
CPU ms/call   of the whole process, its start and the statistics at its end included
+CPU ms/call  what one more call costs: the difference to a run of {few} calls
before, after from the start of the process to the first call, from the last commit to its end
Medians of {rounds} rounds, in brackets the least and the most."""


@dataclass(frozen=True, kw_only=True)
class Round:
    """One candidate in one round: many calls, and few of them for what a start costs."""

    many: Run
    few: Run

    @property
    def more_cpu_ms(self) -> float:
        """CPU milliseconds of one more call."""
        seconds = self.many.cpu_seconds - self.few.cpu_seconds
        return seconds / (self.many.calls - self.few.calls) * 1000


def table(rounds: Sequence[dict[str, Round]], beside: Sequence[str]) -> str:
    """All candidates of all rounds; `beside` names floor 1, floor 2 and the peer."""
    rows = [HEADINGS, *(_row(name, rounds, beside) for name in rounds[0])]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    lines = [
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    notes = NOTES.format(few=next(iter(rounds[0].values())).few.calls, rounds=len(rounds))
    return "\n".join([lines[0], "-" * len(lines[0]), *lines[1:], "", notes])


def _row(name: str, rounds: Sequence[dict[str, Round]], beside: Sequence[str]) -> tuple[str, ...]:
    own = [each[name] for each in rounds]
    of_ideal = [ratio for each in own if (ratio := each.many.of_ideal) is not None]

    def ratio(other: str) -> str:
        if other not in rounds[0]:
            return "-"
        return _spread(
            [
                each[name].many.calls_per_second / each[other].many.calls_per_second
                for each in rounds
            ],
            ".2f",
        )

    return (
        name,
        _spread([each.many.calls_per_second for each in own], ".0f"),
        *(ratio(other) for other in beside),
        _spread(of_ideal, ".2f") if of_ideal else "-",
        _spread([each.many.cpu_seconds / each.many.calls * 1000 for each in own], ".2f"),
        _spread([each.more_cpu_ms for each in own], ".2f"),
        _spread([each.many.before_seconds for each in own], ".1f"),
        _spread([each.many.after_seconds for each in own], ".1f"),
        f"{median(each.many.peak_mb for each in own):.0f}",
    )


def _spread(values: Sequence[float], format_: str) -> str:
    low, high = format(min(values), format_), format(max(values), format_)
    return f"{format(median(values), format_)} [{low} {high}]"
