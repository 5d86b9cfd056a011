"""Servers whose answers go wrong: for a moment, for good, or in a single field."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable

from auditor.store.connection import connect
from tests.cli.driving import serving
from tests.faults.audits import check_verified, repeats
from tests.faults.scenario import Found, Ground, scenario
from tests.faults.wires import (
    CHAT,
    SPACES,
    WIRES,
    Wire,
    calls_by_state,
    check_calls,
    check_complete,
    check_stopped,
    part,
    play,
    trials_of,
    write_parts,
    write_wires,
)
from tests.mock_server import Bucket, Faults, Quirk, Raw, openai_error
from tests.mock_server.faults import BROKEN, STATUSES
from tests.mock_server.quirks import PAGE

_MEASURED = (
    sys.executable,
    "-c",
    "import resource, subprocess, sys;"
    " code = subprocess.call([sys.executable, '-m', 'auditor', *sys.argv[1:]]);"
    " peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024;"
    " print(f'peak {peak}', file=sys.stderr); sys.exit(code)",
)
"""A command that says at its end how many MiB it has held."""
_NOT_BILLED = ("html", "html-502")
_PATIENCE = {"hang": 1, "drip": 1}
"""Seconds until a call's time is up, where it ends in nothing else."""
_HELD_MIB = 600
"""Ten calls at once, each with at most 32 MiB of an answer, on top of what a run holds."""


def _first_attempt(fault: str) -> Callable[[Ground], Found]:
    def play_it(ground: Ground) -> Found:
        """Every trial's first call fails, over each wire format and client; the second answers."""
        found, trials = Found(), trials_of()
        spec, store = ground.folder / "s.toml", ground.folder / "s.db"
        settings = f"timeout_seconds = {_PATIENCE.get(fault, 60)}\nconcurrency = 2"
        with serving(faults=Faults(script={1: fault})) as server:
            write_wires(spec, server.url, settings=settings)
            ran = play("run", spec, command=_MEASURED)
            check_complete(found, ran, store, trials)
            check_calls(found, store, server)
            found.repeated = repeats(server.counts) - trials
            found.expect(set(server.counts.values()) == {2}, f"calls a trial: {server.counts}")
        peak = int(ran.err.split()[-1])
        found.expect(peak < _HELD_MIB, f"{peak} MiB held")
        is_unknown = fault in BROKEN and fault not in _NOT_BILLED
        state = "unknown" if is_unknown else "failed"
        counted = calls_by_state(store)
        found.expect(counted == {"ok": trials, state: trials}, f"calls by state: {counted}")
        billed = "counted as maybe billed" if is_unknown else "counted as not billed"
        found.happened = f"{trials} calls fail, {billed}, and are made again; peak {peak} MiB"
        return found

    play_it.__name__ = f"answer_{fault}"
    return play_it


for _fault in (*STATUSES, *BROKEN):
    _words = f"an error {_fault}" if _fault in STATUSES else f"a server that {BROKEN[_fault]}"
    scenario(f"{_words}, at every first attempt")(_first_attempt(_fault))


def _always(raw: Raw) -> Quirk:
    return Quirk(respond=lambda body, wire: raw)


_FOR_GOOD = {
    "500": _always(openai_error(500, "The server had an error", kind="server_error")),
    "529": _always(openai_error(529, "Overloaded", kind="overloaded_error")),
    "page-200": _always(Raw(status=200, content=PAGE, headers={"Content-Type": "text/html"})),
    "page-502": _always(Raw(status=502, content=PAGE, headers={"Content-Type": "text/html"})),
    "garbled": _always(Raw(status=200, content=b"\x00\x01{")),
    "array": _always(Raw(status=200, content=b"[1, 2]")),
    "number": _always(Raw(status=200, content=b"42")),
    "string": _always(Raw(status=200, content=b'"Men"')),
    "no-choices": _always(Raw(status=200, content=b'{"choices": []}')),
}


