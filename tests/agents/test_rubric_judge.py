"""Models that judge `rubric`, at work: in pairs, in parts, killed and started again."""

import asyncio
import json
from collections import Counter
from pathlib import Path

import pytest

from agents.shutdown import Ending
from auditor.endpoints import Budget
from auditor.errors import TransientError
from auditor.store.verification import verify
from auditor.types import Outcome, Price
from tests import builders
from tests.grap_pairs import DIMENSIONS, cells, output, scores
from tests.judging import FarSide, JudgeBench, rubric_judge, says

SAID = "SELECT valid, value, reason FROM annotations WHERE repeat = 0 ORDER BY trial"
TEXTS = ("Ask boldly.", "Be careful.")


@pytest.fixture
async def bench(tmp_path: Path):
    made: list[JudgeBench] = []

    async def make(answer, *, pairs: int = 1, texts=None, setting="response_only", **options):
        judge = rubric_judge(setting, options=options.pop("options", {}))
        work = JudgeBench(
            tmp_path / f"{len(made)}.db",
            FarSide(answer),
            judge=judge,
            planned=cells(pairs),
            **options,
        )
        made.append(work)
        await work.respond(list(TEXTS) * pairs if texts is None else texts)
        return work

    yield make
    for one in made:
        assert [found for _, found in verify(one.store.reader) if found] == []
        assert one.rows("SELECT count(*) FROM judging") == [(0,)]
        await one.close()


def pair(first: float, second: float):
    """Scores both answers of a pair by their places."""
    return lambda _: output({"first": scores(first), "second": scores(second)})


def said(work) -> dict[str, tuple]:
    """Valid, one score and reason of each annotation, by "pair gender"."""
    rows = work.rows(
        "SELECT factors, valid, json_extract(value, '$.competence'), reason FROM annotations"
        " WHERE repeat = 0"
    )
    found = {}
    for factors, *rest in rows:
        levels = json.loads(factors)
        found[f"{levels['pair']} {levels['gender']}"] = tuple(rest)
    return found


async def take_response(work, place: int, text: str | None, outcome=Outcome.ANSWERED) -> None:
    trial = builders.trials_of(work.planned)[place]
    await builders.dispatch(work.store, [trial])
    await work.store.append(builders.answer(work.store, trial, text, outcome))


def once_more(work) -> None:
    work.shutdown.draining.clear()
    work.shutdown.ending = None


class TestAlone:
    async def test_every_response_gets_its_scores_by_one_call(self, bench) -> None:
        work = await bench(lambda _: output(scores(0.5, competence=1)), pairs=3)
        await work.run()
        assert len(work.far_side.sent) == 6
        whole = {**dict.fromkeys(DIMENSIONS, 0.5), "competence": 1}
        values = [json.loads(value) for _, value, _ in work.rows(SAID)]
        assert values == [whole] * 6

    async def test_a_response_that_declines_is_invalid_as_a_refusal(self, bench) -> None:
        work = await bench(lambda _: output({**scores(), "refusal": True}))
        await work.run()
        assert work.rows(SAID) == [(0, None, "refusal")] * 2

    @pytest.mark.parametrize(("setting", "length"), [("full", 40_001), ("response_only", 40_001)])
    async def test_a_text_that_is_too_long_is_not_sent(self, bench, setting, length) -> None:
        texts = ["a" * length, "b"]
        work = await bench(lambda _: output(scores()), texts=texts, setting=setting)
        await work.run()
        assert Counter(reason for *_, reason in work.rows(SAID)) == {None: 1, "too long": 1}
        assert len(work.far_side.sent) == 1


