"""A generator over a real store and a real endpoint; only the far side is scripted."""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from agents.generator import Generator, TrialLimit
from agents.jobs import Assignment
from agents.shutdown import Ending, Shutdown
from auditor.endpoints import Budget, Endpoint, Prices, RetryPolicy
from auditor.errors import (
    AuthError,
    ContentError,
    RejectedError,
    TransientError,
    UnknownModelError,
)
from auditor.store.calls import spent
from auditor.store.progress import snapshot
from auditor.store.store import Store
from auditor.store.verification import verify
from auditor.types import Choice, EndpointConfig, Outcome, Price, Reply, Request, Usage
from tests import builders

AT_ONCE = RetryPolicy(transient_attempts=3, first_seconds=0.0)


def reply(request: Request, *, choices: int | None = None, model: str = "fair-1") -> Reply:
    count = request.choices if choices is None else choices
    return Reply(
        choices=tuple(Choice(outcome=Outcome.ANSWERED, text="Men") for _ in range(count)),
        usage=Usage(input_tokens=10, output_tokens=2),
        model=model,
        sent=dict(request.params),
    )


class FarSide:
    """Answers by a function of the request; remembers what it was sent."""

    def __init__(self, answer: Callable[[Request], Reply] = reply) -> None:
        self.answer = answer
        self.sent: list[Request] = []

    async def send(self, request: Request, *, timeout_seconds: float) -> Reply:
        self.sent.append(request)
        await asyncio.sleep(0)
        return self.answer(request)

    async def close(self) -> None:
        return None


class Bench:
    """A store with a plan, an endpoint, and generators to work on them."""

    def __init__(self, path: Path, planned, far_side: FarSide, **options) -> None:
        self.planned = planned
        self.far_side = far_side
        builders.write(path, planned)
        self.store = Store(path, builders.take_lock(path))
        config = EndpointConfig(
            name="sim",
            provider="sim",
            concurrency=options.get("concurrency", 4),
            price=options.get("price"),
        )
        self.endpoint = Endpoint(config, lambda _api, _model: far_side)
        self.budget = options.get("budget", Budget())
        self.shutdown = Shutdown()
        self.prices = Prices(config)
        self.options = options

    def generator(self, target: str = "fair") -> Generator:
        cells = [cell for cell in self.planned if cell.target == target]
        return Generator(
            Assignment(
                target=target,
                endpoint_name="sim",
                cells=lambda place: iter(cells[place:]),
                simulate=None,
                samples_per_request=self.options.get("samples", 1),
                default_max_tokens=lambda _: 8,
                seed=1,
            ),
            store=self.store,
            endpoint=self.endpoint,
            budget=self.budget,
            caps_output=self.options.get("caps", False),
            prices=self.prices,
            shutdown=self.shutdown,
            limit=self.options.get("limit"),
            policy=self.options.get("policy", AT_ONCE),
        )

    async def close(self) -> None:
        await self.endpoint.close()
        await self.store.close("incomplete")

    def rows(self, query: str):
        return self.store.reader.execute(query).fetchall()

    def progress(self):
        # What was posted without waiting is committed once something later is.
        return snapshot(self.store.reader)

    async def settled(self) -> None:
        from auditor.store.records import Gauge

        await self.store.append(
            Gauge(endpoint="sim", in_flight=0, concurrency=1, concurrency_limit=1)
        )


@pytest.fixture
async def bench(tmp_path: Path):
    made: list[Bench] = []

    def make(far_side: FarSide | None = None, *, planned=None, **options) -> Bench:
        cells = builders.cells(repetitions=5) if planned is None else planned
        path = tmp_path / f"{len(made)}.db"
        made.append(Bench(path, cells, far_side or FarSide(), **options))
        return made[-1]

    yield make
    for one in made:
        assert [found for _, found in verify(one.store.reader) if found] == []
        await one.close()


async def test_every_planned_trial_gets_one_response(bench) -> None:
    work = bench()
    await work.generator().run()
    progress = work.progress()
    assert (progress.planned, progress.responses, progress.calls) == (15, 15, 15)
    assert work.rows("SELECT count(*) FROM in_flight") == [(0,)]
    assert len({request.request_id for request in work.far_side.sent}) == 15


