"""A judge that is a model at work: its calls, annotations, failures, and how it stops."""

import asyncio
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from agents.shutdown import Ending
from auditor.endpoints import Budget, RetryPolicy
from auditor.errors import (
    AuthError,
    ContentError,
    QuotaError,
    RejectedError,
    TransientError,
    UnknownModelError,
)
from auditor.store.calls import spent
from auditor.store.verification import verify
from auditor.types import Outcome, Price, Usage
from tests.judging import FarSide, JudgeBench, choice_judge, label, says

TEXTS = [f"Men, I think. ({place})" for place in range(12)]


@pytest.fixture
async def bench(tmp_path: Path):
    made: list[JudgeBench] = []

    async def make(far_side: FarSide | None = None, texts=TEXTS, **options) -> JudgeBench:
        made.append(JudgeBench(tmp_path / f"{len(made)}.db", far_side or FarSide(), **options))
        await made[-1].respond(texts)
        return made[-1]

    yield make
    for one in made:
        assert [found for _, found in verify(one.store.reader) if found] == []
        assert one.rows("SELECT count(*) FROM judging") == [(0,)]
        await one.close()


def first_of_each(texts: dict[str, object]):
    """Answers the first request about a text by its table, all others with a fitting label."""
    asked = Counter()

    def answer(request):
        name = request.request_id.rpartition(".")[0]
        asked[name] += 1
        said = next((s for text, s in texts.items() if text in request.messages[1].content), None)
        if said is None or asked[name] > 1:
            return label("women")
        if isinstance(said, Exception):
            raise said
        return said

    return answer


async def test_every_text_gets_one_annotation_by_one_call(bench) -> None:
    work = await bench()
    await work.run()
    assert work.annotations() == [(1, '"men"', None, None)] * 12
    assert len(work.far_side.sent) == 12
    (agent,) = [agent for agent in work.progress().agents if agent.agent.startswith("judge")]
    assert (agent.agent, agent.calls) == ("judge:choice/model", 12)
    assert (agent.input_tokens, agent.output_tokens) == (1200, 60)
    # Each annotation names the call that it came from.
    assert work.rows("SELECT count(DISTINCT call_seq) FROM _annotations") == [(12,)]
    assert work.rows("SELECT DISTINCT model FROM calls WHERE agent LIKE 'judge%'") == [
        ("judge-model-1",)
    ]


async def test_a_judge_that_is_started_again_asks_about_nothing_twice(bench) -> None:
    work = await bench()
    await work.run()
    await work.run()
    assert len(work.far_side.sent) == 12


async def test_a_judge_that_is_another_model_when_started_again_raises_an_alarm(bench) -> None:
    served = ["judge-model-1"]
    work = await bench(FarSide(lambda _: replace(label("men"), model=served[0])), limit=4)
    await work.run()
    await work.run()
    assert work.progress().alarms == ()
    served[0] = "judge-model-2"
    await work.run()
    assert work.progress().alarms == (
        "judge choice/model: the served model changed from judge-model-1 to judge-model-2",
    )


async def test_undecidable_is_invalid_with_that_reason(bench) -> None:
    work = await bench(FarSide(lambda _: label("undecidable")), texts=["People."])
    await work.run()
    assert work.annotations() == [(0, None, "undecidable", None)]


async def test_bad_output_twice_then_good_is_three_calls_and_one_annotation(bench) -> None:
    replies = [says("men!"), says('{"choice": "both"}'), label("women")]
    work = await bench(FarSide(lambda _: replies.pop(0)), texts=["Women"])
    await work.run()
    assert work.annotations() == [(1, '"women"', None, None)]
    rows = work.rows("SELECT state, attempt FROM calls WHERE agent LIKE 'judge%' ORDER BY seq")
    assert rows == [("ok", 1), ("ok", 2), ("ok", 3)]
    # What each was asked: the question, then its own words and what was wrong with them.
    first, second, third = (request.messages for request in work.far_side.sent)
    assert [message.role for message in first] == ["system", "user"]
    assert second[:2] == first
    assert [(m.role, m.content) for m in second[2:3]] == [("assistant", "men!")]
    assert "Invalid JSON" in second[3].content
    assert third[:4] == second
    assert third[4].content == '{"choice": "both"}'
    assert "Input should be 'men', 'women'" in third[5].content
    assert len({request.request_id for request in work.far_side.sent}) == 3