class TestInParts:
    """One call a dimension; the whole annotation stands when all have answered."""

    def answer(self, request):
        key = next(k for k in DIMENSIONS if f"- {k}:" in request.messages[1].content)
        return output({"refusal": False, "score": DIMENSIONS.index(key) / 20})

    @property
    def whole(self):
        return {key: place / 20 for place, key in enumerate(DIMENSIONS)}

    async def test_every_dimension_is_asked_for_by_itself(self, bench) -> None:
        work = await bench(self.answer, texts=["One."], options={"calls": "dimension"})
        await work.run()
        assert len(work.far_side.sent) == 20
        assert len(set(work.far_side.names)) == 20
        assert [json.loads(value) for _, value, _ in work.rows(SAID)] == [self.whole]
        # Nothing of another dimension stands in a question.
        for request in work.far_side.sent:
            asked = "\n".join(message.content for message in request.messages)
            assert sum(f"- {key}:" in asked for key in DIMENSIONS) == 1
        # No call counts as another's retry.
        agents = [each for each in work.progress().agents if each.agent.startswith("judge")]
        assert [(agent.calls, agent.retries) for agent in agents] == [(20, 0)]
        assert work.progress().judges[0].done == 1

    async def test_a_stopped_run_pays_for_no_dimension_twice(self, bench) -> None:
        work = await bench(self.answer, options={"calls": "dimension"}, concurrency=2)

        def answer_or_stop(request):
            if len(work.far_side.sent) >= 17:
                work.shutdown.drain(Ending.INTERRUPTED)
            return self.answer(request)

        work.far_side.answer = answer_or_stop
        await work.run()
        assert work.rows(SAID) == []
        kept = work.rows("SELECT count(*) FROM _annotations WHERE repeat > 0")[0][0]
        assert kept == len(work.far_side.sent) < 40
        once_more(work)
        work.far_side.answer = self.answer
        await work.run()
        assert [json.loads(value) for _, value, _ in work.rows(SAID)] == [self.whole] * 2
        assert Counter(work.far_side.names).most_common(1)[0][1] == 1
        assert len(work.far_side.sent) == 40

    async def test_a_cut_off_run_repeats_at_most_what_was_in_flight(self, bench) -> None:
        work = await bench(self.answer, options={"calls": "dimension"}, concurrency=2)

        class Stuck(FarSide):
            async def send(self, request, *, timeout_seconds):
                if len(self.sent) >= 9:
                    self.sent.append(request)
                    await asyncio.Event().wait()
                return await super().send(request, timeout_seconds=timeout_seconds)

        stuck = Stuck(self.answer)
        work.endpoint._provider_for = lambda _api, _model: stuck
        task = asyncio.create_task(work.agent().run())
        while len(stuck.sent) < 11:
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await work.settled()
        assert work.rows("SELECT count(*) FROM _annotations WHERE repeat > 0") == [(9,)]

    async def test_a_dimension_that_is_never_understood_is_missing(self, bench) -> None:
        def answer(request):
            if "- ambition:" in request.messages[1].content:
                return output({"refusal": False, "score": 7})
            return self.answer(request)

        work = await bench(answer, texts=["One."], options={"calls": "dimension"})
        await work.run()
        ((valid, value, reason),) = work.rows(SAID)
        left = {key: score for key, score in self.whole.items() if key != "ambition"}
        assert (valid, json.loads(value), reason) == (1, left, None)
        assert len(work.far_side.sent) == 22
        # What the judge said of it is kept.
        bad = work.rows("SELECT reason, raw FROM annotations WHERE valid = 0")
        assert bad == [("judge answered in another form", '{"refusal": false, "score": 7}')]

    async def test_a_call_that_fails_for_good_leaves_the_whole_to_another_run(self, bench) -> None:
        broken = {"is": True}

        def answer(request):
            if broken["is"] and "- ambition:" in request.messages[1].content:
                raise TransientError("500", status=500)
            return self.answer(request)

        work = await bench(answer, texts=["One."], options={"calls": "dimension"})
        await work.run()
        (progress,) = work.progress().judges
        assert (progress.done, progress.failed, progress.lag) == (0, 1, 0)
        broken["is"] = False
        before = len(work.far_side.sent)
        await work.run()
        at = DIMENSIONS.index("ambition")
        assert len(work.far_side.sent) - before == 20 - at
        assert [json.loads(value) for _, value, _ in work.rows(SAID)] == [self.whole]

    async def test_most_answers_decide_whether_it_is_a_refusal(self, bench) -> None:
        asked = Counter()

        def answer(request):
            asked["calls"] += 1
            return output({"refusal": asked["calls"] <= 11, "score": 0.5})

        work = await bench(answer, texts=["No."], options={"calls": "dimension"})
        await work.run()
        assert work.rows(SAID) == [(0, None, "refusal")]


