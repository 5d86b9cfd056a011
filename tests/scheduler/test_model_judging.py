"""Runs whose judges are models: planned, priced, probed, carried out, killed and resumed."""

import asyncio
import json
import signal
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from agents.judges.model import model_task
from agents.shutdown import Ending
from auditor.errors import UsageError
from auditor.scheduler.estimates import check_prices, expected, expected_judges
from auditor.scheduler.launch import launch
from auditor.scheduler.plan import make_plan
from auditor.spec.loading import parse_spec
from auditor.store.connection import connect
from auditor.store.progress import snapshot
from auditor.store.verification import verify
from tests.cli.driving import as_process, begin, serving
from tests.mock_server import QUIRKS, MockServer

SPEC = """
name = "judged"
seed = 3
judges = [{judges}]
{endpoints}
[[targets]]
name = "fair"
model = "sim:fair"
extra_body = {{men = 0.5, refusal = 0.1, neither = 0.1, noise = 0.1}}
{more}
[protocols."spatial.explicit"]
repetitions = {repetitions}
"""
RULES = '{task = "choice", name = "rules", judge = "rules"}'
SIM = '{task = "choice", name = "sim", model = "sim:judge"}'


def plan_of(*judges: str, repetitions: int = 2, endpoints: str = "", more: str = ""):
    text = SPEC.format(
        judges=", ".join(judges), repetitions=repetitions, endpoints=endpoints, more=more
    )
    return make_plan(parse_spec(text, "spec.toml"))


def carried_out(tmp_path: Path, plan, **options):
    store = tmp_path / "judged.db"
    end = launch(plan, store, say=lambda _: None, **options)
    return end, Rows(store)


class Rows:
    """Queries on a store that a run has left."""

    def __init__(self, store: Path) -> None:
        self.store = store

    def __call__(self, query: str):
        connection = connect(self.store, read_only=True)
        try:
            return connection.execute(query).fetchall()
        finally:
            connection.close()


class MockedRun:
    """A run over HTTP, with the mock server in a thread of its own."""

    def __init__(self, tmp_path: Path, **server) -> None:
        self.folder = tmp_path
        self.server = MockServer(**{"record": True, **server})

    def run(self, head: str, targets: str, *, tail: str = "", **options):
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_forever)
        thread.start()
        try:
            asyncio.run_coroutine_threadsafe(self.server.start(), loop).result()
            text = (
                f'name = "mocked"\n{head}\n'
                f'[endpoints.openai]\nprovider = "openai"\nbase_url = "{self.server.openai_url}"\n'
                f"concurrency = 8\n{tail}\n{targets}\n"
                '[protocols."spatial.explicit"]\nrepetitions = 1\nspaces = "private"\n'
            )
            plan = make_plan(parse_spec(text, "spec.toml"))
            store = self.folder / "mocked.db"
            self.end = launch(plan, store, say=lambda _: None, **options)
        finally:
            asyncio.run_coroutine_threadsafe(self.server.stop(), loop).result()
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()
        return Rows(store)


_JUDGE = "json_extract(\"group\", '$.judge')"
_JUDGED = "statistic <> 'truncated_rate'"
_PAIRS = """
    SELECT a.valid = b.valid AND a.value IS b.value, b.valid, json_extract(b.value, '$')
    FROM _annotations a JOIN judges j ON j.id = a.judge_id AND j.name = '{judge}'
    JOIN _annotations b ON b.source = a.source
    JOIN judges r ON r.id = b.judge_id AND r.name = 'rules'"""


def test_a_simulated_judge_is_as_wrong_as_it_was_planted(tmp_path) -> None:
    judge = SIM.replace('"}', '", extra_body = {judge_error = 0.2}}')
    end, rows = carried_out(tmp_path, plan_of(RULES, judge, repetitions=15))
    assert end.ending is Ending.COMPLETE
    pairs = rows(_PAIRS.format(judge="sim"))
    assert len(pairs) == 62 * 15
    wrong = sum(not same for same, _, _ in pairs) / len(pairs)
    assert abs(wrong - 0.2) < 4 * (0.2 * 0.8 / len(pairs)) ** 0.5
    # Right or wrong, all kinds of answers are equally likely to be misread.
    for label in ("men", "women", "refusal"):
        own = [same for same, _, value in pairs if value == label]
        share = 1 - sum(own) / len(own)
        assert abs(share - 0.2) < 4 * (0.2 * 0.8 / len(own)) ** 0.5


