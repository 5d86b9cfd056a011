"""The live view: how often it draws and reads, what it says, and that it never fails a run."""

import io
import threading
from collections.abc import Callable, Sequence

import pytest
from rich.console import Console

from auditor.live import LiveView, PlainView, View, open_view
from auditor.protocols.base import Headline
from auditor.store.status import Snapshot
from tests.live.screen import Screen
from tests.live.snapshots import HOSTILE, NOW, snapshot, target


class Clock:
    """A clock that only the test moves; one for both kinds of seconds."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def wall(self) -> float:
        return NOW + self.now


class Run:
    """A run that answers one more trial at every reading."""

    def __init__(self, clock: Clock, seconds: float = 0.0) -> None:
        self.clock = clock
        self.seconds = seconds
        self.readings: list[float] = []
        self.failure: Exception | None = None

    def read(self) -> tuple[Snapshot, Sequence[Headline]]:
        self.readings.append(self.clock.now)
        self.clock.now += self.seconds
        if self.failure is not None:
            raise self.failure
        return snapshot(target(responses=len(self.readings))), ()


class Terminal(io.StringIO):
    """A stream that counts writes that draw."""

    def __init__(self) -> None:
        super().__init__()
        self.draws = 0

    def write(self, text: str) -> int:
        self.draws += "\x1b[?7l" in text
        return super().write(text)


def opened(run: Run, **rest: float) -> tuple[LiveView, Terminal]:
    terminal = Terminal()
    console = Console(file=terminal, force_terminal=True, width=80, height=24, color_system=None)
    view = LiveView(run.read, console, clock=run.clock.monotonic, wall=run.clock.wall, **rest)
    return view, terminal


def drive(view: View, clock: Clock, seconds: float) -> int:
    """Call `tick` exactly when it asks to be called; how often that was."""
    end, calls = clock.now + seconds, 0
    while clock.now < end:
        before = clock.now
        wait = view.tick()
        calls += 1
        clock.now = max(before, clock.now) + wait
    return calls


def test_it_draws_at_most_four_times_a_second() -> None:
    run = Run(Clock())
    view, terminal = opened(run)
    drive(view, run.clock, 10.0)
    assert 38 <= terminal.draws <= 41
    assert 38 <= len(run.readings) <= 41


def test_a_caller_that_comes_too_early_draws_nothing() -> None:
    run = Run(Clock())
    view, terminal = opened(run)
    view.tick()
    for _ in range(20):
        run.clock.now += 0.01
        assert view.tick() == pytest.approx(0.25 - run.clock.now)
    assert terminal.draws == 1


@pytest.mark.parametrize("seconds", [0.05, 0.4, 2.0])
def test_slow_reading_takes_at_most_a_twentieth_of_the_time(seconds: float) -> None:
    run = Run(Clock(), seconds)
    view, _ = opened(run)
    drive(view, run.clock, 60 * seconds)
    assert len(run.readings) >= 3
    assert all(
        later - earlier >= 20 * seconds * 0.999
        for earlier, later in zip(run.readings, run.readings[1:], strict=False)
    )


def test_the_clock_on_the_screen_goes_on_while_reading_is_rare() -> None:
    run = Run(Clock(), seconds=2.0)
    view, terminal = opened(run)
    drive(view, run.clock, 30.0)
    assert len(run.readings) == 1
    assert 25 <= terminal.draws <= 32


def test_a_message_is_written_before_say_returns_and_needs_no_reading() -> None:
    run = Run(Clock())
    view, terminal = opened(run)
    view.tick()
    view.say("Ctrl-C: 12 calls are in flight")
    screen = Screen(80)
    screen.feed(terminal.getvalue())
    assert screen.lines[0] == "Ctrl-C: 12 calls are in flight"
    assert screen.lines[1].startswith("demo")
    assert len(run.readings) == 1


def test_a_message_is_shown_while_a_reading_hangs() -> None:
    clock, entered, leave = Clock(), threading.Event(), threading.Event()

    def read() -> tuple[Snapshot, Sequence[Headline]]:
        entered.set()
        assert leave.wait(60)
        return snapshot(target(responses=7)), ()

    terminal = Terminal()
    view = LiveView(
        read,
        Console(file=terminal, force_terminal=True, width=80, height=24),
        clock=clock.monotonic,
        wall=clock.wall,
    )
    view.start()
    assert entered.wait(60)
    view.say("stopping")
    assert "stopping" in terminal.getvalue()
    leave.set()
    view.stop()
    assert "7 / 1,860" in terminal.getvalue().replace("\x1b[2m", "").replace("\x1b[0m", "")


def test_stopping_reads_once_more_and_leaves_the_last_frame() -> None:
    run = Run(Clock())
    view, terminal = opened(run)
    view.tick()
    view.stop()
    view.stop()
    screen = Screen(80)
    screen.feed(terminal.getvalue())
    assert len(run.readings) == 2
    assert "2 / 1,860 trials" in screen.lines[1]
    assert screen.lines[-1] == ""
    assert screen.cursor_visible
    view.say("results follow")
    assert terminal.getvalue().endswith("results follow\n")


def test_a_thread_draws_and_is_gone_after_stop() -> None:
    run = Run(Clock())
    before = set(threading.enumerate())
    view, terminal = opened(run)
    with view:
        pass
    # Others may have ended meanwhile: those of processes that earlier tests have started.
    assert not set(threading.enumerate()) - before
    assert terminal.draws >= 1
    assert view.snapshot is not None


def test_reading_and_the_last_reading_happen_in_one_thread() -> None:
    run, threads = Run(Clock()), set()
    view, _ = opened(run)

    def read() -> tuple[Snapshot, Sequence[Headline]]:
        threads.add(threading.get_ident())
        return Run.read(run)

    view._reading._read = read
    with view:
        pass
    assert len(threads) == 1
    assert threading.get_ident() not in threads


def test_a_failure_is_said_once_recorded_and_tried_again() -> None:
    run = Run(Clock())
    run.failure = RuntimeError("disk \x1b[2J gone")
    view, terminal = opened(run)
    drive(view, run.clock, 20.0)
    said = terminal.getvalue()
    assert said.count("disk \\x1b[2J gone") == 1
    assert "the run goes on" in said
    assert view.problems == ["RuntimeError: disk \\x1b[2J gone"]
    run.failure = None
    drive(view, run.clock, 2.0)
    assert "trials" in terminal.getvalue()


def test_a_terminal_that_went_away_fails_nothing() -> None:
    run = Run(Clock())
    view, terminal = opened(run)
    view.tick()
    terminal.close()
    view.say("still here")
    drive(view, run.clock, 5.0)
    view.stop()
    assert len(view.problems) == 1


def test_a_resized_terminal_gets_a_frame_of_its_size() -> None:
    run = Run(Clock())
    view, terminal = opened(run)
    view.tick()
    view._console.width = 60
    run.clock.now += 1
    terminal.seek(0)
    terminal.truncate()
    view.tick()
    screen = Screen(60)
    screen.feed(terminal.getvalue())
    assert max(map(len, screen.lines)) <= 60


def test_hostile_messages_do_nothing() -> None:
    run = Run(Clock())
    view, terminal = opened(run)
    view.say(HOSTILE)
    assert "[bold red]markup[/bold red]" in terminal.getvalue()
    Screen(200).feed(terminal.getvalue())


@pytest.mark.parametrize(
    ("terminal", "term", "kind"),
    [(True, "xterm", LiveView), (True, "dumb", PlainView), (False, "xterm", PlainView)],
)
def test_the_view_suits_the_stream(
    terminal: bool, term: str, kind: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", term)
    console = Console(file=io.StringIO(), force_terminal=terminal)
    reader: Callable[[], tuple[Snapshot, Sequence[Headline]]] = Run(Clock()).read
    assert isinstance(open_view(reader, console), kind)
