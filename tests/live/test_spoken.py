"""What others print while the view is on the terminal."""

import io
import sys

import pytest

from auditor.live.spoken import Spoken, StandardStreams


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_lines_are_said_whole() -> None:
    said: list[str] = []
    stream = Spoken(Terminal(), said.append)
    print("one\ntwo", file=stream)
    stream.write("thr")
    stream.write("ee\nfo")
    assert said == ["one", "two", "three"]
    stream.flush()
    stream.flush()
    assert said == ["one", "two", "three", "fo"]


def test_only_terminals_are_taken_and_all_are_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    out, err, said = io.StringIO(), Terminal(), []
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    streams = StandardStreams(said.append)
    streams.take()
    print("data")
    print("careful", file=sys.stderr)
    streams.give_back()
    print("message", file=sys.stderr)
    assert out.getvalue() == "data\n"
    assert said == ["careful"]
    assert err.getvalue() == "message\n"
    assert sys.stderr is err


def test_a_stand_in_that_was_replaced_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    streams = StandardStreams([].append)
    streams.take()
    other = io.StringIO()
    sys.stderr = other
    streams.give_back()
    assert sys.stderr is other
