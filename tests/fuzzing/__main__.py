"""Tries every parser on many examples and prints what came of it; exits 1 on a finding."""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections import Counter
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

import tests.fuzzing.everything  # noqa: F401 - it names the parsers
from tests.fuzzing.long_texts import LENGTH, time_long_texts
from tests.fuzzing.parser import PARSERS, REFUSED, TAKEN, Fuzzed

EXAMPLES = 10_000
_AT_ONCE = 20
"""Examples that the library draws together: that is where its time goes."""
_ENOUGH = 1000
"""Examples of which some have to be sound."""
LONGEST_SECONDS = 2.0
"""CPU time of one example, none of which is longer than some 200 kB."""


class _FoundError(Exception):
    """What an example has brought to light."""


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzzing", description=__doc__)
    parser.add_argument("--only", action="append", metavar="NAME", help="whose name holds this")
    parser.add_argument("--list", action="store_true", help="name the parsers")
    parser.add_argument("--examples", type=int, default=EXAMPLES)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--long-texts", action="store_true", help="time texts of a megabyte")
    parser.add_argument("--length", type=int, default=LENGTH, help="characters of those")
    return parser.parse_args()


def tried(each: Fuzzed, examples: int, seed_number: int) -> tuple[Counter[str], float, str | None]:
    """Outcomes, seconds of the slowest example, and the finding if there is one."""
    outcomes: Counter[str] = Counter()
    slowest = 0.0

    @seed(seed_number)
    @settings(
        max_examples=-(-examples // _AT_ONCE),
        deadline=None,
        database=None,
        derandomize=False,
        suppress_health_check=list(HealthCheck),
        # Examples are short; to shrink a batch of them takes longer than to read one.
        phases=[Phase.generate],
    )
    @given(st.lists(each.examples, min_size=_AT_ONCE, max_size=_AT_ONCE))
    def run(batch: list[Any]) -> None:
        nonlocal slowest
        for example in batch:
            begun = time.process_time()
            try:
                outcomes[each.outcome(example)] += 1
                seconds = time.process_time() - begun
                assert seconds < LONGEST_SECONDS, f"took {seconds:.1f} s"
            except Exception as error:
                where = traceback.extract_tb(error.__traceback__)[-1]
                said = f"{type(error).__name__} at {where.filename}:{where.lineno}: {error}"
                raise _FoundError(f"{said[:600]}\nby {example!r:.2000}") from None
            slowest = max(slowest, seconds)

    try:
        run()
    except _FoundError as found:
        return outcomes, slowest, found.args[0]
    if outcomes.total() >= _ENOUGH and not outcomes[TAKEN]:
        return outcomes, slowest, "none of them was taken: they do not reach what it reads"
    return outcomes, slowest, None


def main() -> int:
    """Try what was asked for."""
    options = _options()
    wanted = options.only or [""]
    chosen = [each for each in PARSERS.values() if any(word in each.name for word in wanted)]
    if options.list:
        print(*(each.name for each in chosen), sep="\n")
        return 0
    if options.long_texts:
        return time_long_texts(wanted, options.length)
    print(f"{'parser':52}{'examples':>9}{'taken':>8}{'refused':>8}{'slowest':>9}{'in all':>8}")
    findings = 0
    for each in chosen:
        begun = time.monotonic()
        outcomes, slowest, finding = tried(each, options.examples, options.seed)
        print(
            f"{each.name:52}{outcomes.total():>9,}{outcomes[TAKEN]:>8,}{outcomes[REFUSED]:>8,}"
            f"{slowest * 1000:>6.0f} ms{time.monotonic() - begun:>6.0f} s",
            "" if finding is None else "FOUND",
            flush=True,
        )
        if finding is not None:
            findings += 1
            print(finding, file=sys.stderr, flush=True)
    return 1 if findings else 0


if __name__ == "__main__":
    raise SystemExit(main())
