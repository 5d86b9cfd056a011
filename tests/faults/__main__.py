"""Plays the scenarios and prints their table; exits 1 where a promise did not hold."""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import time
from pathlib import Path

from tests.faults import (  # noqa: F401 - they register
    answers,
    clocks,
    crashes,
    damage,
    meetings,
    network,
    people,
    places,
    stopping,
    storage,
)
from tests.faults.scenario import HEADINGS, SCENARIOS, Found, Ground, Skipped, line, row


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--only", action="append", choices=sorted(SCENARIOS), metavar="NAME")
    parser.add_argument("--list", action="store_true", help="name the scenarios")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kills", type=int, default=100, help="of the scenario `killed`")
    parser.add_argument("--long", action="store_true", help="what takes minutes, too")
    return parser


def main() -> int:
    """Play what was asked for."""
    options = _parser().parse_args()
    # A shell lets what it starts in the background ignore Ctrl-C, and so would all commands here.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if options.list:
        width = max(map(len, SCENARIOS)) + 2
        for each in SCENARIOS.values():
            print(f"{each.name:{width}}{each.fault}")
        return 0
    print(line(HEADINGS), line(["-" * len(name) for name in HEADINGS]), sep="\n", flush=True)
    broken = 0
    for name in options.only or SCENARIOS:
        played = SCENARIOS[name]
        begun = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="faults-") as folder:
            ground = Ground(
                folder=Path(folder), seed=options.seed, kills=options.kills, is_long=options.long
            )
            try:
                found = played.play(ground)
            except Skipped as reason:
                found = Found(happened=f"skipped: {reason}", left="-")
            except Exception as error:  # the next scenario is played all the same
                found = Found(happened="the scenario itself failed", left="-")
                found.wrong.append(f"{type(error).__name__}: {error}")
        broken += bool(found.wrong)
        print(row(played, found), flush=True)
        print(f"{name}: {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
    return 1 if broken else 0


if __name__ == "__main__":
    raise SystemExit(main())
