"""Off a terminal: one line now and then, and messages at once."""

import io
from dataclasses import replace

from auditor.live import PlainView
from auditor.live.glyphs import UNICODE
from auditor.live.plain import progress_line
from auditor.live.rates import Rates
from auditor.store.status import Snapshot
from tests.live.snapshots import HOSTILE, NOW, busy_snapshot, gauge, judge, snapshot, target


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def wall(self) -> float:
        return NOW + self.now


def opened(clock: Clock, stream: io.StringIO) -> PlainView:
    def read() -> tuple[object, tuple[()]]:
        return snapshot(target(responses=int(4 * clock.now))), ()

    return PlainView(read, stream, clock=clock.monotonic, wall=clock.wall)


def test_a_line_every_ten_seconds_and_a_look_every_second() -> None:
    clock, stream = Clock(), io.StringIO()
    view = opened(clock, stream)
    while clock.now < 35:
        wait = view.tick()
        assert 0 < wait <= 1
        clock.now += wait
        view.tick()
        assert view.snapshot == snapshot(target(responses=int(4 * clock.now)))
    view.stop()
    view.stop()
    lines = stream.getvalue().splitlines()
    assert len(lines) == 5
    assert "0/1,860 trials (0 %)" in lines[0]
    assert "40/1,860 trials (2 %), speed 4.0/s, left 7:35" in lines[1]


def test_a_message_is_written_at_once() -> None:
    clock, stream = Clock(), io.StringIO()
    opened(clock, stream).say("stopping\x1b[2J")
    assert stream.getvalue() == "stopping\\x1b[2J\n"


def _with_one_simulated() -> Snapshot:
    seen = busy_snapshot(simulated=True)
    targets = tuple(replace(t, simulated=t.target == "gpt-4o-mini") for t in seen.targets)
    return replace(seen, targets=targets)


def test_a_run_of_simulated_targets_alone_is_simulated() -> None:
    seen = snapshot(replace(target(), simulated=True), simulated=True)
    assert progress_line(seen, Rates(), NOW, UNICODE).startswith("demo [SIMULATED] running")


def test_the_line_holds_what_matters_and_is_one_line() -> None:
    line = progress_line(_with_one_simulated(), Rates(calls=84.2, seconds_left=65), NOW, UNICODE)
    assert line == (
        "demo [1 of 3 targets SIMULATED] running 1:12, 1,662/4,460 trials (37 %), "
        "1,109/2,600 judged, speed 84.2/s, "
        "left 1:05, 3 failed, 0 retries, spent 1.23 of 5.00 USD (0.04 reserved), "
        "openai goes on in 0:13: rate limit (429), "
        "ALARM: 3 trials of llama failed for good, more than the spec tolerates"
    )


def test_one_of_anything_is_said_in_the_singular() -> None:
    seen = snapshot(target(responses=1, planned=1), retries=1)
    line = progress_line(seen, Rates(), NOW, UNICODE)
    assert "1/1 trial (100 %)" in line
    assert "1 retry," in line


def test_hostile_text_stays_on_its_line() -> None:
    seen = snapshot(
        target(), run=HOSTILE, alarms=(HOSTILE,), endpoints=(gauge(HOSTILE, reason=HOSTILE),)
    )
    line = progress_line(seen, Rates(), NOW, UNICODE)
    assert line.isprintable()


def test_a_run_that_has_ended_has_no_speed() -> None:
    seen = snapshot(target(responses=5), state="complete", ended_at=NOW - 62, judges=(judge(5),))
    line = progress_line(seen, Rates(calls=3.0, seconds_left=5.0), NOW, UNICODE)
    assert "complete 0:10" in line
    assert "/s" not in line
    assert "left" not in line


def test_a_stream_that_knows_ascii_only_gets_ascii() -> None:
    clock = Clock()
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    view = opened(clock, stream)
    view.say("漢 — ok")
    view.tick()
    assert view.problems == []
    stream.seek(0)
    assert stream.readline() == "\\u6f22 - ok\n"


def test_a_closed_stream_fails_nothing() -> None:
    clock, stream = Clock(), io.StringIO()
    view = opened(clock, stream)
    stream.close()
    view.tick()
    view.say("hello")
    view.stop()
    assert len(view.problems) == 1
