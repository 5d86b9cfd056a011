"""What `run` and `resume` say before they begin: what is left to do, and what is done."""

from __future__ import annotations

import re

import pytest

from auditor.scheduler.estimates import expected
from auditor.scheduler.part import Part
from auditor.scheduler.plan import make_plan
from auditor.scheduler.remaining import remaining
from auditor.spec import load_spec
from tests.cli.driving import OnTerminal, auditor, laid_out, over_http, rows, simulated

DEAR = "price = {input = 0.0, output = 10000.0}"
PRICED = "price = {input = 1.0, output = 10.0}"
JUDGE = 'judges = [{task = "choice", model = "openai:j", endpoint = "mock"}]'


def first_line(ran) -> str:
    return ran.err.splitlines()[0]


def test_of_a_run_half_done_the_rest_is_quoted(tmp_path, mock):
    spec = over_http(tmp_path / "s.toml", mock.openai_url, endpoint=PRICED)
    whole = auditor("run", spec, "--limit", 2, "--no-probe")
    assert first_line(whole).startswith("tiny: 2 trials in 2 calls, at most ")
    assert first_line(whole).endswith(" USD; 4 are left for later")
    rest = auditor("resume", tmp_path / "s.db", "--no-probe")
    assert first_line(rest).startswith("tiny: 4 trials in 4 calls, at most ")
    assert first_line(rest).endswith(" USD; 2 of 6 trials are done")
    nothing = auditor("run", spec, "--no-probe")
    assert first_line(nothing) == "tiny: nothing is left to be sent; 6 of 6 trials are done"


def test_of_a_part_only_that_is_quoted(tmp_path, mock):
    spec = over_http(tmp_path / "s.toml", mock.openai_url, models=("a", "b"), endpoint=PRICED)
    ran = auditor("run", spec, "--only", "b", "--no-probe")
    assert first_line(ran).startswith("tiny: 6 trials in 6 calls, at most ")
    assert first_line(ran).endswith("; 6 are left for later")


def test_nobody_is_asked_about_what_was_paid_for_before(tmp_path, mock):
    spec = laid_out(over_http(tmp_path / "s.toml", mock.openai_url, endpoint=DEAR))
    auditor("run", spec, "--no-probe")
    terminal = OnTerminal("run", spec, "--no-probe")
    assert terminal.end() == 0, terminal.words
    assert "go on?" not in terminal.words


@pytest.mark.parametrize("limit", [1, 4, None])
def test_what_is_quoted_adds_up_to_the_whole(tmp_path, limit):
    plan = make_plan(
        load_spec(over_http(tmp_path / "s.toml", "http://127.0.0.1:9/v1", endpoint=PRICED))
    )
    left = remaining(plan, Part(trials=limit), tmp_path / "s.db")
    whole, _ = expected(plan)
    count = 6 if limit is None else limit
    assert (left.total.trials, left.total.calls, left.later) == (count, count, 6 - count)
    # Prompts differ in length by a few letters: a part is quoted at its dearest.
    assert left.total.cost_usd == pytest.approx(whole.cost_usd * count / 6, rel=0.01)
    assert left.total.cost_usd >= whole.cost_usd * count / 6


def test_judges_are_quoted_for_what_waits_and_what_comes(tmp_path, mock):
    spec = over_http(tmp_path / "s.toml", mock.openai_url, endpoint=PRICED, top=JUDGE)
    plan = make_plan(load_spec(spec))
    assert remaining(plan, Part(), tmp_path / "s.db").total.calls == 12
    assert remaining(plan, Part(trials=2), tmp_path / "s.db").total.calls == 4
    # Answers that no judge has read yet: of a run whose spec named none.
    own = over_http(tmp_path / "s.toml", mock.openai_url, endpoint=PRICED)
    auditor("run", own, "--no-probe", "--limit", 2)
    left = remaining(plan, Part(), tmp_path / "s.db")
    assert (left.total.trials, left.total.calls, left.done) == (4, 4 + 6, 2)


def test_the_quote_is_not_passed(tmp_path, mock):
    spec = over_http(tmp_path / "s.toml", mock.openai_url, endpoint=PRICED, top=JUDGE)
    auditor("run", spec, "--no-probe", "--limit", 2)
    before = rows(tmp_path / "s.db", "SELECT sum(cost_usd) FROM calls")[0][0]
    left = remaining(make_plan(load_spec(spec)), Part(), tmp_path / "s.db")
    auditor("resume", tmp_path / "s.db", "--no-probe")
    after = rows(tmp_path / "s.db", "SELECT sum(cost_usd) FROM calls")[0][0]
    assert left.total.calls == 8
    assert rows(tmp_path / "s.db", "SELECT count(*) FROM calls") == [(12,)]
    assert 0 < after - before <= left.total.cost_usd


def test_more_repetitions_are_what_is_left(tmp_path):
    spec = simulated(tmp_path / "s.toml")
    auditor("run", spec)
    ran = auditor("run", simulated(spec, repetitions=5))
    assert re.match(r"tiny: 9 trials in 9 calls, .*; 6 of 15 trials are done$", first_line(ran))
