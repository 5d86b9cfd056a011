"""One frame of the dashboard: what it says, at every width and height."""

import io
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from auditor.live import UNKNOWN_RATES, Rates, render
from auditor.live.dashboard import share
from auditor.live.glyphs import ASCII, UNICODE, Glyphs, speaks_ascii_only
from auditor.protocols.base import Headline
from auditor.store.status import Snapshot
from tests.live.snapshots import (
    HOSTILE,
    NOW,
    agent,
    busy_snapshot,
    error,
    gauge,
    headline,
    judge,
    snapshot,
    target,
)

WIDTHS = [60, 80, 100, 160, 200]
HEADLINES = (headline(), headline("biased spaces", 41.0, ci_low=None, ci_high=None, total=62))


def drawn(
    seen: Snapshot,
    headlines: tuple[Headline, ...] = (),
    rates: Rates = UNKNOWN_RATES,
    *,
    width: int = 120,
    height: int | None = None,
    glyphs: Glyphs = UNICODE,
    **console: object,
) -> str:
    settings: dict[str, object] = {"force_terminal": True, "color_system": None} | console
    file = io.StringIO()
    rich_console = Console(file=file, width=width, **settings)
    rich_console.print(
        render(seen, headlines, rates, width=width, now=NOW, height=height, glyphs=glyphs)
    )
    return file.getvalue()


def line_with(text: str, words: str) -> str:
    (line,) = [line for line in text.splitlines() if words in line]
    return line


def row_of(text: str, name: str) -> str:
    """The progress row of a target or a judge."""
    (line,) = [x for x in text.splitlines() if x[2:].startswith(f"{name} ") and " / " in x]
    return line


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_no_line_is_wider_than_the_terminal(width: int, glyphs: Glyphs) -> None:
    text = drawn(busy_snapshot(), HEADLINES, width=width, glyphs=glyphs, color_system="standard")
    plain = drawn(busy_snapshot(), HEADLINES, width=width, glyphs=glyphs, no_color=True)
    assert "\x1b[" in text
    assert max(cell_len(line) for line in _unstyled(text).splitlines()) <= width
    assert max(cell_len(line) for line in _unstyled(plain).splitlines()) <= width
    if glyphs is ASCII:
        assert text.isascii()


@pytest.mark.parametrize("width", WIDTHS)
def test_the_key_facts_are_there_at_every_width(width: int) -> None:
    rates = Rates(calls=84.2, targets={"llama": 43.2}, seconds_left=65)
    text = _unstyled(drawn(busy_snapshot(simulated=True), HEADLINES, rates, width=width))
    for fact in (
        "demo",
        "SIMULATED",
        "running",
        "elapsed 1:12",
        "left 1:05",
        "speed 84.2/s",
        "spent 1.23 of 5.00 USD (0.04 reserved)",
        "of 20,000 calls",
        "1,662",  # responses
        "1,204 / 2,230",
        "1,100 / 2,230",
        "43.2/s",
        "104",  # lag
        "goes on in 0:13",
        "3 trials of llama failed for good",
        "0.623 [0.595, 0.651]",
        "41 of 62",
        "503: overl",
        "2 calls of unknown outcome",
    ):
        assert fact in text, fact


def test_a_wide_terminal_shows_every_column() -> None:
    text = drawn(busy_snapshot(), width=160)
    heads = line_with(text, "targets").split("  ")
    assert [head.strip() for head in heads if head.strip()] == [
        "targets",
        "answered",
        "speed",
        "in flight",
        "429s",
        "retries",
        "failed",
        "no text",
        "left",
    ]
    row = row_of(text, "llama")
    assert row.split()[2:] == [
        "53",
        "%",
        "1,204",
        "/",
        "2,230",
        "—",
        "4/8",
        "14",
        "25",
        "3",
        "4",
        "—",
    ]


def test_failures_are_seen_on_the_narrowest_terminal() -> None:
    assert row_of(drawn(busy_snapshot(), width=50), "llama").rstrip().endswith(" 3")


def test_a_simulated_run_says_so_beside_its_name_and_its_figures() -> None:
    seen = snapshot(replace(target(responses=3), simulated=True), simulated=True)
    text = drawn(seen, HEADLINES)
    assert " SIMULATED " in line_with(text, "demo")
    assert " SIMULATED " in line_with(text, "figures so far")
    assert "SIMULATED" not in drawn(snapshot(target(responses=3)), HEADLINES)


def test_what_is_unknown_is_a_dash_and_never_zero() -> None:
    text = drawn(
        snapshot(target(responses=3), started_at=None), (headline(value=None, ci_low=None, n=0),)
    )
    assert "elapsed —" in text
    assert "left —" in text
    assert "spent unknown (no price)" in text
    assert "—  n 0" in text


@pytest.mark.parametrize(
    "times", [{"started_at": NOW + 3600}, {"state": "complete", "ended_at": NOW - 7200}]
)
def test_how_long_it_took_is_unknown_where_the_clock_was_set_back(times) -> None:
    assert "elapsed —" in drawn(snapshot(target(), **times))


