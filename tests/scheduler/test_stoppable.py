"""What each Ctrl-C does to work that it gives up."""

from __future__ import annotations

import asyncio
import signal

import pytest

from auditor.scheduler.stoppable import run_stoppable
from auditor.waiting import speak_by, speaker


@pytest.fixture
def said():
    """What is spoken meanwhile."""
    before, words = speaker(), []
    speak_by(words.append)
    yield words
    speak_by(before)


class Work:
    """Waits for ever; given up, it is pressed again so often before it has ended."""

    def __init__(self, again: int) -> None:
        self.again = again
        self.done: list[str] = []

    async def run(self) -> None:
        signal.raise_signal(signal.SIGINT)
        try:
            await asyncio.Event().wait()
        finally:
            for _ in range(self.again):
                signal.raise_signal(signal.SIGINT)
                # As giving a lock back does: something is waited for.
                await asyncio.to_thread(self.done.append, "closing")
            self.done.append("closed")


@pytest.mark.parametrize(
    ("again", "words"), [(0, []), (1, ["stopping (Ctrl-C again to leave at once)"])]
)
def test_given_up_it_ends_in_good_order_whether_pressed_once_or_twice(said, again, words):
    work = Work(again)
    with pytest.raises(KeyboardInterrupt):
        run_stoppable(work.run())
    assert work.done == [*["closing"] * again, "closed"]
    assert said == words
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_the_third_leaves_at_once(said):
    work, left = Work(2), []

    def leave(code: int) -> None:
        left.append((code, list(work.done)))

    with pytest.raises(KeyboardInterrupt):
        run_stoppable(work.run(), leave=leave)
    assert left == [(130, ["closing"])]
    assert said[-1] == "left at once"


def test_it_leaves_also_where_nothing_can_be_said(said, capfd):
    def mute(words: str) -> None:
        raise ImportError("in the midst of being loaded")

    speak_by(mute)
    left: list[int] = []
    with pytest.raises(KeyboardInterrupt):
        run_stoppable(Work(2).run(), leave=left.append)
    assert left == [130]
    assert capfd.readouterr().err.endswith("left at once\n")


def test_what_is_not_given_up_gives_its_result_or_its_error():
    async def seven() -> int:
        return 7

    async def cancelled() -> None:
        raise asyncio.CancelledError

    assert run_stoppable(seven()) == 7
    with pytest.raises(asyncio.CancelledError):
        run_stoppable(cancelled())
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_process_that_ignores_ctrl_c_goes_on_to():
    async def pressed() -> str:
        signal.raise_signal(signal.SIGINT)
        await asyncio.sleep(0)
        return "not given up"

    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert run_stoppable(pressed()) == "not given up"
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