def test_a_simulated_judge_without_a_plant_reads_as_the_offline_one(tmp_path) -> None:
    _, rows = carried_out(tmp_path, plan_of(RULES, SIM))
    pairs = rows(_PAIRS.format(judge="sim"))
    assert len(pairs) == 124
    assert all(same for same, *_ in pairs)
    assert rows("SELECT DISTINCT reason FROM annotations WHERE judge = 'sim' AND valid = 0") == [
        ("undecidable",)
    ]


def test_an_order_preference_takes_the_first_label_of_the_schema(tmp_path) -> None:
    judge = SIM.replace('"}', '", extra_body = {order_preference = 1.0}}')
    _, rows = carried_out(tmp_path, plan_of(judge, repetitions=1))
    assert rows("SELECT DISTINCT value FROM annotations") == [('"men"',)]


def test_a_paired_judge_that_favours_the_first_answer_shows_so_much_order_effect(tmp_path) -> None:
    text = """
        name = "order"
        seed = 5
        [[judges]]
        task = "rubric"
        name = "pairs"
        model = "sim:j"
        setting = "full"
        options = {paired = true}
        extra_body = {first_gain = 0.1}
        [[targets]]
        name = "even"
        model = "sim:even"
        [protocols.grap]
        pairs = 9
    """
    end, rows = carried_out(tmp_path, make_plan(parse_spec(text, "spec.toml")))
    assert end.ending is Ending.COMPLETE
    ((value, low, high, n),) = rows(
        """SELECT value, ci_low, ci_high, n FROM statistics
        WHERE statistic = 'order_effect' AND json_extract("group", '$.dimension') IS NULL"""
    )
    assert n == 9  # too few for a probe, which would take a second
    assert 0 < low < 0.1 < high
    assert value == pytest.approx(0.1, abs=0.05)


def test_two_judges_of_one_task_give_rows_of_their_own(tmp_path) -> None:
    other = '{task = "choice", name = "second", model = "sim:other", '
    other += "extra_body = {judge_error = 0.5}}"
    end, rows = carried_out(tmp_path, plan_of(SIM, other, repetitions=5))
    counts = Counter(judge for (judge,) in rows(f"SELECT {_JUDGE} FROM statistics WHERE {_JUDGED}"))
    assert set(counts) == {"sim", "second"}
    assert min(counts.values()) > 62
    assert [(j.judge, j.done, j.lag) for j in end.progress.judges] == [
        ("sim", 310, 0),
        ("second", 310, 0),
    ]
    # Their errors are independent of each other: they are asked under names of their own.
    assert rows("SELECT count(DISTINCT call_seq) FROM _annotations") == [(620,)]


def test_a_run_repeated_gives_the_same_judgements(tmp_path) -> None:
    judge = SIM.replace('"}', '", extra_body = {judge_error = 0.5, fault_rate = 0.1}}')
    query = "SELECT trial, value FROM annotations ORDER BY trial"
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()
    first, second = (carried_out(folder, plan_of(judge))[1](query) for folder in folders)
    assert first == second
    assert len(first) == 124


def test_a_changed_judge_is_another_judge_and_the_old_ones_work_is_kept(tmp_path) -> None:
    carried_out(tmp_path, plan_of(SIM))
    renamed = SIM.replace('name = "sim"', 'name = "renamed"')
    _, rows = carried_out(tmp_path, plan_of(renamed))
    assert rows("SELECT count(*) FROM _annotations") == [(124,)]
    warmer = SIM.replace('"}', '", params = {temperature = 0.5}}')
    end, rows = carried_out(tmp_path, plan_of(warmer))
    assert rows("SELECT count(*) FROM _annotations") == [(248,)]
    assert [(judge.judge, judge.done) for judge in end.progress.judges] == [("sim", 124)]