async def test_nothing_is_sent_before_its_trial_is_journaled(bench) -> None:
    unlisted: list[str] = []

    def answer(request: Request) -> Reply:
        key = request.trials[0]
        found = work.store.reader.execute(
            "SELECT 1 FROM in_flight i JOIN trials t ON t.id = i.trial_id WHERE t.key = ?", (key,)
        ).fetchone()
        if found is None:
            unlisted.append(request.request_id)
        return reply(request)

    work = bench(FarSide(answer))
    await work.generator().run()
    assert len(work.far_side.sent) == 15
    assert unlisted == []


async def test_journaling_runs_at_most_two_blocks_ahead_of_answers(bench) -> None:
    ahead: list[int] = []

    def answer(request: Request) -> Reply:
        ahead.append(work.rows("SELECT count(*) FROM in_flight")[0][0])
        return reply(request)

    work = bench(FarSide(answer), planned=builders.cells(repetitions=40), concurrency=4)
    await work.generator().run()
    # One block with the workers, one waiting for them, one just journaled.
    assert max(ahead) <= 3 * 4


async def test_a_transient_error_is_retried_as_the_next_attempt(bench) -> None:
    def answer(request: Request) -> Reply:
        if request.attempt == 1:
            raise TransientError("500", status=500)
        return reply(request)

    work = bench(FarSide(answer))
    await work.generator().run()
    progress = work.progress()
    assert (progress.responses, progress.calls, progress.retries) == (15, 30, 15)
    attempts = Counter(row[0] for row in work.rows("SELECT attempt FROM attempts"))
    assert attempts == {1: 15, 2: 15}


async def test_a_trial_that_fails_for_good_is_tried_again_by_the_next_run(bench) -> None:
    broken = {"on": True}
    bad = builders.trials_of(builders.cells(repetitions=5))[3].key

    def answer(request: Request) -> Reply:
        if broken["on"] and request.trials[0] == bad:
            raise TransientError("500", status=500)
        return reply(request)

    work = bench(FarSide(answer))
    await work.generator().run()
    progress = work.progress()
    assert (progress.responses, progress.failures) == (14, 1)
    broken["on"] = False
    sent = len(work.far_side.sent)
    await work.generator().run()
    assert [request.attempt for request in work.far_side.sent[sent:]] == [4]
    progress = work.progress()
    assert (progress.responses, progress.failures) == (15, 0)


async def test_a_content_filter_is_an_outcome_and_is_not_retried(bench) -> None:
    def answer(request: Request) -> Reply:
        raise ContentError("filtered", status=400)

    work = bench(FarSide(answer))
    await work.generator().run()
    progress = work.progress()
    assert (progress.responses, progress.calls, progress.failures) == (15, 15, 0)
    assert progress.targets[0].outcomes == {"filtered": 15}


async def test_a_refused_key_stops_all_targets_of_the_endpoint_at_once(bench) -> None:
    def answer(request: Request) -> Reply:
        raise AuthError("401: wrong key", status=401)

    planned = builders.cells("one", repetitions=50) + builders.cells("two", repetitions=50)
    work = bench(FarSide(answer), planned=planned)
    one, two = work.generator("one"), work.generator("two")
    await asyncio.gather(one.run(), two.run())
    await work.settled()
    assert len(work.far_side.sent) <= 4
    assert isinstance(one.stopped_by, AuthError)
    assert isinstance(two.stopped_by, AuthError)
    alarms = work.progress().alarms
    assert len(alarms) == 2
    assert all("wrong key" in alarm for alarm in alarms)
    assert work.rows("SELECT count(*) FROM in_flight") == [(0,)]


async def test_an_unknown_model_stops_its_target_and_the_other_goes_on(bench) -> None:
    def answer(request: Request) -> Reply:
        if request.model == "one":
            raise UnknownModelError("no such model", status=404)
        return reply(request)

    planned = builders.cells("one", repetitions=50) + builders.cells("two", repetitions=50)
    work = bench(FarSide(answer), planned=planned)
    await asyncio.gather(work.generator("one").run(), work.generator("two").run())
    await work.settled()
    targets = {target.target: target for target in work.progress().targets}
    assert targets["two"].responses == 150
    assert targets["one"].responses == 0
    assert targets["one"].failures <= 4
    assert len(work.progress().alarms) == 1


async def test_a_request_refused_before_any_answer_stops_the_target(bench) -> None:
    def answer(request: Request) -> Reply:
        raise RejectedError("no temperature here", status=400, parameter="temperature")

    work = bench(FarSide(answer), planned=builders.cells(repetitions=50))
    await work.generator().run()
    assert len(work.far_side.sent) <= 4