@scenario("errors and broken answers that never end, nine kinds, each at an endpoint of its own")
def answers_broken_for_good(ground: Ground) -> Found:
    """Eight attempts a trial, each counted; failures said; a resume asks again and completes."""
    found = Found()
    spec, store = ground.folder / "s.toml", ground.folder / "s.db"
    trials = trials_of(CHAT) * len(_FOR_GOOD)
    with serving(models=_FOR_GOOD) as server:
        parts = [part(CHAT[0], server.url, name=name) for name in _FOR_GOOD]
        write_parts(spec, parts)
        begun = time.monotonic()
        ran = play("run", spec)
        took = time.monotonic() - begun
        found.codes.append(ran.code)
        found.expect(ran.code == 1, f"exit code {ran.code}: {ran.err[-300:]}")
        found.expect(ran.data["failures"] == trials, f"{ran.data['failures']} failures")
        found.expect(f"ended with {trials} trials without a response" in ran.err, ran.err[-300:])
        found.expect(set(server.counts.values()) == {8}, f"calls a trial: {server.counts}")
        check_calls(found, store, server)
        check_verified(found, store)
        server.models.clear()
        check_complete(found, play("resume", store), store, trials)
        check_calls(found, store, server)
    found.happened = (
        f"each of {trials} trials is tried 8 times within {took:.0f} s and counted as a failure;"
        " a resume at the healed server completes"
    )
    found.left = "resume"
    return found


@scenario("ten seconds of 500, 503 and 529 for every call, amid a run")
def burst_of_server_errors(ground: Ground) -> Found:
    """Every call is tried again until the server is well; nothing fails for good."""
    found = Found()
    spec, store = ground.folder / "s.toml", ground.folder / "s.db"
    trials = trials_of(repetitions=20)
    with serving(latency_seconds=0.02) as server:
        write_wires(spec, server.url, repetitions=20, settings="concurrency = 4")

        over = threading.Event()

        def burst() -> None:
            while server.statuses[200] < trials // 3:
                if over.wait(0.005):
                    return
            server.faults = Faults(rate=1.0, kinds=("500", "503", "529"))
            time.sleep(10)
            server.faults = Faults()

        weather = threading.Thread(target=burst)
        weather.start()
        try:
            check_complete(found, play("run", spec), store, trials)
        finally:
            over.set()
            weather.join()
        check_calls(found, store, server)
        refused = server.received - trials
    found.expect(refused > 0, "no call met the burst")
    found.happened = f"{refused} calls fail and are made again; all {trials} trials are answered"
    return found


def _storm(ground: Ground, settings: str) -> Found:
    """A token bucket of 50 calls a second that holds one second's worth."""
    found, rate = Found(), 50.0
    repetitions = 500
    spec, store = ground.folder / "s.toml", ground.folder / "s.db"
    trials = trials_of(WIRES[:2], repetitions)
    with serving(bucket=Bucket(rate, burst=rate)) as server:
        # One endpoint, two models: they share what it allows.
        wires = [Wire(name=name, provider="openai", api="chat", client="http") for name in "ab"]
        parts = [part(wires[0], server.url, settings=f"concurrency = 256\n{settings}")]
        second = part(wires[1], server.url).partition("[[targets]]")[2]
        parts.append(f"[[targets]]{second}".replace('endpoint = "b"', 'endpoint = "a"'))
        write_parts(spec, parts, repetitions=repetitions)
        check_complete(found, play("run", spec), store, trials)
        check_calls(found, store, server)
        rejected = server.statuses[429] / server.received
    connection = connect(store, read_only=True)
    try:
        (seconds,) = connection.execute(
            "SELECT max(e.at) FILTER (WHERE k.kind = 'response')"
            " - min(e.at) FILTER (WHERE k.kind = 'dispatched')"
            " FROM events e JOIN event_kinds k ON k.id = e.kind"
        ).fetchone()
    finally:
        connection.close()
    goodput = trials / seconds / rate
    found.expect(goodput >= 0.9, f"goodput is {goodput:.1%} of the bucket")
    found.expect(rejected < 0.03, f"{rejected:.2%} of the calls are rejected")
    found.happened = (
        f"{trials} trials in {seconds:.1f} s: goodput {goodput:.1%} of the bucket,"
        f" {rejected:.2%} of the calls rejected"
    )
    return found


@scenario("a storm of 429: 256 connections at a bucket of 50 a second, the limit in the spec")
def storm_with_a_limit(ground: Ground) -> Found:
    return _storm(ground, "requests_per_minute = 3000")


@scenario("a storm of 429: 256 connections at a bucket of 50 a second, no limit in the spec")
def storm_without_a_limit(ground: Ground) -> Found:
    return _storm(ground, "")


def _odd(name: str, value: object) -> Quirk:
    return Quirk(change=lambda payload, body: {**payload, name: value})


def _of_choices(**fields: object) -> Quirk:
    def change(payload: dict, body: dict) -> dict:
        for choice in payload.get("choices", ()):
            choice.update(fields)
        return payload

    return Quirk(change=change)


