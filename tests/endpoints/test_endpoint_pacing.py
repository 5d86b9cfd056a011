"""Whole runs against servers that limit: how much gets through, how much is refused."""

import asyncio
import itertools
import random
from bisect import bisect_left

import pytest

from auditor.endpoints import Endpoint
from auditor.errors import RateError
from auditor.types import EndpointConfig, Reply, Request, Usage

REQUEST = Request(model="m", messages=(), request_id="aa.1")
RATE = 50.0


class LimitedServer:
    """A token bucket (calls a second, burst), a number of calls at once, a time of closure."""

    def __init__(
        self,
        *,
        burst=50.0,
        rate=RATE,
        latency=0.05,
        retry_after=None,
        at_once=None,
        closed=(0.0, 0.0),
    ):
        self.rate, self.burst, self.latency = rate, burst, latency
        self.retry_after, self.at_once, self.closed = retry_after, at_once, closed
        self.level, self.filled_at, self.active = burst, None, 0
        self.answered_at: list[float] = []
        self.refused_at: list[float] = []
        self._random = random.Random(1)

    async def send(self, request, *, timeout_seconds):
        loop = asyncio.get_running_loop()
        now = loop.time()
        if self.filled_at is None:
            self.filled_at = self.began_at = now
        self.level = min(self.burst, self.level + (now - self.filled_at) * self.rate)
        self.filled_at = now
        is_closed = self.closed[0] <= now - self.began_at < self.closed[1]
        is_full = self.at_once is not None and self.active >= self.at_once
        if self.level < 1 or is_closed or is_full:
            self.refused_at.append(now - self.began_at)
            await asyncio.sleep(min(self.latency, 0.05))
            raise RateError("429", status=429, retry_after_seconds=self.retry_after)
        self.level -= 1
        self.active += 1
        await asyncio.sleep(self.latency * (0.5 + self._random.random()))
        self.active -= 1
        self.answered_at.append(loop.time() - self.began_at)
        return Reply(choices=(), usage=Usage(input_tokens=10, output_tokens=10))

    async def close(self):
        pass

    @property
    def refused_share(self):
        return len(self.refused_at) / (len(self.refused_at) + len(self.answered_at))

    def answered_between(self, start, end):
        return sum(start <= at < end for at in self.answered_at)


def drive(run_virtual, server, *, calls, tokens_estimate=20, late=lambda: 0.0, **limits):
    """Make so many calls by as many workers as the concurrency; gives the seconds it took."""

    async def main():
        loop = asyncio.get_running_loop()
        endpoint = Endpoint(
            EndpointConfig(name="e", provider="openai", **limits),
            lambda api, model: server,
            clock=loop.time,
            wall=loop.time,
        )
        left = iter(range(calls))

        async def worker():
            for _ in left:
                while True:
                    try:
                        await endpoint.attempt(REQUEST, tokens_estimate=tokens_estimate)
                        break
                    except RateError:
                        continue

        began_at = loop.time()
        await asyncio.gather(*(worker() for _ in range(limits["concurrency"])))
        await endpoint.close()
        return loop.time() - began_at

    return run_virtual(main, late)


@pytest.mark.parametrize("latency", [0.002, 0.2, 1.0])
@pytest.mark.parametrize("burst", [5.0, 50.0])
def test_a_known_limit_is_used_to_the_full_and_hardly_ever_met(run_virtual, burst, latency):
    server = LimitedServer(burst=burst, latency=latency, retry_after=1.0)
    seconds = drive(run_virtual, server, calls=1500, concurrency=256, requests_per_minute=3000)
    assert seconds <= 1.05 * 1500 / RATE + 1.5 * latency
    assert server.refused_share < 0.02


def busiest_minute(moments):
    """The most of these moments that any 60 seconds hold."""
    moments = sorted(moments)
    return max(bisect_left(moments, at + 60.0) - index for index, at in enumerate(moments))


@pytest.mark.parametrize(("per_minute", "calls"), [(3000, 1500), (600, 1500)])
def test_late_timers_are_made_up_for_within_the_limit_of_each_minute(
    run_virtual, per_minute, calls
):
    # A machine on which timers are late by 15 % of the time between two of them, some by 60 %.
    chance, period = random.Random(1), max(1, round(per_minute / 1200)) * 60.0 / per_minute
    server = LimitedServer(rate=1e9, burst=1e9, latency=0.0)
    seconds = drive(
        run_virtual,
        server,
        calls=calls,
        concurrency=64,
        requests_per_minute=per_minute,
        late=lambda: chance.expovariate(1.0) * 0.15 * period,
    )
    assert calls / seconds >= 0.97 * per_minute / 60.0
    assert busiest_minute(server.answered_at) <= per_minute


def test_a_stall_is_made_up_for_by_one_period_at_most(run_virtual):
    stalls = iter([0.0] * 20 + [5.0])
    server = LimitedServer(rate=1e9, burst=1e9, latency=0.0)
    drive(
        run_virtual,
        server,
        calls=40,
        concurrency=64,
        requests_per_minute=600,
        late=lambda: next(stalls, 0.0),
    )
    started = server.answered_at
    stalled = max(range(1, 40), key=lambda index: started[index] - started[index - 1])
    gaps = [started[index] - started[index - 1] for index in range(stalled + 1, stalled + 4)]
    assert gaps == pytest.approx([0.001, 0.1, 0.1], abs=0.0015)


