"""Slots, order, stops and what an endpoint says of itself."""

import asyncio
import itertools

import pytest

from auditor.endpoints import Endpoint
from auditor.endpoints.throttle import permits_for
from auditor.errors import (
    AuthError,
    ContentError,
    QuotaError,
    RateError,
    RejectedError,
    TransientError,
    UnreachableError,
)
from auditor.types import EndpointConfig, RateHints, Reply, Request, Usage


def request(name="aa", **fields):
    return Request(model="m", messages=(), request_id=f"{name}.1", **fields)


class Scripted:
    """A provider that plays what it is given, the last item for ever."""

    def __init__(self, *script, seconds=1.0):
        self.script, self.seconds = list(script), seconds
        self.sent, self.timeouts, self.most_at_once, self.at_once = [], [], 0, 0
        self.closed = 0

    async def send(self, request, *, timeout_seconds):
        self.sent.append(request.request_id.partition(".")[0])
        self.timeouts.append(timeout_seconds)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        step = self.script.pop(0) if len(self.script) > 1 else (self.script or [None])[0]
        try:
            await asyncio.sleep(self.seconds)
        finally:
            self.at_once -= 1
        if isinstance(step, Exception):
            raise step
        return step or Reply(choices=(), usage=Usage(input_tokens=5, output_tokens=5))

    async def close(self):
        self.closed += 1


def open_endpoint(provider, **config):
    loop = asyncio.get_running_loop()
    config = {"name": "local", "provider": "sim", "concurrency": 2, **config}
    return Endpoint(
        EndpointConfig(**config),
        lambda api, model: provider,
        clock=loop.time,
        wall=lambda: loop.time() + 1e9,
    )


def now():
    return asyncio.get_running_loop().time()


def test_calls_at_once_never_exceed_the_concurrency_and_go_in_order(run_virtual):
    async def main():
        provider = Scripted()
        endpoint = open_endpoint(provider, concurrency=3)
        names = [f"n{place:02}" for place in range(10)]
        await asyncio.gather(*(endpoint.attempt(request(name)) for name in names))
        assert provider.most_at_once == 3
        assert provider.sent == names

    run_virtual(main)


def test_a_slot_is_held_until_its_block_is_left(run_virtual):
    async def main():
        provider = Scripted()
        endpoint = open_endpoint(provider, concurrency=1)

        async def call_then_commit():
            async with endpoint.slot() as slot:
                await slot.send(request())
                await asyncio.sleep(10.0)

        began_at = now()
        first = asyncio.create_task(call_then_commit())
        await asyncio.sleep(5.0)
        assert provider.at_once == 0
        assert endpoint.gauge().in_flight == 1
        await endpoint.attempt(request())
        assert now() - began_at == pytest.approx(12.0)
        await first
        assert endpoint.gauge().in_flight == 0

    run_virtual(main)


def test_a_slot_sends_one_request_inside_its_block(run_virtual):
    async def main():
        endpoint = open_endpoint(Scripted())
        async with endpoint.slot() as slot:
            await slot.send(request())
            with pytest.raises(RuntimeError, match="one request"):
                await slot.send(request())
        with pytest.raises(RuntimeError, match="one request"):
            await slot.send(request())

    run_virtual(main)


def test_the_time_out_of_the_spec_is_passed_on(run_virtual):
    async def main():
        provider = Scripted()
        await open_endpoint(provider, timeout_seconds=7.5).attempt(request())
        assert provider.timeouts == [7.5]

    run_virtual(main)


def test_each_api_and_model_gets_a_provider_and_each_provider_is_closed_once(run_virtual):
    async def main():
        asked, provider = [], Scripted()

        def provider_for(api, model):
            asked.append((api, model))
            return provider

        config = EndpointConfig(name="local", provider="sim")
        endpoint = Endpoint(config, provider_for, clock=now)
        for api in ("chat", "completions", "chat"):
            await endpoint.attempt(request(api=api))
        assert asked == [("chat", "m"), ("completions", "m")]
        await endpoint.close()
        assert provider.closed == 1

    run_virtual(main)


