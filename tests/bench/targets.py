"""What the tables are held against."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import median

from tests.bench.names import FLOOR_1, FLOOR_2, HTTP, PEER, SIM, SIM_ALONE
from tests.bench.table import Round

_OF_FLOOR_1, _OF_FLOOR_2, _OF_PEER = 0.5, 2.0, 20.0
_OF_IDEAL = 1.15
_SLOW_MS = 500.0
"""From this latency on the time counts that the latency itself demands."""
_OWN_CPU_MS = 0.3

Rounds = Sequence[dict[str, Round]]


def verdicts(rounds: Rounds, *, latency_ms: float) -> str:
    """One line a target: the median over the rounds, and whether it is met."""
    return "\n".join(_verdicts(rounds, latency_ms))


def _verdicts(rounds: Rounds, latency_ms: float) -> Iterator[str]:
    if latency_ms >= _SLOW_MS:
        taken = median(each[HTTP].many.of_ideal or 0.0 for each in rounds)
        yield at_most(f"{HTTP}: {taken:.3f} x calls x latency / concurrency", taken, _OF_IDEAL)
    else:
        for other, least in ((FLOOR_1, _OF_FLOOR_1), (FLOOR_2, _OF_FLOOR_2), (PEER, _OF_PEER)):
            if other in rounds[0]:
                speed = _median(rounds, lambda each, other=other: _speed(each, other))
                yield _at_least(f"{HTTP}: {speed:.2f} x {other}", speed, least)
    if SIM in rounds[0]:
        own = _median(rounds, lambda each: each[SIM].more_cpu_ms - each[SIM_ALONE].more_cpu_ms)
        yield at_most(f"{SIM} - {SIM_ALONE}: {own:.3f} CPU ms a trial", own, _OWN_CPU_MS)
    beside = _median(rounds, lambda each: each[HTTP].more_cpu_ms - each[FLOOR_1].more_cpu_ms)
    yield f"for comparison: {HTTP} - {FLOOR_1}: {beside:.3f} CPU ms a call"


def _median(rounds: Rounds, figure: Callable[[dict[str, Round]], float]) -> float:
    return median(map(figure, rounds))


def _speed(each: dict[str, Round], other: str) -> float:
    return each[HTTP].many.calls_per_second / each[other].many.calls_per_second


def _at_least(what: str, value: float, least: float) -> str:
    return f"{'met   ' if value >= least else 'MISSED'}  {what} (at least {least:g})"


def at_most(what: str, value: float, most: float) -> str:
    """One line: what was measured, and whether it is within its target."""
    return f"{'met   ' if value <= most else 'MISSED'}  {what} (at most {most:g})"