def test_figures_of_a_simulated_judge_are_marked_as_simulated(tmp_path) -> None:
    with_server = MockedRun(tmp_path)
    rows = with_server.run(
        f"judges = [{RULES}, {SIM}]", '[[targets]]\nname = "t"\nmodel = "openai:t"'
    )
    marks = rows(f"SELECT DISTINCT {_JUDGE}, simulated FROM statistics WHERE {_JUDGED}")
    assert set(marks) == {("rules", 0), ("sim", 1)}
    # What rests on outcomes alone rests on no judge.
    marks = rows(f"SELECT DISTINCT {_JUDGE}, simulated FROM statistics WHERE NOT {_JUDGED}")
    assert marks == [(None, 0)]
    assert rows("SELECT simulated FROM runs") == [(1,)]


JUDGE = 'judges = [{task = "choice", name = "j", model = "openai:j"}]'
TARGET = '[[targets]]\nname = "t"\nmodel = "openai:t"'


def test_a_judges_model_is_asked_first_what_it_takes(tmp_path) -> None:
    # A server that takes no schema natively, by the judge's model alone.
    mocked = MockedRun(tmp_path, models={"j": "deepseek-words"})
    QUIRKS["deepseek-words"] = type(QUIRKS["plain"])(
        respond=QUIRKS["deepseek-reasoner"].respond,
    )
    try:
        rows = mocked.run(JUDGE, TARGET)
    finally:
        del QUIRKS["deepseek-words"]
    assert (
        dict(rows("SELECT model, json_extract(findings, '$.capabilities.schema') FROM profiles"))[
            "j"
        ]
        == "none"
    )
    bodies = [r.body for r in mocked.server.requests if r.body["model"] == "j"]
    asked = [body for body in bodies if "[begin " in json.dumps(body["messages"])]
    assert asked
    assert all("response_format" not in body for body in asked)


def test_a_parameter_that_the_judges_model_refuses_is_refused_before_it_is_sent(tmp_path) -> None:
    mocked = MockedRun(tmp_path, models={"j": "reasoning"})
    head = JUDGE.replace('"}', '", params = {temperature = 0.0}}')
    with pytest.raises(UsageError) as caught:
        mocked.run(head, TARGET)
    assert "judge choice/j: j does not take temperature = 0.0" in caught.value.message


def test_an_unknown_model_stops_its_judge_alone_and_is_no_failure(tmp_path) -> None:
    mocked = MockedRun(tmp_path, models={"j": "unknown-model"})
    rows = mocked.run(JUDGE, TARGET, probes=False)
    assert mocked.end.ending is Ending.INCOMPLETE
    (progress,) = mocked.end.progress.judges
    assert (progress.done, progress.failed, progress.lag) == (0, 0, 19)
    assert sum("judge choice/j: stopped" in alarm for alarm in mocked.end.progress.alarms) == 1
    # The target is not the judge's model, and went on.
    assert rows("SELECT count(*) FROM responses") == [(19,)]


def test_the_budget_holds_for_targets_and_judges_together(tmp_path) -> None:
    mocked = MockedRun(tmp_path)
    mocked.run(f"{JUDGE}\nbudget = {{calls = 25}}", TARGET, probes=False)
    assert mocked.end.ending is Ending.BUDGET
    assert sum(mocked.server.counts.values()) == 25
    assert mocked.end.progress.calls == 25


def test_judges_are_planned_and_priced() -> None:
    endpoints = '[endpoints.a]\nprovider = "anthropic"\nprice = {input = 1.0, output = 5.0}'
    judge = '{task = "choice", name = "j", model = "anthropic:m", endpoint = "a"}'
    plan = plan_of(judge, endpoints=endpoints, repetitions=10)
    total, by_target = expected(plan)
    found = expected_judges(plan)["choice/j"]
    assert (total.trials, total.calls) == (620, 1240)
    assert found.calls == 620
    (work,) = plan.model_judges
    text = "x" * (32 * 4)
    most_in = sum(len(m.content.encode()) + 16 for m in work.judge.messages(text))
    most_in += len(json.dumps(dict(work.judge.schema), separators=(",", ":")))
    assert found.tokens == 620 * (most_in + 256)
    assert found.cost_usd == pytest.approx(620 * (most_in * 1.0 + 256 * 5.0) / 1e6)
    assert total.cost_usd == pytest.approx(found.cost_usd + by_target["fair"].cost_usd)


