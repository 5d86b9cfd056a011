"""The question before money goes: what counts as an answer, and that Ctrl-C always ends it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.cli.driving import PATIENCE_SECONDS, OnTerminal, environment

_ASK = (
    "import sys, typer\n"
    "from auditor.cli.question import is_agreed\n"
    "{before}\n"
    "try:\n"
    "    print(is_agreed('go on?'))\n"
    "except (KeyboardInterrupt, typer.Abort) as error:\n"
    "    print(type(error).__name__)\n"
)
_SIGNAL_JUST_BEFORE_THE_WAIT = (
    "import ctypes, functools, signal\n"
    # C code that C code calls: Python takes no step in which it could take up the signal.
    # `raise` gives 0, which is the descriptor of stdin.
    "class Stdin:\n"
    "    fileno = functools.partial(ctypes.CDLL(None)['raise'], signal.SIGINT)\n"
    "sys.stdin = Stdin()\n"
)


def asked(typed: str | None, before: str = "") -> tuple[str, str]:
    """What a process says that asks, with this typed; None leaves the input open and silent."""
    with subprocess.Popen(
        [sys.executable, "-c", _ASK.format(before=before)],
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            if typed is None:
                process.wait(PATIENCE_SECONDS)
            out, err = process.communicate(
                None if typed is None else typed.encode(), timeout=PATIENCE_SECONDS
            )
        finally:
            process.kill()
    return out.decode().strip(), err.decode()


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("y\n", "True"),
        (" YES \n", "True"),
        ("yes", "True"),
        ("n\n", "False"),
        ("No\r\n", "False"),
        ("\n", "False"),
        ("maybe\nja\ny\n", "True"),
        ("\u00ff\nn\n", "False"),
        ("", "Abort"),
        ("maybe", "Abort"),
    ],
)
def test_what_counts_as_an_answer(typed, answer):
    said, words = asked(typed)
    assert said == answer
    assert words.count("go on? [y/N]:") == 1 + words.count("please answer y or n")


def test_a_signal_between_the_last_step_and_the_wait_ends_the_question():
    said, words = asked(None, _SIGNAL_JUST_BEFORE_THE_WAIT)
    assert said == "KeyboardInterrupt"
    assert words.startswith("go on? [y/N]:")


def test_no_input_at_all_is_no_answer():
    assert asked("", "sys.stdin = None")[0] == "Abort"


@pytest.mark.parametrize(("key", "end"), [("\x03", "KeyboardInterrupt"), ("\x04", "Abort")])
def test_keys_that_leave_a_question(key, end):
    terminal = OnTerminal("-c", _ASK.format(before=""), command=(sys.executable,))
    terminal.wait_for("go on?")
    terminal.press(key)
    assert terminal.end() == 0
    assert terminal.words.strip().endswith(end)  # what the terminal echoes may come late