_ODD: dict[str, str | Quirk] = {
    "null-content": "content-null",
    "same-ids": "same-ids",
    "no-usage": "no-usage",
    "wrong-type": "wrong-type",
    "packed": "packed",
    "usage-in-words": _odd("usage", {"prompt_tokens": "9", "completion_tokens": "1"}),
    "usage-infinite": _odd("usage", {"prompt_tokens": float("inf"), "completion_tokens": 1}),
    "usage-negative": _odd("usage", {"prompt_tokens": -9, "completion_tokens": 10**30}),
    "finish-reason": _of_choices(finish_reason={"why": "stop"}),
    "logprobs": _of_choices(logprobs="none"),
    "model": _odd("model", "m\ud800\x00"),
}


@scenario("null content, equal ids, no usage, wrong content type, gzip, odd fields: eleven kinds")
def odd_fields(ground: Ground) -> Found:
    """An answer counts, once; a field that cannot be read is unknown; unsaid use stays reserved."""
    found = Found()
    spec, store = ground.folder / "s.toml", ground.folder / "s.db"
    trials = trials_of(CHAT) * len(_ODD)
    price = "price = {input = 1.0, output = 1.0}"
    with serving(models=_ODD) as server:
        parts = [part(CHAT[0], server.url, name=name, settings=price) for name in _ODD]
        write_parts(spec, ["budget = {usd = 1.0}\n", *parts])
        ran = play("run", spec)
        check_complete(found, ran, store, trials)
        check_calls(found, store, server)
        found.expect(set(server.counts.values()) == {1}, f"calls a trial: {server.counts}")
    if ran.code == 0:
        outcomes = {each["target"]: each["outcomes"] for each in ran.data["targets"]}
        empty = outcomes.pop("null-content")
        found.expect(empty == {"empty": 4}, f"null content: {empty}")
        others = {name: seen for name, seen in outcomes.items() if seen != {"answered": 4}}
        found.expect(not others, f"outcomes: {others}")
        unknown = _calls_without_usage(store)
        told = {"no-usage", "usage-in-words", "usage-infinite", "usage-negative"}
        found.expect(set(unknown) == told, f"calls without usage: {unknown}")
    found.happened = (
        f"all {trials} answers are kept, once; null content is empty; what cannot be read of usage"
        " stays counted as reserved"
    )
    return found


def _calls_without_usage(store: object) -> dict[str, int]:
    connection = connect(store, read_only=True)
    try:
        return dict(
            connection.execute(
                "SELECT endpoint, count(*) FROM calls"
                " WHERE reserved_tokens > 0 AND state = 'ok' GROUP BY 1"
            ).fetchall()
        )
    finally:
        connection.close()


@scenario("a server that gives one choice less than it was asked for")
def fewer_choices(ground: Ground) -> Found:
    """What is missing is asked for again, and nothing else."""
    found = Found()
    spec, store = ground.folder / "s.toml", ground.folder / "s.db"
    wires = [wire for wire in WIRES if wire.provider == "openai"]
    trials = trials_of(wires, repetitions=4)
    with serving(profile="one-choice-less") as server:
        write_wires(spec, server.url, repetitions=4, wires=wires, target="samples_per_request = 4")
        check_complete(found, play("run", spec), store, trials)
        check_calls(found, store, server)
        found.repeated = repeats(server.counts)
        calls = server.received
    # Of four three come, the last comes alone: two calls a cell, one trial in each asked for twice.
    cells = len(wires) * len(SPACES)
    found.expect(calls == 2 * cells, f"{calls} calls for {cells} cells")
    found.expect(found.repeated == cells, f"{found.repeated} trials were asked for again")
    found.happened = f"{calls} calls give {trials} answers: the missing choice is asked for again"
    return found


@scenario("a key that is refused, a quota that is used up, a model that is not there")
def refused_for_good(ground: Ground) -> Found:
    """No call is made twice; each target says why it has stopped."""
    found = Found()
    for quirk, words in (
        ("payment", "Insufficient credits"),
        ("quota", "exceeded your current quota"),
        ("unknown-model", "chat-http"),
        ("gateway-html-403", "502 Bad Gateway"),
    ):
        spec = ground.folder / f"{quirk}.toml"
        with serving(profile=quirk) as server:
            write_wires(spec, server.url, settings="concurrency = 1", wires=CHAT)
            ran = play("run", spec)
            check_stopped(found, ran, words, trials=trials_of(CHAT))
            check_calls(found, spec.with_suffix(".db"), server)
            found.expect(server.received == 1, f"{quirk}: {server.received} calls")
    found.happened = "one call each, one sentence each"
    found.left = "what the sentence says; resume"
    return found