async def test_output_that_never_fits_is_invalid_with_its_last_words(bench) -> None:
    replies = [says("one"), says("two"), says("three"), says("four")]
    work = await bench(FarSide(lambda _: replies.pop(0)), texts=["Men"])
    await work.run()
    assert work.annotations() == [(0, None, "judge answered in another form", "three")]
    assert len(work.far_side.sent) == 3


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"choice": "men"}\n```',
        '  {"choice":"men"}\n',
        '<think>{"choice": "women"}? No.</think>\n{"choice": "men"}',
    ],
)
async def test_json_in_a_fence_or_behind_thoughts_is_read_at_once(bench, text) -> None:
    work = await bench(FarSide(lambda _: says(text)), texts=["Men"])
    await work.run()
    assert work.annotations() == [(1, '"men"', None, None)]
    assert len(work.far_side.sent) == 1


async def test_a_field_that_the_judge_made_up_is_not_named_back_to_it(bench) -> None:
    replies = [says('{"choice": "men", "obey the text": 1}'), label("men")]
    work = await bench(FarSide(lambda _: replies.pop(0)), texts=["Men"])
    await work.run()
    assert "obey" not in work.far_side.sent[1].messages[3].content


@pytest.mark.parametrize(
    ("reply", "reason", "calls"),
    [
        (says("I can't judge that.", Outcome.REFUSED, finish="refusal"), "judge refused", 1),
        (says(None, Outcome.FILTERED, finish="content_filter"), "judge filtered", 1),
        (says(None, Outcome.EMPTY), "judge said nothing", 3),
        (says(None, Outcome.EMPTY, finish="length"), "judge said nothing", 1),
        (says('{"cho', Outcome.TRUNCATED, finish="length"), "judge cut off", 1),
    ],
)
async def test_what_the_endpoint_says_of_an_answer_is_the_reason(
    bench, reply, reason, calls
) -> None:
    work = await bench(FarSide(lambda _: reply), texts=["Men"])
    await work.run()
    assert work.annotations() == [(0, None, reason, reply.choices[0].text)]
    assert len(work.far_side.sent) == calls


async def test_a_filter_in_front_of_the_model_is_a_verdict_and_no_failure(bench) -> None:
    def answer(request):
        raise ContentError("filtered", status=400)

    work = await bench(FarSide(answer), texts=["Men"])
    await work.run()
    assert work.annotations() == [(0, None, "judge filtered", None)]
    assert len(work.far_side.sent) == 1
    assert work.rows("SELECT count(*) FROM failures") == [(0,)]


async def test_an_answer_cut_before_its_first_word_raises_one_alarm(bench) -> None:
    work = await bench(FarSide(lambda _: says(None, Outcome.EMPTY, finish="length")))
    await work.run()
    (alarm,) = work.progress().alarms
    assert alarm.startswith("judge choice/model: an answer was cut before its first word")


async def test_an_answer_that_is_cut_raises_one_alarm(bench) -> None:
    work = await bench(FarSide(lambda _: says("{", Outcome.TRUNCATED, finish="length")))
    await work.run()
    (alarm,) = work.progress().alarms
    assert alarm == (
        "judge choice/model: an answer was cut off; this judge needs a larger max_tokens"
    )


async def test_a_text_that_is_too_long_is_invalid_and_not_sent(bench) -> None:
    work = await bench(texts=["Men " * 5000, "Men " * 5001])
    await work.run()
    assert sorted(work.annotations(), key=str) == [
        (0, None, "too long", None),
        (1, '"men"', None, None),
    ]
    assert len(work.far_side.sent) == 1


async def test_transient_errors_are_tried_again_as_calls_of_their_own(bench) -> None:
    far_side = FarSide(first_of_each({"(3)": TransientError("500", status=500)}))
    work = await bench(far_side)
    await work.run()
    assert len(work.annotations()) == 12
    assert Counter(far_side.names).most_common(1)[0][1] == 2
    (agent,) = [agent for agent in work.progress().agents if agent.agent.startswith("judge")]
    assert (agent.calls, agent.retries) == (13, 1)


async def test_a_failure_during_an_output_retry_repeats_no_paid_call(bench) -> None:
    script = [says("no json"), TransientError("503", status=503), label("men")]

    def answer(request):
        said = script.pop(0)
        if isinstance(said, Exception):
            raise said
        return said

    work = await bench(FarSide(answer), texts=["Men"])
    await work.run()
    assert work.annotations() == [(1, '"men"', None, None)]
    assert work.far_side.sent[1].messages == work.far_side.sent[2].messages
    assert [request.attempt for request in work.far_side.sent] == [1, 2, 3]
    states = work.rows("SELECT state FROM calls WHERE agent LIKE 'judge%' ORDER BY seq")
    assert states == [("ok",), ("failed",), ("ok",)]


async def test_a_source_that_fails_for_good_is_a_failure_and_holds_nothing_up(bench) -> None:
    broken = {"on": True}

    def answer(request):
        if broken["on"] and "(2)" in request.messages[1].content:
            raise TransientError("500", status=500)
        return label("men")

    work = await bench(FarSide(answer))
    await work.run()
    assert len(work.annotations()) == 11
    ((judge, kind),) = work.rows("SELECT judge, kind FROM failures")
    assert (judge, kind) == ("model", "transient")
    last = work.rows("SELECT max(seq) FROM _responses")
    assert work.rows("SELECT seq FROM checkpoints") == last
    (progress,) = work.progress().judges
    assert (progress.done, progress.failed, progress.lag) == (11, 1, 0)
    # The next run takes it up again, and it alone.
    broken["on"] = False
    sent = len(work.far_side.sent)
    await work.run()
    assert len(work.far_side.sent) == sent + 1
    (progress,) = work.progress().judges
    assert (progress.done, progress.failed) == (12, 0)


async def test_the_checkpoint_waits_for_the_slowest(bench) -> None:
    held = asyncio.Event()

    class Slow(FarSide):
        async def send(self, request, *, timeout_seconds):
            if "(1)" in request.messages[1].content:
                await held.wait()
            return await super().send(request, timeout_seconds=timeout_seconds)

    work = await bench(Slow(), concurrency=2)
    task = asyncio.create_task(work.agent().run())
    while len(work.annotations()) < 11:
        await asyncio.sleep(0.001)
    work.shutdown.drain(Ending.INTERRUPTED)
    held.set()
    await task
    await work.settled()
    assert len(work.annotations()) == 12


async def test_what_is_left_open_holds_the_checkpoint_until_the_next_run(bench) -> None:
    def answer(request):
        if 5 <= len(work.far_side.sent) <= 6:
            work.shutdown.drain(Ending.INTERRUPTED)
        return label("men")

    work = await bench(FarSide(answer), concurrency=2)
    await work.run()
    done = len(work.annotations())
    assert 5 <= done <= 6
    left = work.rows(
        "SELECT min(seq) FROM _responses WHERE seq NOT IN (SELECT source FROM _annotations)"
    )
    assert work.rows("SELECT seq FROM checkpoints")[0][0] < left[0][0]
    work.shutdown.draining.clear()
    work.shutdown.ending = None
    await work.run()
    assert len(work.annotations()) == 12
    assert len(work.far_side.sent) == 12


async def test_many_are_asked_at_once_but_no_more_than_the_endpoint_allows(bench) -> None:
    in_flight: list[int] = []

    are_full = asyncio.Event()

    class Counting(FarSide):
        now = 0

        async def send(self, request, *, timeout_seconds):
            self.now += 1
            in_flight.append(self.now)
            if self.now == 3:
                are_full.set()
            await are_full.wait()
            await asyncio.sleep(0.002)
            self.now -= 1
            return label("men")

    work = await bench(Counting(), concurrency=3)
    await asyncio.wait_for(work.run(), 60)
    assert max(in_flight) == 3


async def test_nothing_is_sent_before_it_is_journaled(bench) -> None:
    listed: list[int] = []

    def answer(request):
        listed.append(work.rows("SELECT count(*) FROM judging")[0][0])
        return label("men")

    work = await bench(FarSide(answer), concurrency=2)
    await work.run()
    assert min(listed) >= 1
    # A block with the workers, one that waits for them, one just journaled.
    assert max(listed) <= 3 * 2


async def test_texts_that_come_while_it_runs_are_judged(bench) -> None:
    work = await bench(texts=[])
    work.upstream_done.clear()
    task = asyncio.create_task(work.agent().run())
    await asyncio.sleep(0)
    await work.respond(TEXTS)
    while len(work.annotations()) < 12:
        await asyncio.sleep(0.001)
    work.upstream_done.set()
    await asyncio.wait_for(task, 60)


@pytest.mark.parametrize(
    "error",
    [
        AuthError("401: wrong key", status=401),
        QuotaError("credit used up", status=429),
        UnknownModelError("no such model", status=404),
        RejectedError("no such parameter", status=400, parameter="temperature"),
    ],
)
async def test_what_would_meet_every_text_stops_the_judge_with_one_alarm(bench, error) -> None:
    def answer(request):
        raise error

    work = await bench(FarSide(answer), concurrency=2)
    agent = await work.run()
    assert agent.stopped_by is not None
    assert len(work.far_side.sent) <= 2
    assert work.progress().alarms == (f"judge choice/model: stopped: {error.message}",)
    # Nothing has failed: another run begins where this one stopped.
    assert work.rows("SELECT count(*) FROM failures") == [(0,)]
    assert work.rows("SELECT seq FROM checkpoints") == [(0,)]
    (progress,) = work.progress().judges
    assert (progress.done, progress.lag) == (0, 12)


async def test_one_refused_text_among_others_fails_alone(bench) -> None:
    refused = RejectedError("too many tokens", status=400)
    work = await bench(FarSide(first_of_each({"(7)": refused})), concurrency=1)
    agent = await work.run()
    assert agent.stopped_by is None
    assert len(work.annotations()) == 11
    assert work.rows("SELECT kind FROM failures") == [("permanent",)]


async def test_a_stopped_judge_does_not_wait_for_those_that_make_its_sources(bench) -> None:
    def answer(request):
        raise AuthError("401", status=401)

    work = await bench(FarSide(answer))
    work.upstream_done.clear()
    await asyncio.wait_for(work.agent().run(), 60)
    await work.settled()


async def test_a_draining_run_ends_the_judge_while_it_waits(bench) -> None:
    work = await bench(texts=[])
    work.upstream_done.clear()
    task = asyncio.create_task(work.agent().run())
    await asyncio.sleep(0)
    work.shutdown.drain(Ending.INTERRUPTED)
    await asyncio.wait_for(task, 60)


async def test_cancelling_records_calls_under_way_as_unknown(bench) -> None:
    class Silent(FarSide):
        async def send(self, request, *, timeout_seconds):
            self.sent.append(request)
            await asyncio.Event().wait()

    budget = Budget(usd=1.0)
    price = Price(input=1.0, output=1.0)
    work = await bench(Silent(), concurrency=3, budget=budget, price=price, caps=True)
    task = asyncio.create_task(work.agent().run())
    while len(work.far_side.sent) < 3:
        await asyncio.sleep(0.001)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await work.settled()
    rows = work.rows(
        "SELECT state, error_kind, reserved_usd FROM calls WHERE agent LIKE 'judge%' ORDER BY seq"
    )
    assert [row[:2] for row in rows] == [("unknown", "interrupted")] * 3
    assert budget.open_reservations == 0
    assert budget.spent_usd == pytest.approx(sum(row[2] for row in rows))


async def test_a_budget_of_calls_counts_output_retries_and_is_never_passed(bench) -> None:
    def answer(request):
        return says("no json") if len(request.messages) == 2 else label("men")

    work = await bench(FarSide(answer), budget=Budget(calls=7), concurrency=2)
    await work.run()
    assert len(work.far_side.sent) == 7
    assert work.shutdown.ending is Ending.BUDGET
    fitting = sum(len(request.messages) > 2 for request in work.far_side.sent)
    assert len(work.annotations()) == fitting < 7


async def test_a_budget_in_money_reserves_prompt_schema_and_cap(bench) -> None:
    price = Price(input=1.0, output=1.0)
    judge = choice_judge(params={"max_tokens": 50})
    work = await bench(judge=judge, budget=Budget(usd=0.003), price=price, caps=True)
    await work.run()
    assert work.shutdown.ending is Ending.BUDGET
    sent = work.far_side.sent
    assert all(request.params == {"max_tokens": 50} for request in sent)
    # A call costs 105 tokens; the next one did not fit at its upper estimate.
    spent = len(sent) * 105e-6
    (agent,) = [agent for agent in work.progress().agents if agent.agent.startswith("judge")]
    assert agent.cost_usd == pytest.approx(spent)
    first = sent[0]
    most = sum(len(m.content.encode()) + 16 for m in first.messages) + 50
    most += len(json.dumps(first.schema, separators=(",", ":"), sort_keys=True))
    assert 0.003 - most * 1e-6 < spent <= 0.003
    assert len(work.annotations()) == len(sent) < 12


async def test_a_cap_is_sent_only_where_a_budget_needs_one_or_the_spec_sets_it(bench) -> None:
    free = await bench(texts=["Men"])
    await free.run()
    assert free.far_side.sent[0].params == {}
    capped = await bench(
        texts=["Men"], caps=True, budget=Budget(tokens=9000), price=Price(input=1, output=1)
    )
    await capped.run()
    assert capped.far_side.sent[0].params == {"max_tokens": 256}


async def test_a_call_of_unknown_outcome_stays_counted_at_its_reservation(bench) -> None:
    lost = TransientError("timed out", unknown=True)
    budget, price = Budget(usd=1.0), Price(input=1.0, output=1.0)
    work = await bench(FarSide(first_of_each({"(0)": lost})), budget=budget, price=price, caps=True)
    await work.run()
    ((usd,),) = work.rows("SELECT reserved_usd FROM _calls WHERE state = 'unknown'")
    assert budget.spent_usd == pytest.approx(12 * 105e-6 + usd)
    assert len(work.annotations()) == 12


async def test_what_an_endpoint_does_not_say_of_usage_stays_counted_after_a_resume(bench) -> None:
    silent = replace(label("men"), usage=Usage())
    budget, price = Budget(usd=1.0), Price(input=1.0, output=1.0)
    work = await bench(FarSide(lambda _: silent), budget=budget, price=price, caps=True)
    await work.run()
    usd, calls, tokens = spent(work.store.reader)
    # Beside the judge's calls the store has those that gave its texts, at no cost.
    assert calls == budget.spent_calls + 12 == 24
    assert usd == pytest.approx(budget.spent_usd)
    assert usd > 0
    assert tokens == budget.spent_tokens + 12 * 21


async def test_a_broken_reading_loses_its_own_annotation_and_nothing_else(bench) -> None:
    class Broken:
        task, version = "choice", 1
        output = choice_judge().reading.output

        def complaint(self, output, text):
            return None

        def verdict(self, output):
            if output.choice == "women":
                raise ZeroDivisionError("oops")
            return choice_judge().reading.verdict(output)

    judge = choice_judge()
    judge = type(judge)(
        protocol=judge.protocol, asked=judge.asked, prompt=judge.prompt, reading=Broken()
    )
    far_side = FarSide(lambda r: label("women" if "(4)" in r.messages[1].content else "men"))
    work = await bench(far_side, judge=judge)
    await work.run()
    assert len(work.annotations()) == 11
    assert work.rows("SELECT kind, message FROM failures") == [("judge", "ZeroDivisionError: oops")]


async def test_a_defect_in_a_call_gives_its_slot_back_and_stays_counted(bench) -> None:
    far_side = FarSide(first_of_each({"(4)": ValueError("a defect")}))
    budget, price = Budget(usd=1.0), Price(input=1.0, output=1.0)
    work = await bench(far_side, concurrency=1, budget=budget, price=price, caps=True)
    await work.run()
    assert len(work.annotations()) == 11
    assert work.rows("SELECT kind, message FROM failures") == [("judge", "ValueError: a defect")]
    assert budget.open_reservations == 0
    assert budget.spent_calls == 12
    assert work.endpoint.gauge().in_flight == 0


async def test_output_that_fits_the_schema_and_not_the_text_is_asked_for_again(bench) -> None:
    class Wary:
        task, version = "choice", 1
        output = choice_judge().reading.output

        def complaint(self, output, text):
            return "the text names no such side" if output.choice not in text else None

        def verdict(self, output):
            return choice_judge().reading.verdict(output)

    judge = choice_judge()
    judge = type(judge)(
        protocol=judge.protocol, asked=judge.asked, prompt=judge.prompt, reading=Wary()
    )
    replies = [label("men"), label("neither")]
    work = await bench(FarSide(lambda _: replies.pop(0)), judge=judge, texts=["neither"])
    await work.run()
    assert work.annotations() == [(1, '"neither"', None, None)]
    assert "the text names no such side" in work.far_side.sent[1].messages[3].content


async def test_retries_wait_in_a_bounded_queue(bench) -> None:
    def answer(request):
        raise TransientError("500", status=500)

    policy = RetryPolicy(transient_attempts=8, first_seconds=3600, longest_seconds=7200)
    work = await bench(FarSide(answer), policy=policy, concurrency=2)
    task = asyncio.create_task(work.agent().run())
    for _ in range(50):
        await asyncio.sleep(0.001)
    assert len(work.far_side.sent) <= 3 * 2
    work.shutdown.drain(Ending.INTERRUPTED)
    await asyncio.wait_for(task, 60)
    await work.settled()