def test_zero_cost_is_not_unknown_cost() -> None:
    assert "spent 0.00 USD" in drawn(snapshot(target(), cost_usd=0.0))


def test_a_wait_counts_down_and_is_over_when_its_time_has_come() -> None:
    wait = gauge("openai", waiting_until=NOW + 59.2, reason="rate limit")
    assert "openai goes on in 1:00: rate limit" in drawn(snapshot(target(), endpoints=(wait,)))
    over = gauge("openai", waiting_until=NOW - 0.1, reason="rate limit")
    assert "rate limit" not in drawn(snapshot(target(), endpoints=(over,)))


def test_an_endpoint_that_stopped_is_named_with_its_reason_also_after_the_end() -> None:
    stopped = gauge("openai", reason="the key is refused", is_stopped=True)
    for state in ("running", "incomplete"):
        text = drawn(snapshot(target(), endpoints=(stopped,), state=state))
        assert "openai has stopped: the key is refused" in text


def test_nothing_waits_in_a_run_that_has_ended() -> None:
    wait = gauge("openai", waiting_until=NOW + 59.2, reason="rate limit")
    seen = snapshot(target(), endpoints=(wait,), state="interrupted", ended_at=NOW - 60)
    text = drawn(seen, rates=Rates(calls=3.0, seconds_left=5))
    assert "rate limit" not in text
    assert "elapsed 0:12" in text
    assert "left" not in line_with(text, "elapsed")


def test_a_shared_endpoint_is_marked_and_explained() -> None:
    agents = (agent("generator:a", "one"), agent("judge:choice/rules", "one"))
    seen = snapshot(target("a", 1), judges=(judge(1),), agents=agents, endpoints=(gauge("one"),))
    text = drawn(seen)
    assert "4/8*" in row_of(text, "a")
    assert "one serves a, choice/rules" in line_with(text, "* in flight")
    alone = drawn(snapshot(target("a", 1), agents=agents[:1], endpoints=(gauge("one"),)))
    assert "*" not in alone


def test_a_target_with_several_protocols_is_one_row_and_its_parts_below() -> None:
    text = drawn(snapshot(target("a", 10, 100), target("a", 5, 50, protocol="stories")))
    assert "15 / 150" in row_of(text, "a")
    assert "5 / 50" in line_with(text, "    stories")
    done = drawn(snapshot(target("a", 100, 100), target("a", 50, 50, protocol="stories")))
    assert "stories" not in done


def test_equal_errors_in_a_row_are_counted() -> None:
    text = drawn(snapshot(target(), errors=(error(), error(at=NOW - 3), error("other"))))
    assert "3 s ago  transient ×2  llama  503: overloaded" in text
    assert text.count("503") == 1


@pytest.mark.parametrize("height", [8, 12, 20, 24, 40])
def test_more_targets_than_lines_shows_the_busiest_and_sums_the_rest(height: int) -> None:
    targets = [target(f"model-{n:02}", min(1860, 60 * n)) for n in range(50)]
    rates = Rates(targets={t.target: 1.0 for t in targets} | {"model-07": 90.0})
    seen = snapshot(*targets, errors=(error(),), judges=(judge(100),))
    text = drawn(seen, tuple(headline(target=t.target) for t in targets), rates, height=height)
    lines = text.splitlines()
    assert len(lines) <= height
    if height >= 12:
        assert "420 / 1,860" in row_of(text, "model-07")
        shown = sum("model-" in line and "/ 1,860" in line for line in lines)
        rest = line_with(text, f"and {50 - shown} more ")
        assert f"/ {1860 * (50 - shown):,}" in rest


def test_everything_is_shown_where_there_is_room() -> None:
    text = drawn(busy_snapshot(), HEADLINES, height=60)
    assert text == drawn(busy_snapshot(), HEADLINES)


def test_no_color_leaves_no_color() -> None:
    text = drawn(busy_snapshot(), HEADLINES, color_system="standard", no_color=True)
    assert not any(f"\x1b[{code}m" in text for code in range(30, 38))
    assert "━" in text
    assert "─" in text


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_hostile_text_does_nothing(width: int, glyphs: Glyphs) -> None:
    seen = snapshot(
        target(HOSTILE, 5),
        run=HOSTILE,
        judges=(judge(1, task=HOSTILE, judge=HOSTILE),),
        agents=(agent(f"generator:{HOSTILE}", HOSTILE),),
        endpoints=(gauge(HOSTILE, reason=HOSTILE),),
        errors=(error(HOSTILE, agent=HOSTILE, kind=HOSTILE),),
        alarms=(HOSTILE,),
    )
    text = drawn(seen, (headline(HOSTILE, target=HOSTILE),), width=width, glyphs=glyphs)
    text.encode("ascii" if glyphs is ASCII else "utf-8")
    for bad in "\x07\x00\r\u202e\ud800\U000e0041":
        assert bad not in text
    assert "\x1b[2J" not in text
    assert "\x1b]" not in text
    assert max(cell_len(line) for line in _unstyled(text).splitlines()) <= width
    if width == 200:
        assert "[bold red]markup[/bold red]" in text