def test_a_budget_in_money_needs_the_price_of_every_judge() -> None:
    judge = '{task = "choice", name = "j", model = "openai:nobody-knows", endpoint = "o"}'
    endpoints = '[endpoints.o]\nprovider = "openai"\nbase_url = "http://127.0.0.1:9/v1"'
    text = SPEC.format(judges=judge, repetitions=1, endpoints=endpoints, more="")
    plan = make_plan(parse_spec(text.replace("seed = 3", "budget = {usd = 1.0}"), "spec.toml"))
    with pytest.raises(UsageError) as caught:
        check_prices(plan)
    assert "openai:nobody-knows (judge choice/j)" in caught.value.message


def test_a_plan_keeps_every_file_that_its_judges_go_by() -> None:
    plan = plan_of('{task = "choice", name = "j", model = "openai:m"}')
    assert model_task("spatial.explicit", "choice").prompt in plan.materials
    assert "spatial/choice.toml" not in plan.materials
    # A simulated judge goes by what the offline judge reads, too.
    assert "spatial/choice.toml" in plan_of(SIM).materials


_KILLED = """
name = "killed"
seed = 1
judges = [{{task = "choice", name = "j", model = "openai:j", endpoint = "mock"}}]
[endpoints.mock]
provider = "openai"
base_url = "{url}/v1"
concurrency = 8
[[targets]]
name = "t"
model = "openai:t"
endpoint = "mock"
[protocols."spatial.explicit"]
repetitions = 2
"""


def test_a_killed_run_pays_again_for_nothing_but_what_was_in_flight(tmp_path) -> None:
    store, spec = tmp_path / "killed.db", tmp_path / "killed.toml"
    rows = Rows(store)
    # All answers and 40 judgements at the least; not all, for each comes behind its answer.
    with serving(most_answers=124 + 40, latency_seconds=0.01, jitter=0.5) as server:
        spec.write_text(_KILLED.format(url=server.url))
        process = begin("run", spec, "--no-probe")
        while not (_count(rows, "_annotations") >= 40 and _count(rows, "judging")):
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        held = dict(rows("SELECT source, value FROM _annotations"))
        in_flight = _count(rows, "judging")
        assert 40 <= len(held) < 124
        # A block with the workers, one that waits for them, one just journaled.
        assert 0 < in_flight <= 3 * 8
        server.most_answers = None
        resumed = as_process("resume", store, "--no-probe")
        assert resumed.code == 0, resumed.err
        by_name = dict(server.counts)
    final = dict(rows("SELECT source, value FROM _annotations"))
    assert len(final) == 124
    assert held.items() <= final.items()
    judged = {name for (name,) in rows("SELECT DISTINCT lower(hex(key)) FROM trials")}
    judgements = {name: calls for name, calls in by_name.items() if name not in judged}
    assert len(judgements) == 124
    assert max(judgements.values()) <= 2
    assert sum(calls - 1 for calls in judgements.values()) <= in_flight
    unknown = rows("SELECT count(*) FROM calls WHERE agent LIKE 'judge%' AND error_kind = 'died'")
    assert unknown == [(in_flight,)]
    assert rows("SELECT count(*) FROM judging") == [(0,)]
    connection = connect(store, read_only=True)
    try:
        assert [found for _, found in verify(connection) if found] == []
        assert snapshot(connection).state == "complete"
    finally:
        connection.close()


def _count(rows: Rows, table: str) -> int:
    """Rows that a store holds, which may not be there yet."""
    try:
        return rows(f"SELECT count(*) FROM {table}")[0][0]
    except Exception:  # being laid out at this very moment
        return 0