async def test_one_refused_request_among_answers_fails_alone(bench) -> None:
    bad = builders.trials_of(builders.cells(repetitions=5))[7].key

    def answer(request: Request) -> Reply:
        if request.trials[0] == bad:
            raise RejectedError("prompt too long", status=400)
        return reply(request)

    work = bench(FarSide(answer), concurrency=1)
    await work.generator().run()
    assert (work.progress().responses, work.progress().failures) == (14, 1)


async def test_fewer_choices_than_asked_for_are_topped_up(bench) -> None:
    work = bench(FarSide(lambda r: reply(r, choices=min(2, r.choices))), samples=3)
    await work.generator().run()
    progress = work.progress()
    # 5 repetitions a cell: 3 asked, 2 given, 1 more; then 2 asked and given.
    assert (progress.responses, progress.calls) == (15, 9)
    first = work.far_side.sent[0]
    assert first.choices == 3
    assert first.request_id.count(",") == 2


async def test_a_budget_of_calls_is_never_passed_and_ends_the_run(bench) -> None:
    work = bench(budget=Budget(calls=7))
    await work.generator().run()
    assert len(work.far_side.sent) == 7
    assert work.shutdown.ending is Ending.BUDGET
    await work.settled()
    assert work.rows("SELECT count(*) FROM in_flight") == [(0,)]


async def test_retries_count_against_a_budget_of_calls(bench) -> None:
    def answer(request: Request) -> Reply:
        if request.attempt == 1:
            raise TransientError("500", status=500)
        return reply(request)

    work = bench(FarSide(answer), budget=Budget(calls=9))
    await work.generator().run()
    assert len(work.far_side.sent) == 9
    assert work.shutdown.ending is Ending.BUDGET


async def test_a_budget_in_money_is_used_up_but_never_passed(bench) -> None:
    price = Price(input=1.0, output=1.0)
    budget = Budget(usd=0.0005)
    work = bench(planned=builders.cells(repetitions=100), budget=budget, price=price, caps=True)
    await work.generator().run()
    assert work.shutdown.ending is Ending.BUDGET
    spent = work.progress().cost_usd
    assert spent == pytest.approx(len(work.far_side.sent) * 12e-6)
    # What is left does not cover one more call at its cap.
    longest = max(len(r.messages[0].content.encode()) for r in work.far_side.sent) + 16 + 8
    assert 0.0005 - longest * 1e-6 < spent <= 0.0005
    assert all(request.params["max_tokens"] == 8 for request in work.far_side.sent)


async def test_a_call_of_unknown_outcome_stays_counted_at_its_reservation(bench) -> None:
    first = builders.trials_of(builders.cells(repetitions=5))[0].key

    def answer(request: Request) -> Reply:
        if request.trials[0] == first and request.attempt == 1:
            raise TransientError("timed out", unknown=True)
        return reply(request)

    budget = Budget(usd=1.0)
    price = Price(input=1.0, output=1.0)
    work = bench(FarSide(answer), budget=budget, price=price, caps=True)
    await work.generator().run()
    ((state, usd),) = work.rows("SELECT state, reserved_usd FROM _calls WHERE state = 'unknown'")
    assert state == "unknown"
    length = len(work.far_side.sent[0].messages[0].content)
    assert usd == pytest.approx((length + 16 + 8) * 1e-6)
    assert budget.spent_usd == pytest.approx(15 * 12e-6 + usd)


async def test_a_limit_sends_so_many_trials_and_no_more(bench) -> None:
    work = bench(limit=TrialLimit(6))
    await work.generator().run()
    assert work.progress().responses == 6


async def test_draining_sends_nothing_new_and_keeps_what_comes_back(bench) -> None:
    def answer(request: Request) -> Reply:
        if len(work.far_side.sent) >= 6:
            work.shutdown.drain(Ending.INTERRUPTED)
        return reply(request)

    work = bench(FarSide(answer), planned=builders.cells(repetitions=50))
    await work.generator().run()
    await work.settled()
    progress = work.progress()
    assert progress.responses == len(work.far_side.sent) <= 8 + 4
    assert work.rows("SELECT count(*) FROM in_flight") == [(0,)]


async def test_cancelling_records_what_was_in_flight_as_unknown(bench) -> None:
    class Silent(FarSide):
        async def send(self, request: Request, *, timeout_seconds: float) -> Reply:
            self.sent.append(request)
            await asyncio.Event().wait()
            raise AssertionError

    work = bench(Silent())
    task = asyncio.create_task(work.generator().run())
    while len(work.far_side.sent) < 4:
        await asyncio.sleep(0.001)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await work.settled()
    assert work.rows("SELECT state, count(*) FROM _calls GROUP BY 1") == [("unknown", 4)]
    assert work.rows("SELECT count(*) FROM in_flight") == [(0,)]


