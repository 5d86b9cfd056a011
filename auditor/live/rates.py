"""Calls a second and time left, from successive snapshots."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from auditor.store.status import Snapshot

JudgeName = tuple[str, str]
"""(task, judge)."""


@dataclass(frozen=True, kw_only=True)
class Rates:
    """How fast a run goes. None is unknown; 0.0 means that nothing happened in the window."""

    calls: float | None = None
    """Calls a second of the whole run."""
    targets: Mapping[str, float] = field(default_factory=dict)
    """Calls a second by target; an unknown one is absent."""
    judges: Mapping[JudgeName, float] = field(default_factory=dict)
    """Calls a second of judges that make calls, annotations a second of the others."""
    seconds_left: float | None = None
    target_seconds_left: Mapping[str, float] = field(default_factory=dict)


UNKNOWN_RATES = Rates()


@dataclass(frozen=True)
class _Sample:
    at: float
    counts: Mapping[tuple[str, ...], int]


class RateMeter:
    """Follows the counters of successive snapshots over sliding windows.

    Rates look back `window_seconds`, the time left looks back six windows, so that it does not
    jump with every slow call. Both take what there is while a run is younger than that, and are
    unknown until two snapshots lie at least half a second apart. Where snapshots come more
    seldom than the window, the last two count. A counter that goes down (the plan changed)
    starts over. Memory is bounded: samples closer than a fortieth of the window are merged.
    """

    def __init__(self, window_seconds: float = 10.0) -> None:
        self._window = window_seconds
        self._samples: deque[_Sample] = deque()

    def observe(self, snapshot: Snapshot, now: float) -> Rates:
        """The rates at `now`, seconds of a monotonic clock, with this snapshot taken in."""
        sample = _Sample(now, _counts(snapshot))
        self._take(sample)
        start = self._start(now - self._window)
        long_start = self._start(now - 6 * self._window)
        if start is None or long_start is None:
            return UNKNOWN_RATES
        recent = _Speeds(start, sample)
        steady = _Speeds(long_start, sample)
        running = snapshot.state == "running"
        return Rates(
            calls=recent.of("calls"),
            targets=recent.under("target"),
            judges=dict(recent.pairs("judge")),
            seconds_left=_seconds_left(snapshot, steady) if running else None,
            target_seconds_left=_target_seconds_left(snapshot, steady) if running else {},
        )

    def _take(self, sample: _Sample) -> None:
        if self._samples:
            last = self._samples[-1].counts
            if any(sample.counts.get(name, 0) < last[name] for name in last):
                self._samples.clear()
        if len(self._samples) > 1 and sample.at - self._samples[-2].at < self._window / 40:
            self._samples.pop()
        self._samples.append(sample)
        horizon = sample.at - 6 * self._window
        while len(self._samples) > 2 and self._samples[1].at <= horizon:
            self._samples.popleft()

    def _start(self, horizon: float) -> _Sample | None:
        """The last sample at or before `horizon`, else the oldest; None if it is too close."""
        start = self._samples[0]
        for sample in self._samples:
            if sample.at > horizon:
                break
            start = sample
        return start if self._samples[-1].at - start.at >= 0.5 else None


class _Speeds:
    """Differences of two samples by the second."""

    def __init__(self, start: _Sample, end: _Sample) -> None:
        seconds = end.at - start.at
        self._rates = {
            name: (value - start.counts[name]) / seconds
            for name, value in end.counts.items()
            if name in start.counts
        }

    def of(self, *name: str) -> float | None:
        return self._rates.get(name)

    def under(self, kind: str) -> dict[str, float]:
        return {name[1]: rate for name, rate in self._rates.items() if name[0] == kind}

    def pairs(self, kind: str) -> Iterable[tuple[JudgeName, float]]:
        return (((n[1], n[2]), rate) for n, rate in self._rates.items() if n[0] == kind)


def _counts(snapshot: Snapshot) -> dict[tuple[str, ...], int]:
    calls: dict[str, int] = defaultdict(int)
    for agent in snapshot.agents:
        calls[agent.agent] += agent.calls
    counts: dict[tuple[str, ...], int] = {("calls",): snapshot.calls}
    for target in snapshot.targets:
        settled = counts.get(("responses", target.target), 0) + target.responses
        counts["responses", target.target] = settled
        counts["target", target.target] = calls.get(f"generator:{target.target}", settled)
    for judge in snapshot.judges:
        name = (judge.task, judge.judge)
        counts["annotations", *name] = judge.done
        counts["judge", *name] = calls.get(f"judge:{judge.task}/{judge.judge}", judge.done)
    return counts


def _left_by_target(snapshot: Snapshot) -> dict[str, int]:
    left: dict[str, int] = defaultdict(int)
    for target in snapshot.targets:
        left[target.target] += max(0, target.planned - target.responses - target.failures)
    return left


def _target_seconds_left(snapshot: Snapshot, speeds: _Speeds) -> dict[str, float]:
    seconds = {}
    for target, left in _left_by_target(snapshot).items():
        rate = speeds.of("responses", target)
        if left == 0:
            seconds[target] = 0.0
        elif rate:
            seconds[target] = left / rate
    return seconds


def _seconds_left(snapshot: Snapshot, speeds: _Speeds) -> float | None:
    """The slowest endpoint's time: agents that share one share its limit, others don't wait.

    None where any of them stands still with work to do; agents of an endpoint that has stopped
    for good are left out, for they will not go on.
    """
    endpoint_of = {agent.agent: agent.endpoint for agent in snapshot.agents}
    stopped = {e.endpoint for e in snapshot.endpoints if e.is_stopped}
    work: list[tuple[str, int, float | None]] = [
        (agent, left, speeds.of("responses", target))
        for target, left in _left_by_target(snapshot).items()
        if endpoint_of.get(agent := f"generator:{target}") not in stopped
    ]
    to_come = sum(left for _, left, _ in work)
    for judge in snapshot.judges:
        agent = f"judge:{judge.task}/{judge.judge}"
        unread = max(0, judge.planned - judge.done - judge.failed)
        # Of what it has not read, the part that has no source yet comes from running targets.
        left = min(unread, judge.lag + to_come)
        work.append((agent, left, speeds.of("annotations", judge.task, judge.judge)))
    lefts: dict[str, int] = defaultdict(int)
    rates: dict[str, float] = defaultdict(float)
    for agent, left, rate in work:
        place = endpoint_of.get(agent, agent)
        if place in stopped:
            continue
        lefts[place] += left
        rates[place] += rate or 0.0
    busy = {place: left for place, left in lefts.items() if left}
    if any(not rates[place] for place in busy):
        return None
    return max((left / rates[place] for place, left in busy.items()), default=0.0)