@settings(max_examples=30, deadline=None)
@given(st.text(st.characters(exclude_categories=()), max_size=40), st.integers(20, 120))
def test_any_name_fits_any_width(name: str, width: int) -> None:
    seen = snapshot(target(name, 5), run=name, alarms=(name,), errors=(error(name),))
    text = _unstyled(drawn(seen, (headline(name, target=name),), width=width))
    assert max(cell_len(line) for line in text.splitlines()) <= width


@pytest.mark.parametrize(
    ("encoding", "environ", "ascii_only"),
    [
        ("utf-8", {"LANG": "en_US.UTF-8"}, False),
        ("utf-8", {}, False),
        ("utf-8", {"LANG": "C"}, True),
        ("utf-8", {"LC_ALL": "POSIX", "LANG": "en_US.UTF-8"}, True),
        ("utf-8", {"LC_ALL": "C.UTF-8", "LANG": "C"}, False),
        ("UTF8", {}, False),
        ("ascii", {"LANG": "en_US.UTF-8"}, True),
        ("iso-8859-1", {}, True),
    ],
)
def test_ascii_terminals_are_known_by_encoding_or_locale(
    encoding: str, environ: dict[str, str], ascii_only: bool
) -> None:
    assert speaks_ascii_only(encoding, environ) is ascii_only


def test_room_is_shared_fairly_and_never_passed() -> None:
    assert share(100, [10, 5, 5, 3], leasts=(4, 4, 4, 3)) == [10, 5, 5, 3]
    assert share(3, [10, 5, 5, 3], leasts=(4, 4, 4, 3)) == [0, 0, 0, 3]
    assert share(8, [10, 5, 5, 3], leasts=(4, 4, 4, 3)) == [4, 4, 0, 0]
    shares = share(24, [60, 5, 40, 6], leasts=(4, 4, 4, 3))
    assert sum(shares) == 24
    assert shares[0] > shares[2] >= shares[1]
    assert share(0, [0, 0, 0, 0], leasts=(4, 4, 4, 3)) == [0, 0, 0, 0]


def _unstyled(text: str) -> str:
    from rich.text import Text

    return Text.from_ansi(text).plain


def test_simulated_targets_beside_real_ones_are_marked_one_by_one() -> None:
    text = drawn(
        snapshot(
            replace(target("planted"), simulated=True),
            replace(target("planted", protocol="stories"), simulated=True),
            replace(target("other"), simulated=True),
            target("llama"),
            simulated=True,
        ),
        [headline(target="planted"), headline(target="llama")],
    )
    assert "2 of 3 targets SIMULATED" in text.splitlines()[0]
    rows = text[: text.index("figures so far")]
    assert "planted SIM" in rows
    assert "other SIM" in rows
    assert "llama SIM" not in rows
    figures = text[text.index("figures so far") :]
    assert "planted SIM" in figures
    assert "llama SIM" not in figures


def test_a_simulated_judge_of_real_targets_is_named_as_what_it_is() -> None:
    text = drawn(snapshot(target("llama"), simulated=True))
    assert "SIMULATED JUDGE" in text.splitlines()[0]
    assert "llama SIM" not in text


def test_one_of_anything_is_said_in_the_singular() -> None:
    seen = snapshot(target(responses=1, planned=1), retries=1, calls=1, input_tokens=1)
    text = drawn(replace(seen, agents=(agent("generator:llama", unknown=1),)), width=160)
    assert "1 / 1 trial\n" in text
    for said in ("1 call ", "1 retry ", "1 call of unknown outcome", "1 token in, 0 out"):
        assert said in text, said


@pytest.mark.parametrize("width", [40, 60])
def test_a_narrow_terminal_cuts_no_figure_and_no_state(width: int) -> None:
    seen = busy_snapshot(simulated=True)
    long = [headline("biased spaces (BH, prompt 1, T 1)", 41.0, total=62), headline()]
    text = drawn(seen, long, width=width)
    for fact in ("running", "SIMULATED JUDGE", "llama", "41 of 62", "[0.595, 0.651]", "n 1,150"):
        assert fact in text, fact
    assert "503: overloaded" in text
    assert "429: slow down" in text


@pytest.mark.parametrize("width", [40, 60, 80, 100])
def test_names_of_targets_are_never_cut_to_the_same(width: int) -> None:
    names = [f"meta-llama/Meta-Llama-3.1-{size}-Instruct-Turbo" for size in ("70B", "8B", "405B")]
    text = drawn(snapshot(*(target(name) for name in names)), width=width)
    rows = [line.split()[0] for line in text.splitlines() if line.startswith("  meta")]
    assert len(set(rows)) == len(rows) == 3


def test_an_endpoint_that_is_slowed_down_has_not_stopped() -> None:
    slowed = gauge("openai", reason="429: held to 46 calls a second")
    text = drawn(snapshot(target(), endpoints=(slowed,)))
    assert "openai: 429: held to 46 calls a second" in text
    assert "stopped" not in text
