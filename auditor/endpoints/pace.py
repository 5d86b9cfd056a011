"""How often an endpoint is asked: a rate that is learned from its refusals.

An endpoint that refuses with 429 has a bucket that fills at some rate and holds some burst; it
tells neither. Concurrency alone cannot keep below it: at a latency of a few milliseconds one call
at a time already makes hundreds a second. So the gate keeps a pace beside its concurrency.

*Start.* 128 calls a second, 2 % more with each answer: some 125 answers later nothing is held back
that one core could send. An endpoint that refuses early has then seen few calls.

*Refusal.* The limit lies between the flow since the last refusal (calls started before the refused
one, over the time: the bucket was empty then, so no more than its rate can have passed) and the
pace of asking. While the pace still climbs, the flow is the next pace. Later, soon after a pause,
little is known, and the next pace is the geometric mean of the two. The longer the endpoint bore
the pace, the nearer to it lies the limit, and the less is taken back; never less than 4 %.

*Between refusals* the pace closes in on a little less than the one that was refused, half of the
distance in seven seconds, and is raised by ``exp((t / 80) ** 3)``, t seconds after the refusal
(cubic, as TCP's CUBIC, RFC 9438): a limit that does not move is tried every twenty seconds or so,
and no series of refusals holds an endpoint down for more than two minutes. After five without a
refusal the pace is forgotten.
"""

from __future__ import annotations

import math

_CATCH_UP_SECONDS = 0.02
"""How much of a late timer may be made up for by calls that follow each other at once."""
_FORGOTTEN_AFTER_SECONDS = 300.0
_FIRST = 128.0
_UNBOUND = 100_000.0
_SLOWEST = 1.0 / 60.0
_CLOSING_IN = 0.1
_BELOW_REFUSED = 0.985
_PLATEAU_SECONDS = 80.0


class Pace:
    """Evenly spaced starts at a rate in calls a second; None while there is none.

    `climbs`: whether it starts slowly. All times are seconds on one monotonic clock.
    """

    def __init__(self, *, climbs: bool = True) -> None:
        self.rate: float | None = _FIRST if climbs else None
        self._is_learned = False
        self._climbs = climbs
        self._refused_rate = math.inf
        self._next_at = -math.inf
        self._latency_seconds: float | None = None
        self._started = self._started_before = 0
        self._resumed_at = self._cycle_began_at = self._grown_at = -math.inf

    @property
    def learned_rate(self) -> float | None:
        """The rate, if a refusal taught it."""
        return self.rate if self._is_learned else None

    def ready_at(self) -> float:
        """When the next call may start."""
        return self._next_at if self.rate is not None else -math.inf

    def take(self, now: float) -> int:
        """Count a call that starts; gives its number."""
        if self._cycle_began_at == -math.inf:
            self._resumed_at = self._cycle_began_at = now
        if self.rate is not None:
            self._next_at = max(self._next_at, now - _CATCH_UP_SECONDS) + 1.0 / self.rate
        self._started += 1
        return self._started

    def answered(self, now: float, latency_seconds: float) -> None:
        """Count a call that was let through, and grow."""
        known = self._latency_seconds
        self._latency_seconds = (
            latency_seconds if known is None else known + 0.1 * (latency_seconds - known)
        )
        if self.rate is not None:
            self.rate = self._grown(self.rate, now)

    def paused(self, until: float) -> None:
        """Note that nothing starts before `until`, and that no burst may follow."""
        self._next_at = max(self._next_at, until)
        self._resumed_at = until

    def passed(self, number: int) -> int:
        """Calls started since the last refusal and before the call so numbered."""
        return max(0, number - 1 - self._started_before)

    def refused(self, now: float, number: int, in_flight: int) -> None:
        """Learn from the refusal, of the call so numbered, that begins an episode."""
        flow = max(1, self.passed(number)) / max(now - self._cycle_began_at, 1e-3)
        if self.rate is None:
            # Little's law: calls in flight over their latency.
            self.rate = in_flight / max(self._latency_seconds or 1.0, 1e-4)
        borne_seconds = max(0.0, now - self._resumed_at)
        doubt = 1.0 if self._climbs else 0.5 / (1.0 + borne_seconds / 5.0)
        kept = min(max((flow / self.rate) ** doubt, 0.05), 0.96)
        self._refused_rate = self.rate
        self.rate = max(_SLOWEST, self.rate * kept)
        self._climbs = False
        self._is_learned = True
        self.closed(now)

    def closed(self, now: float) -> None:
        """Begin a cycle without learning: after a refusal that says nothing of the rate."""
        self._started_before = self._started
        self._resumed_at = self._cycle_began_at = self._grown_at = now

    def _grown(self, rate: float, now: float) -> float | None:
        if not self._is_learned:
            if rate < _UNBOUND:
                return rate * 1.02
            self._climbs = False
            return None
        since, before = now - self._cycle_began_at, self._grown_at - self._cycle_began_at
        self._grown_at = now
        if since > _FORGOTTEN_AFTER_SECONDS:
            self._is_learned = False
            return None
        distance = math.log(max(1.0, _BELOW_REFUSED * self._refused_rate / rate))
        gain = distance * -math.expm1(-_CLOSING_IN * (since - before))
        gain += (since / _PLATEAU_SECONDS) ** 3 - (before / _PLATEAU_SECONDS) ** 3
        return rate * math.exp(min(gain, 1.0))
