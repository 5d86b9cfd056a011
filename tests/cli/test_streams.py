"""Data on stdout, words on stderr, wherever the two of them go."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.cli.driving import (
    SPACES,
    OnTerminal,
    as_process,
    auditor,
    begin,
    environment,
    laid_out,
    simulated,
)

COMMANDS_WITH_DATA = ("status", "stats", "verify", "plan", "list", "explain")


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A spec of nine trials whose run is complete."""
    spec = simulated(tmp_path_factory.mktemp("finished") / "s.toml", repetitions=3)
    assert auditor("run", spec).code == 0
    return spec


def arguments_of(command: str, spec) -> list[str]:
    store = str(spec.with_suffix(".db"))
    subject = {"plan": str(spec), "list": "protocols", "explain": "men_share"}.get(command, store)
    return [command, subject]


@pytest.mark.parametrize("command", COMMANDS_WITH_DATA)
def test_json_stands_alone_on_stdout(command, finished):
    ran = auditor(*arguments_of(command, finished), "--json")
    assert ran.code == 0
    assert json.loads(ran.out)
    assert ran.err == ""


@pytest.mark.parametrize("command", ["run", "resume"])
def test_a_run_prints_words_to_stderr_and_one_json_value_to_stdout(command, finished):
    subject = finished if command == "run" else finished.with_suffix(".db")
    ran = auditor(command, subject, "--json")
    assert ran.data["state"] == "complete"
    assert "tiny: nothing is left to be sent; 9 of 9 trials are done" in ran.err
    assert "{" not in ran.err


@pytest.mark.parametrize("command", COMMANDS_WITH_DATA)
def test_off_a_terminal_nothing_is_coloured_or_moved(command, finished):
    ran = auditor(*arguments_of(command, finished))
    assert ran.out.strip()
    assert "\x1b" not in ran.out + ran.err


@pytest.mark.parametrize("columns", ["40", "60", "100", "160"])
@pytest.mark.parametrize("command", COMMANDS_WITH_DATA)
def test_lines_keep_to_the_width_that_is_asked_for(command, columns, finished, monkeypatch):
    monkeypatch.setenv("COLUMNS", columns)
    ran = auditor(*arguments_of(command, finished))
    assert max(len(line) for line in ran.out.splitlines()) <= int(columns)


def test_stats_says_what_it_leaves_out_and_how_to_see_it(finished):
    store = finished.with_suffix(".db")
    overview = auditor("stats", store)
    every = auditor("stats", store, "--json").data
    assert f" of {len(every)} rows of spatial.explicit are not shown" in overview.out
    assert f"auditor stats {store} --statistic NAME, or --all" in overview.err
    one = auditor("stats", store, "--statistic", "binomial_p")
    assert one.out.count("space ") == len(SPACES)
    assert "not shown" not in one.out + one.err
    asked = ("--statistic", "edi", "--statistic", "edi_mean", "--protocol", "spatial.explicit")
    found = auditor("stats", store, *asked, "--json").data
    assert found == [row for row in every if row["statistic"] in ("edi", "edi_mean")]
    wrong = auditor("stats", store, "--statistic", "edi_men", "--json")
    assert wrong.code == 2
    assert "edi_mean" in wrong.problem["hint"]


def test_a_bare_environment_is_enough(finished):
    """No HOME, LANG=C and stdout in ASCII: what can't be encoded must not end a command."""
    env = {"HOME": None, "LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    for command in ("status", "stats"):
        ran = as_process(*arguments_of(command, finished), env=env)
        assert ran.code == 0, ran.err
        assert ran.out.isascii()
        assert "?" not in ran.out


def test_a_run_in_a_bare_environment_completes(tmp_path):
    env = {"HOME": None, "LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    ran = as_process("run", laid_out(simulated(tmp_path / "s.toml")), env=env)
    assert ran.code == 0, ran.err
    assert ran.err.isascii()


@pytest.mark.parametrize("command", ["stats", "status", "list"])
def test_a_reader_that_leaves_early_is_no_traceback(command, finished):
    process = subprocess.Popen(
        [sys.executable, "-m", "auditor", *arguments_of(command, finished), "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait() == 1


def test_a_run_goes_on_when_the_reader_of_its_words_leaves(tmp_path):
    """`auditor run SPEC 2>&1 >/dev/null | head -1`."""
    spec = laid_out(simulated(tmp_path / "s.toml", repetitions=5))
    process = begin("run", spec, "--json")
    process.stderr.close()
    assert json.loads(process.stdout.read())["state"] == "complete"
    process.stdout.close()
    assert process.wait() == 0


def test_a_full_stdout_is_one_sentence(finished):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "auditor", *arguments_of("stats", finished)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(),
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_terminal_is_coloured_unless_told_not_to_be(finished, monkeypatch):
    shown = {}
    for value in (None, "1"):
        if value is not None:
            monkeypatch.setenv("NO_COLOR", value)
        terminal = OnTerminal("status", finished.with_suffix(".db"))
        assert terminal.end() == 0
        shown[value] = terminal.seen
    assert "\x1b[3" in shown[None]
    assert "\x1b[3" not in shown["1"]
    assert "complete" in shown["1"]