def test_time_in_which_nobody_asks_gives_no_burst(run_virtual):
    server = LimitedServer(rate=1e9, burst=1e9, latency=0.0)

    async def main():
        loop = asyncio.get_running_loop()
        config = EndpointConfig(
            name="e", provider="openai", concurrency=8, requests_per_minute=600.0
        )
        endpoint = Endpoint(config, lambda api, model: server, clock=loop.time)
        for pause in (0.0, 0.13, 7.0):
            await asyncio.sleep(pause)
            await asyncio.gather(*(endpoint.attempt(REQUEST) for _ in range(3)))
        await endpoint.close()

    run_virtual(main)
    gaps = [later - earlier for earlier, later in itertools.pairwise(server.answered_at)]
    assert min(gaps) >= 0.1 - 1e-9


@pytest.mark.parametrize("retry_after", [None, 0.02, 1.0])
@pytest.mark.parametrize("latency", [0.002, 0.05, 1.0])
def test_an_unknown_limit_is_found_from_a_few_refusals(run_virtual, latency, retry_after):
    server = LimitedServer(burst=50.0, latency=latency, retry_after=retry_after)
    seconds = drive(run_virtual, server, calls=1860, concurrency=256)
    assert 1860 / seconds >= 0.9 * RATE
    assert server.refused_share < 0.03


@pytest.mark.parametrize("burst", [1.0, 10.0])
def test_an_unknown_limit_without_a_burst_is_found_as_well(run_virtual, burst):
    server = LimitedServer(burst=burst, latency=0.05, retry_after=0.02)
    seconds = drive(run_virtual, server, calls=1860, concurrency=256)
    assert 1860 / seconds >= 0.9 * RATE
    assert server.refused_share < 0.01


def test_a_long_closure_costs_few_calls_and_leaves_nothing_slower(run_virtual):
    server = LimitedServer(latency=0.5, closed=(10.0, 310.0))
    drive(run_virtual, server, calls=4000, concurrency=64)
    during = [at for at in server.refused_at if 11.0 <= at < 310.0]
    assert 3 <= len(during) <= 20
    reopened_at = next(at for at in server.answered_at if at > 310.0)
    assert reopened_at < 310.0 + 61.0
    assert server.answered_between(reopened_at + 30, reopened_at + 40) >= 0.9 * RATE * 10


def test_a_limit_that_is_raised_is_found_within_two_minutes(run_virtual):
    server = LimitedServer(rate=5.0, burst=5.0, latency=0.1)

    async def raise_later():
        await asyncio.sleep(60.0)
        server.rate, server.burst = RATE, RATE

    async def main():
        loop = asyncio.get_running_loop()
        config = EndpointConfig(name="e", provider="openai", concurrency=32)
        endpoint = Endpoint(config, lambda api, model: server, clock=loop.time)

        async def worker():
            while loop.time() < server_ends_at:
                try:
                    await endpoint.attempt(REQUEST)
                except RateError:
                    continue

        server_ends_at = loop.time() + 200.0
        await asyncio.gather(raise_later(), *(worker() for _ in range(32)))
        await endpoint.close()

    run_virtual(main)
    assert server.answered_between(50, 60) <= 55
    assert server.answered_between(180, 200) >= 0.9 * RATE * 20


def test_a_limit_of_calls_at_once_is_found_as_a_pace(run_virtual):
    server = LimitedServer(rate=1e9, burst=1e9, latency=0.5, at_once=10)
    seconds = drive(run_virtual, server, calls=3000, concurrency=256)
    assert 3000 * 0.5 / seconds >= 0.6 * 10
    assert server.refused_share < 0.03


def test_an_endpoint_without_limits_is_soon_asked_with_all_its_concurrency(run_virtual):
    server = LimitedServer(rate=1e9, burst=1e9, latency=1.0)
    seconds = drive(run_virtual, server, calls=6400, concurrency=64)
    assert server.refused_at == []
    assert seconds <= 1.1 * 6400 / 64


@pytest.mark.parametrize("tokens_estimate", [20, 100])
def test_tokens_a_minute_are_spread_and_corrected_by_usage(run_virtual, tokens_estimate):
    # 1,200 tokens a minute are one call of 20 tokens a second.
    server = LimitedServer(rate=1e9, burst=1e9, latency=0.01)
    seconds = drive(
        run_virtual,
        server,
        calls=180,
        concurrency=8,
        tokens_per_minute=1200.0,
        tokens_estimate=tokens_estimate,
    )
    # A minute must have room for an estimate beside what was used: 1,200 less 80 tokens of it.
    assert 175 <= seconds <= 180 * 1200 / (1220 - tokens_estimate) + 5
    for start in range(0, 120, 10):
        assert server.answered_between(start, start + 60) * 20 <= 1200 + 40