def test_a_caller_that_is_cancelled_leaves_its_place_and_its_slot(run_virtual):
    async def main():
        provider = Scripted()
        endpoint = open_endpoint(provider, concurrency=1)
        calls = [asyncio.create_task(endpoint.attempt(request(n))) for n in ("a", "b", "c")]
        await asyncio.sleep(0.5)
        calls[0].cancel()
        calls[1].cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        assert provider.sent == ["a", "c"]
        assert endpoint.gauge().in_flight == 0
        assert endpoint.gauge().queued == 0

    run_virtual(main)


def test_a_caller_cancelled_in_the_turn_of_its_admission_gives_the_slot_back(run_virtual):
    async def main():
        endpoint = open_endpoint(Scripted(), concurrency=1)
        async with endpoint.slot():
            waiting = asyncio.create_task(endpoint.attempt(request("late")))
            await asyncio.sleep(1.0)
        # The dispatcher admits it in the next turn; it is cancelled before it runs again.
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        assert endpoint.gauge().in_flight == 0
        await endpoint.attempt(request())

    run_virtual(main)


def test_a_refused_key_stops_the_endpoint_with_the_same_error_for_all(run_virtual):
    async def main():
        provider = Scripted(AuthError("the key is refused", status=401))
        endpoint = open_endpoint(provider, concurrency=2)
        results = await asyncio.gather(
            *(endpoint.attempt(request(f"n{i}")) for i in range(50)), return_exceptions=True
        )
        assert {type(r) for r in results} == {AuthError}
        assert {r.message for r in results} == {"the key is refused"}
        assert len(provider.sent) == 2
        assert isinstance(endpoint.stopped, AuthError)
        assert endpoint.gauge().reason == "the key is refused"
        assert endpoint.gauge().is_stopped
        assert endpoint.gauge().waiting_until is None
        before = now()
        with pytest.raises(AuthError):
            await endpoint.attempt(request())
        assert now() == before

    run_virtual(main)


def test_a_call_admitted_before_the_stop_is_not_sent_after_it(run_virtual):
    async def main():
        provider = Scripted(AuthError("no", status=401))
        endpoint = open_endpoint(provider)
        async with endpoint.slot() as slot:
            with pytest.raises(AuthError):
                await endpoint.attempt(request())
            with pytest.raises(AuthError):
                await slot.send(request("late"))
        assert "late" not in provider.sent
        assert endpoint.gauge().in_flight == 0

    run_virtual(main)


def test_a_used_up_account_stops_until_the_time_that_is_named(run_virtual):
    async def main():
        provider = Scripted(QuotaError("used up", status=429, retry_after_seconds=3600.0), None)
        endpoint = open_endpoint(provider)
        with pytest.raises(QuotaError):
            await endpoint.attempt(request())
        stopped_at = now()
        await asyncio.sleep(600.0)
        with pytest.raises(QuotaError) as caught:
            await endpoint.attempt(request())
        assert caught.value.retry_after_seconds == pytest.approx(3000.0)
        assert endpoint.gauge().waiting_until == pytest.approx(stopped_at + 3600.0 + 1e9)
        await asyncio.sleep(3000.0)
        assert endpoint.stopped is None
        await endpoint.attempt(request())

    run_virtual(main)


def test_a_used_up_account_without_a_time_stops_for_good(run_virtual):
    async def main():
        endpoint = open_endpoint(Scripted(QuotaError("used up", status=429)))
        with pytest.raises(QuotaError):
            await endpoint.attempt(request())
        await asyncio.sleep(1e7)
        assert isinstance(endpoint.stopped, QuotaError)

    run_virtual(main)


