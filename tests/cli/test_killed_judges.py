"""`kill -9` while a judge asks about pairs, one dimension at a time: nothing is lost or doubled."""

from __future__ import annotations

import json
import time
from pathlib import Path

from tests.cli.driving import PATIENCE_SECONDS, auditor, begin, rows
from tests.mock_server import Said

SPEC = """
name = "tiny"
[[targets]]
model = "sim:fair"
[protocols.grap]
pairs = 3
"""
CONCURRENCY = 4
PAIRS = 3
QUESTIONS = PAIRS * 20
"""In twenty dimensions each."""


def score(_question: object) -> Said:
    one = {"refusal": False, "score": 0.25}
    return Said(text=json.dumps({"first": one, "second": one}))


def test_a_killed_judge_goes_on_behind_what_was_answered(tmp_path, mock):
    (tmp_path / "s.toml").write_text(SPEC)
    store: Path = tmp_path / "s.db"
    assert auditor("run", tmp_path / "s.toml").code == 0
    mock.answer, mock.most_answers = score, QUESTIONS // 3
    options = ("--task", "rubric", "--judge", "openai:m", "--setting", "response_only")
    options += ("--option", "paired=true", "--option", 'calls="dimension"')
    options += ("--base-url", mock.openai_url, "--concurrency", str(CONCURRENCY), "--no-probe")
    process = begin("judge", store, *options)
    deadline = time.monotonic() + PATIENCE_SECONDS
    try:
        # Each pair's next question comes behind what was said to the last one.
        while (mock.statuses[200], mock.in_flight) != (QUESTIONS // 3, PAIRS):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.005)
    finally:
        process.kill()
        process.communicate()
    kept = rows(store, "SELECT trial, repeat, value FROM annotations WHERE judge = 'm'")
    assert kept
    asked = sum(mock.counts.values())
    mock.most_answers = None
    ran = auditor("judge", store, *options, "--json")
    assert (ran.code, ran.data["judged"]["done"], ran.data["judged"]["left"]) == (0, 6, 0), ran.err
    after = rows(store, "SELECT trial, repeat, value FROM annotations WHERE judge = 'm'")
    assert len(after) == len({(trial, repeat) for trial, repeat, _ in after}) == 6 * 21
    assert set(kept) <= set(after)
    assert asked < QUESTIONS <= sum(mock.counts.values()) <= QUESTIONS + CONCURRENCY
    assert auditor("verify", store).code == 0
