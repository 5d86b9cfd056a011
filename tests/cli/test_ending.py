"""What Ctrl-C does to a command that has ended, while its process does."""

from __future__ import annotations

import signal
import sys

import pytest

from auditor.__main__ import main


@pytest.mark.parametrize(
    ("given", "after"),
    [(signal.default_int_handler, signal.SIG_DFL), (signal.SIG_IGN, signal.SIG_IGN)],
    ids=["on a terminal", "in a shell's background"],
)
def test_it_ends_the_process_without_a_traceback(monkeypatch, capsys, given, after):
    monkeypatch.setattr(sys, "argv", ["auditor", "list", "no such thing"])
    before = signal.signal(signal.SIGINT, given)
    try:
        with pytest.raises(SystemExit) as ended:
            main()
        assert signal.getsignal(signal.SIGINT) is after
    finally:
        signal.signal(signal.SIGINT, before)
    assert ended.value.code == 2