@pytest.mark.parametrize(
    "error",
    [
        RejectedError("bad parameter", status=400),
        ContentError("filtered", status=400),
        TransientError("overloaded", status=503),
    ],
)
def test_other_errors_concern_their_own_call_only(run_virtual, error):
    async def main():
        provider = Scripted(*[error] * 40, None, seconds=0.01)
        endpoint = open_endpoint(provider)
        for _ in range(40):
            with pytest.raises(type(error)):
                await endpoint.attempt(request())
        before = now()
        await endpoint.attempt(request())
        assert now() - before == pytest.approx(0.01)
        assert endpoint.stopped is None

    run_virtual(main)


def test_a_refusal_pauses_all_callers_and_says_why(run_virtual):
    async def main():
        provider = Scripted(RateError("slow down", status=429, retry_after_seconds=12.0), None)
        endpoint = open_endpoint(provider)
        with pytest.raises(RateError):
            await endpoint.attempt(request())
        refused_at = now()
        state = endpoint.gauge()
        assert state.reason == "429: waits 12 s"
        assert state.waiting_until == pytest.approx(refused_at + 12.0 + 1e9)
        assert state.last_error == "slow down"
        await endpoint.attempt(request())
        assert now() - refused_at == pytest.approx(13.0)
        assert endpoint.gauge().waiting_until is None

    run_virtual(main)


def test_headers_at_zero_hold_the_next_call_until_the_reset(run_virtual):
    async def main():
        hints = RateHints(remaining_tokens=0, reset_seconds=20.0)
        endpoint = open_endpoint(Scripted(Reply(choices=(), hints=hints), None))
        await endpoint.attempt(request())
        answered_at = now()
        assert endpoint.gauge().reason == "allowance used up: waits 20 s"
        await endpoint.attempt(request())
        assert now() - answered_at == pytest.approx(21.0)

    run_virtual(main)


def test_an_endpoint_that_never_answers_is_tried_one_by_one_and_given_up(run_virtual):
    async def main():
        provider = Scripted(TransientError("connection refused"), seconds=0.0)
        endpoint = open_endpoint(provider, concurrency=2)
        failures = []

        async def worker():
            while True:
                try:
                    await endpoint.attempt(request())
                except UnreachableError as error:
                    failures.append(error)
                    return
                except TransientError:
                    continue

        began_at = now()
        workers = asyncio.gather(*(worker() for _ in range(4)))
        await asyncio.sleep(0.5)
        assert endpoint.gauge().reason == "no connection: tries again in 0.5 s"
        assert endpoint.gauge().concurrency == 1
        await workers
        assert now() - began_at == pytest.approx(1 + 2 + 4 + 8 + 16 + 32 + 60 * 4, rel=0.02)
        # Eight failures open it, one more was under way, ten probes give it up.
        assert 18 <= len(provider.sent) <= 20
        assert "no answer from endpoint 'local' in 5.0 minutes" in failures[0].message
        assert "connection refused" in failures[0].message
        assert len(failures) == 4

    run_virtual(main)


def test_an_endpoint_that_comes_back_is_used_as_before(run_virtual):
    async def main():
        provider = Scripted(*[TransientError("connection refused")] * 12, None, seconds=0.01)
        endpoint = open_endpoint(provider, concurrency=4)
        for _ in range(12):
            with pytest.raises(TransientError):
                await endpoint.attempt(request())
        await asyncio.gather(*(endpoint.attempt(request()) for _ in range(40)))
        assert provider.most_at_once == 4
        assert endpoint.gauge().reason is None

    run_virtual(main)


def test_a_probe_that_is_cancelled_lets_another_one_go(run_virtual):
    async def main():
        provider = Scripted(*[TransientError("connection refused")] * 8, None)
        endpoint = open_endpoint(provider, concurrency=1)
        for _ in range(8):
            with pytest.raises(TransientError):
                await endpoint.attempt(request())
        probe = asyncio.create_task(endpoint.attempt(request("probe")))
        await asyncio.sleep(1.5)
        assert provider.sent[-1] == "probe"
        probe.cancel()
        await asyncio.gather(probe, return_exceptions=True)
        await endpoint.attempt(request("next"))
        assert provider.sent[-1] == "next"

    run_virtual(main)


