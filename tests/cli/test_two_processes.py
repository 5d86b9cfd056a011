"""A second process beside a run: another writer is refused, readers look on."""

from __future__ import annotations

import json
import platform
import re
import time
from contextlib import contextmanager

import pytest

from tests.cli.driving import (
    PATIENCE_SECONDS,
    auditor,
    begin,
    contents,
    laid_out,
    over_http,
    serving,
)

ANSWERED = 10


@contextmanager
def another_run(folder):
    """120 trials in another process, a few answered while it is looked at, and sound in the end.

    Gives the spec, the server and the process.
    """
    with serving(most_answers=ANSWERED) as server:
        spec = laid_out(
            over_http(
                folder / "s.toml",
                server.openai_url,
                repetitions=40,
                endpoint="concurrency = 2",
            )
        )
        process = begin("run", spec, "--no-probe", "--json")
        while (server.statuses[200], server.in_flight) != (ANSWERED, 2):
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.02)
        try:
            yield spec, server, process
        finally:
            server.most_answers = None
            out, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 0, err
    status = json.loads(out)
    assert (status["state"], status["responses"]) == ("complete", 120)
    assert set(server.counts.values()) == {1}
    assert auditor("verify", spec.with_suffix(".db")).code == 0


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    """A run that goes on during all tests that share it."""
    with another_run(tmp_path_factory.mktemp("running")) as run:
        yield run


@pytest.fixture
def ending(tmp_path):
    """A run that its test may bring to its end."""
    with another_run(tmp_path) as run:
        yield run


def test_a_second_writer_exits_2_naming_the_first(running):
    spec, _, process = running
    store = spec.with_suffix(".db")
    for arguments in (["run", spec], ["resume", store], ["doctor", spec]):
        ran = auditor(*arguments)
        assert ran.code == 2
        said = f"the store is being written by process {process.pid} on {platform.node()}, since "
        assert said in ran.err
        assert re.search(r"since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d", ran.err)


def test_readers_look_on_and_store_nothing(running):
    spec, _, _ = running
    store = spec.with_suffix(".db")
    status = auditor("status", store, "--json").data
    assert status["state"] == "running"
    assert status["responses"] == ANSWERED
    stats = auditor("stats", store, "--json")
    assert stats.code == 0
    assert "were not stored" in stats.err
    assert isinstance(stats.data, list)
    assert "running" in auditor("status", store).out


def test_watch_ends_when_the_run_does(ending):
    spec, server, process = ending
    watcher = begin("watch", spec.with_suffix(".db"), "--json")
    while not watcher.stderr.readline().startswith("tiny running"):
        assert watcher.poll() is None
    server.most_answers = None
    process.wait(timeout=PATIENCE_SECONDS)
    out, err = watcher.communicate(timeout=PATIENCE_SECONDS)
    assert watcher.returncode == 0
    assert json.loads(out)["state"] == "complete"
    assert "tiny complete" in err


def test_watching_a_finished_run_shows_its_end_at_once(tmp_path, mock):
    spec = over_http(tmp_path / "s.toml", mock.openai_url)
    auditor("run", spec, "--no-probe")
    before = contents(tmp_path)
    ran = auditor("watch", spec.with_suffix(".db"))
    assert ran.code == 0
    assert ran.err.count("tiny complete") == 1
    assert contents(tmp_path) == before