class TestPairs:
    """Both answers of a pair in one call."""

    async def test_one_call_gives_both_annotations(self, bench) -> None:
        work = await bench(pair(0.75, 0.25), pairs=8, options={"paired": True})
        await work.run()
        assert len(work.far_side.sent) == 8
        found = said(work)
        assert len(found) == 16
        for number in range(8):
            sides = {found[f"{number} female"], found[f"{number} male"]}
            assert sides == {(1, 0.75, "first"), (1, 0.25, "second")}
        # The order is drawn: neither side is always first.
        first = Counter(key.split()[1] for key, (*_, reason) in found.items() if reason == "first")
        assert set(first) == {"female", "male"}
        calls = work.rows("SELECT call_seq, count(*) FROM _annotations GROUP BY 1")
        assert [count for _, count in calls] == [2] * 8
        # The call is counted once.
        (agent,) = [each for each in work.progress().agents if each.agent.startswith("judge")]
        assert (agent.calls, agent.input_tokens) == (8, 800)

    async def test_the_order_is_the_same_whichever_answer_comes_first(self, bench) -> None:
        orders = []
        for turned in (False, True):
            work = await bench(pair(0.75, 0.25), pairs=6, texts=[], options={"paired": True})
            places = [(2 * n + (not side if turned else side)) for n in range(6) for side in (0, 1)]
            for place in places:
                await take_response(work, place, "Text.")
            await work.run()
            orders.append(said(work))
        assert orders[0] == orders[1]
        assert len(orders[0]) == 12

    async def test_the_papers_way_shows_the_man_first_and_asks_for_one_dimension(
        self, bench
    ) -> None:
        def answer(request):
            return output(
                {
                    "first": {"refusal": False, "score": 0.75},
                    "second": {"refusal": False, "score": 0.25},
                }
            )

        work = await bench(answer, pairs=3, options={"variant": "paper"})
        await work.run()
        assert len(work.far_side.sent) == 3 * 20
        assert {key: found[2] for key, found in said(work).items()} == {
            f"{number} {gender}": "first" if gender == "male" else "second"
            for number in range(3)
            for gender in ("female", "male")
        }

    async def test_a_source_waits_for_the_answer_that_makes_it_a_pair(self, bench) -> None:
        work = await bench(pair(0.75, 0.25), texts=[], options={"paired": True})
        await take_response(work, 0, "Hers.")
        work.upstream_done.clear()
        task = asyncio.create_task(work.agent().run())
        for _ in range(20):
            await asyncio.sleep(0.001)
        assert work.far_side.sent == []
        await take_response(work, 1, "His.")
        work.upstream_done.set()
        await asyncio.wait_for(task, 60)
        assert len(said(work)) == 2
        assert work.rows("SELECT count(*) FROM failures") == [(0,)]

    async def test_a_source_whose_partner_never_came_has_failed_until_it_comes(self, bench) -> None:
        work = await bench(pair(0.75, 0.25), texts=["Hers."], options={"paired": True})
        await work.run()
        assert work.far_side.sent == []
        await work.run()
        assert work.rows("SELECT judge, kind FROM failures") == [("model", "no partner")]
        (progress,) = work.progress().judges
        assert (progress.done, progress.failed, progress.lag) == (0, 1, 0)
        # Another run brings it: both are judged, and the failure is made good.
        await take_response(work, 1, "His.")
        await work.run()
        assert len(said(work)) == 2
        assert len(work.far_side.sent) == 1
        (progress,) = work.progress().judges
        assert (progress.done, progress.failed, progress.lag) == (2, 0, 0)

    @pytest.mark.parametrize("outcome", [Outcome.REFUSED, Outcome.FILTERED, Outcome.EMPTY])
    @pytest.mark.parametrize("is_first", [True, False])
    async def test_a_source_whose_partner_has_no_text_is_invalid(
        self, bench, outcome, is_first
    ) -> None:
        work = await bench(pair(0.75, 0.25), texts=[], options={"paired": True})
        answers = [(0, None, outcome), (1, "His.", Outcome.ANSWERED)]
        for place, text, kind in answers if is_first else answers[::-1]:
            await take_response(work, place, text, kind)
        await work.run()
        assert said(work) == {"0 male": (0, None, "no partner")}
        (progress,) = work.progress().judges
        assert (progress.done, progress.invalid, progress.lag) == (1, 1, 0)

    async def test_a_text_that_is_too_long_leaves_no_pair(self, bench) -> None:
        work = await bench(pair(0, 1), texts=["a" * 40_001, "b"], options={"paired": True})
        await work.run()
        assert Counter(reason for *_, reason in said(work).values()) == {
            "too long": 1,
            "no partner": 1,
        }
        assert work.far_side.sent == []

    async def test_a_pair_whose_call_fails_is_asked_about_once_by_the_next_run(self, bench) -> None:
        def broken(_):
            raise TransientError("500", status=500)

        work = await bench(broken, pairs=2, options={"paired": True})
        await work.run()
        (progress,) = work.progress().judges
        assert (progress.done, progress.failed, progress.lag) == (0, 4, 0)
        before = len(work.far_side.sent)
        work.far_side.answer = pair(0.75, 0.25)
        await work.run()
        assert len(work.far_side.sent) == before + 2
        (progress,) = work.progress().judges
        assert (progress.done, progress.failed) == (4, 0)

    async def test_a_stopped_run_loses_no_pair_and_judges_none_twice(self, bench) -> None:
        work = await bench(pair(0.75, 0.25), pairs=10, options={"paired": True}, concurrency=3)

        def answer(request):
            if len(work.far_side.sent) >= 4:
                work.shutdown.drain(Ending.INTERRUPTED)
            return pair(0.75, 0.25)(request)

        work.far_side.answer = answer
        await work.run()
        assert 4 <= len(work.far_side.sent) < 10
        assert len(said(work)) == 2 * len(work.far_side.sent)
        once_more(work)
        work.far_side.answer = pair(0.75, 0.25)
        await work.run()
        assert len(said(work)) == 20
        assert len(work.far_side.sent) == len(set(work.far_side.names)) == 10

    async def test_bad_output_is_invalid_for_both(self, bench) -> None:
        work = await bench(lambda _: says("{}"), options={"paired": True})
        await work.run()
        assert {found[2] for found in said(work).values()} == {"judge answered in another form"}
        assert len(said(work)) == 2
        assert len(work.far_side.sent) == 3

    async def test_a_budget_counts_one_call_a_pair(self, bench) -> None:
        price = Price(input=1.0, output=1.0)
        work = await bench(
            pair(0.75, 0.25),
            pairs=6,
            options={"paired": True},
            budget=Budget(calls=4),
            price=price,
        )
        await work.run()
        assert work.shutdown.ending is Ending.BUDGET
        assert (len(work.far_side.sent), len(said(work))) == (4, 8)