def test_calls_of_the_last_minute_count_after_a_resume(run_virtual):
    async def main():
        provider = Scripted(seconds=0.0)
        endpoint = open_endpoint(provider, requests_per_minute=60, tokens_per_minute=1e9)
        began_at = now()
        endpoint.seed_history([(90.0, 10), (30.0, 10), *[(20.0, 10)] * 59])
        await endpoint.attempt(request())
        # The call of 30 s ago leaves the minute after another 30 s.
        assert now() - began_at == pytest.approx(30.0, abs=0.2)
        assert endpoint.gauge().in_flight == 0

    run_virtual(main)


def test_tokens_of_the_last_minute_count_after_a_resume(run_virtual):
    async def main():
        endpoint = open_endpoint(Scripted(seconds=0.0), tokens_per_minute=1000)
        began_at = now()
        endpoint.seed_history([(15.0, 900), (10.0, 100)])
        waiting = asyncio.create_task(endpoint.attempt(request(), tokens_estimate=50))
        await asyncio.sleep(1.0)
        assert endpoint.gauge().reason == "tokens per minute"
        assert endpoint.gauge().waiting_until == pytest.approx(began_at + 45.0 + 1e9, abs=0.1)
        assert endpoint.gauge().queued == 1
        await waiting
        assert now() - began_at == pytest.approx(45.0, abs=0.2)

    run_virtual(main)


def test_a_slot_that_is_not_used_gives_its_tokens_back(run_virtual):
    async def main():
        endpoint = open_endpoint(Scripted(seconds=0.0), tokens_per_minute=600)
        began_at = now()
        async with endpoint.slot(500):
            pass
        await endpoint.attempt(request(), tokens_estimate=500)
        assert now() - began_at < 1.0

    run_virtual(main)


def test_requests_a_minute_are_spread_evenly(run_virtual):
    async def main():
        provider = Scripted(seconds=0.0)
        endpoint = open_endpoint(provider, concurrency=50, requests_per_minute=600)
        began_at, starts = now(), []

        async def call():
            async with endpoint.slot() as slot:
                starts.append(now() - began_at)
                await slot.send(request())

        await asyncio.gather(*(call() for _ in range(40)))
        gaps = [later - earlier for earlier, later in itertools.pairwise(starts)]
        assert min(gaps) >= 0.1
        assert max(gaps) <= 0.105

    run_virtual(main)


@pytest.mark.parametrize(
    ("per_minute", "permits", "period"),
    [(60, 1, 1.0), (600, 1, 0.1), (3000, 2, 0.04), (120_000, 100, 0.05), (6, 1, 10.0)],
)
def test_permits_come_in_twentieths_of_a_second(per_minute, permits, period):
    assert permits_for(per_minute) == (permits, pytest.approx(period))


def test_closing_cancels_callers_that_wait(run_virtual):
    async def main():
        provider = Scripted(RateError("429", status=429, retry_after_seconds=3600.0))
        endpoint = open_endpoint(provider)
        with pytest.raises(RateError):
            await endpoint.attempt(request())
        waiting = asyncio.create_task(endpoint.attempt(request()))
        await asyncio.sleep(1.0)
        await endpoint.close()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    run_virtual(main)


def test_no_key_is_shown_even_if_a_server_echoes_it(run_virtual, monkeypatch):
    monkeypatch.setenv("SOME_KEY", "sk-very-secret")

    async def main():
        provider = Scripted(AuthError("invalid key sk-very-secret", status=401))
        endpoint = open_endpoint(provider, api_key_env="SOME_KEY")
        with pytest.raises(AuthError):
            await endpoint.attempt(request())
        assert "sk-very-secret" not in repr(endpoint.gauge())
        assert endpoint.gauge().last_error == "invalid key [key]"

    run_virtual(main)
