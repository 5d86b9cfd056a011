"""Stores with damaged bytes: cut off, or with single bits turned over."""

from __future__ import annotations

import random
import re
import sqlite3
from collections import Counter
from pathlib import Path

from tests.cli.driving import Ran, auditor
from tests.faults.audits import command, write_spec
from tests.faults.scenario import Found, Ground, scenario
from tests.killing import mock_server

_LOOKING = ("status", "stats", "verify", "show", "watch")


def _finished(ground: Ground) -> Path:
    with mock_server() as url:
        spec = write_spec(ground.folder / "s.toml", url, repetitions=1)
        ran = command("run", spec, "--no-probe")
    assert ran.code == 0, ran.err
    return spec.with_suffix(".db")


def _check_quiet(found: Found, name: str, ran: Ran, what: str) -> None:
    found.expect("Traceback" not in ran.err, f"{name}, {what}: {ran.err[-400:]}")
    found.expect("unexpected" not in ran.err, f"{name}, {what}: {ran.err[-400:]}")
    found.expect("STORE" not in ran.err, f"{name}, {what}: the store isn't named: {ran.err[-200:]}")
    errors = ran.err.count("error: ")
    if name != "verify" or not ran.out:
        found.expect((errors == 1) == (ran.code in (1, 2)), f"{name}, {what}: {ran.code} {ran.err}")


@scenario("a store that was cut off, at seeded sizes")
def cut_off(ground: Ground) -> Found:
    """Every command says that it is damaged."""
    draw, found = ground.draw("cut off"), Found()
    whole = _finished(ground).read_bytes()
    store = ground.folder / "cut.db"
    sizes = [draw.randrange(1, len(whole)) for _ in range(40 if ground.is_long else 8)]
    sizes += [4096 * draw.randrange(1, len(whole) // 4096) for _ in range(4)]
    said: Counter[str] = Counter()
    for size in sizes:
        store.write_bytes(whole[:size])
        for name in (*_LOOKING, "resume"):
            ran = auditor(name, store)
            what = f"cut at {size}"
            _check_quiet(found, name, ran, what)
            found.codes.append(ran.code)
            found.expect(ran.code in (1, 2), f"{name}, {what}: exit code {ran.code}")
            if ran.code in (1, 2):
                said[(ran.err or ran.out).splitlines()[0].replace(str(store), "STORE")] += 1
            for extra in ground.folder.glob("cut.db-*"):
                extra.unlink()
    found.codes = sorted(set(found.codes))
    common = said.most_common(1)[0][0] if said else "-"
    found.happened = f"{len(sizes)} sizes x {len(_LOOKING) + 1} commands; most often: {common}"
    found.left = "sqlite3 .recover, or a copy"
    return found


def _tables(path: Path) -> dict[str, object]:
    """Every row of every table, or what SQLite says instead."""
    connection = sqlite3.connect(f"file:{path}?immutable=1&mode=ro", uri=True)
    connection.text_factory = bytes
    try:
        made = connection.execute("SELECT name, sql FROM sqlite_schema ORDER BY 1")
        # A remark says nothing to SQLite.
        found: dict[str, object] = {
            "": [(name, re.sub(rb"--[^\n]*", b"", sql or b"")) for name, sql in made]
        }
        tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
        for (name,) in connection.execute(tables).fetchall():
            try:
                found[name.decode()] = connection.execute(
                    f'SELECT * FROM "{name.decode()}" NOT INDEXED ORDER BY 1, 2'
                ).fetchall()
            except sqlite3.Error as error:
                found[name.decode()] = str(error)
    except (sqlite3.Error, UnicodeDecodeError) as error:
        return {"": str(error)}
    finally:
        connection.close()
    return found


@scenario("one bit turned over, at seeded places")
def flipped_bit(ground: Ground) -> Found:
    """Either nothing that is read differs, or `verify` says that something does."""
    draw, found = ground.draw("flipped"), Found()
    whole = _finished(ground).read_bytes()
    store = ground.folder / "flipped.db"
    store.write_bytes(whole)
    sound = _tables(store)
    counts, silent = Counter[str](), Counter[str]()
    for _ in range(1000 if ground.is_long else 120):
        place, what = _flip(draw, whole, store)
        now = _tables(store)
        ran = auditor("verify", store)
        _check_quiet(found, "verify", ran, what)
        found.codes.append(ran.code)
        if ran.code:
            counts["named by verify"] += 1
        elif now == sound:
            counts["in unused bytes or an index's"] += 1
        else:
            silent.update(n for n in sound if now.get(n) != sound[n])
            found.wrong.append(f"{what}: verify saw nothing; differing: {dict(silent)}")
        if place % 4 == 0:
            for name in ("status", "stats", "show"):
                _check_quiet(found, name, auditor(name, store), what)
        for extra in ground.folder.glob("flipped.db-*"):
            extra.unlink()
    found.codes = sorted(set(found.codes))
    found.happened = "; ".join(f"{number} {what}" for what, number in counts.most_common())
    if silent:
        found.happened += f"; not seen in {dict(silent)}"
    found.left = "sqlite3 .recover, or a copy"
    return found


def _flip(draw: random.Random, whole: bytes, store: Path) -> tuple[int, str]:
    place, bit = draw.randrange(len(whole)), draw.randrange(8)
    damaged = bytearray(whole)
    damaged[place] ^= 1 << bit
    store.write_bytes(damaged)
    return place, f"bit {bit} of byte {place}"