async def test_a_served_model_that_changes_raises_one_alarm(bench) -> None:
    def answer(request: Request) -> Reply:
        return reply(request, model="fair-1" if len(work.far_side.sent) < 8 else "fair-2")

    work = bench(FarSide(answer), concurrency=1)
    await work.generator().run()
    await work.settled()
    assert work.progress().alarms == (
        "target fair: the served model changed from fair-1 to fair-2",
    )


async def test_a_model_that_changed_while_the_run_was_interrupted_raises_an_alarm(bench) -> None:
    served = ["fair-1", "weights-1"]

    def answer(request: Request) -> Reply:
        return replace(reply(request, model=served[0]), fingerprint=served[1])

    work = bench(FarSide(answer), limit=TrialLimit(4))
    await work.generator().run()
    work.options["limit"] = TrialLimit(4)
    await work.generator().run()
    await work.settled()
    assert work.progress().alarms == ()
    served[1] = "weights-2"
    work.options["limit"] = TrialLimit(1)
    await work.generator().run()
    served[0] = "fair-2"
    work.options["limit"] = None
    await work.generator().run()
    await work.settled()
    assert len(work.far_side.sent) == 15
    weights, model = work.progress().alarms
    assert "the fingerprint of fair-1 changed from weights-1 to weights-2:" in weights
    assert model == "target fair: the served model changed from fair-1 to fair-2"


async def test_while_as_many_retries_wait_as_calls_may_run_nothing_new_is_taken(bench) -> None:
    def answer(request: Request) -> Reply:
        raise TransientError("500", status=500)

    work = bench(
        FarSide(answer),
        planned=builders.cells(repetitions=100),
        policy=RetryPolicy(transient_attempts=8, first_seconds=3600, longest_seconds=7200),
    )
    task = asyncio.create_task(work.generator().run())
    for _ in range(50):
        await asyncio.sleep(0.002)
    # Four waiting and, at most, four more that were with the workers when the fourth failed.
    assert len(work.far_side.sent) <= 4 + 4 + 4
    work.shutdown.drain(Ending.INTERRUPTED)
    await asyncio.wait_for(task, 60)
    await work.settled()
    assert work.rows("SELECT count(*) FROM in_flight") == [(0,)]


async def test_seeds_are_drawn_for_each_trial_and_stay_with_it(bench) -> None:
    planned = builders.cells(repetitions=5, asked=builders.request("fair", params={"seed": True}))
    work = bench(planned=planned)
    await work.generator().run()
    seeds = {request.trials[0]: request.params["seed"] for request in work.far_side.sent}
    assert len(set(seeds.values())) == 15
    again = bench(planned=planned)
    await again.generator().run()
    assert seeds == {r.trials[0]: r.params["seed"] for r in again.far_side.sent}


async def test_a_crash_before_the_top_up_leaves_a_store_that_goes_on(bench) -> None:
    """The record of a short answer already holds the number of the next attempt."""
    work = bench(FarSide(lambda r: reply(r, choices=min(1, r.choices))), samples=3)
    seen: list[set[tuple[int, int]]] = []
    append = work.store.append

    def look(record):
        future = append(record)
        future.add_done_callback(
            lambda _: seen.append(
                set(
                    work.rows(
                        "SELECT i.trial_id, i.attempt FROM in_flight i JOIN attempts a"
                        " ON a.trial_id = i.trial_id AND a.attempt = i.attempt"
                    )
                )
            )
        )
        return future

    work.store.append = look
    await work.generator().run()
    assert work.progress().responses == 15
    assert len(seen) > 5
    assert not any(seen)


async def test_calls_without_usage_stay_counted_at_their_reservation(bench) -> None:
    def answer(request: Request) -> Reply:
        return replace(reply(request), usage=Usage())

    price = Price(input=1.0, output=1.0)
    budget = Budget(usd=1.0)
    work = bench(FarSide(answer), budget=budget, price=price, caps=True)
    await work.generator().run()
    usd, calls, tokens = spent(work.store.reader)
    assert calls == 15
    assert usd == pytest.approx(budget.spent_usd)
    assert usd > 0
    assert tokens == budget.spent_tokens
