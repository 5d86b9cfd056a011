"""Measure what a call costs and print one table."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.bench.candidates import (
    CELLS,
    Candidate,
    Setting,
    audit_of_sim,
    audit_over_http,
    floor,
)
from tests.bench.child import environment
from tests.bench.table import Round, table
from tests.killing import mock_server

FLOORS = ("bare aiohttp + SQLite (floor 1)", "openai SDK (floor 2)")
CANDIDATES: dict[str, Candidate] = {
    FLOORS[0]: floor("bare"),
    FLOORS[1]: floor("sdk"),
    "auditor run, HTTP": audit_over_http,
    "auditor run, sim:": audit_of_sim,
}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument(
        "--calls", type=int, default=30 * CELLS, help=f"a multiple of {CELLS} (default: 3,720)"
    )
    parser.add_argument("--latency-ms", type=float, default=0.0, help="of the mock server")
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=5)
    return parser


def main() -> None:
    """Run all candidates, round by round, against one server process."""
    parser = _parser()
    arguments = parser.parse_args()
    calls = arguments.calls // CELLS * CELLS
    if calls <= CELLS or arguments.rounds < 1 or arguments.concurrency < 1:
        parser.error(f"at least {2 * CELLS} calls, 1 round and 1 call at once")
    rounds: list[dict[str, Round]] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        mock_server("--latency-ms", str(arguments.latency_ms)) as url,
    ):
        setting = Setting(
            url=url,
            concurrency=arguments.concurrency,
            folder=Path(folder),
            variables=environment(Path(folder) / "compiled"),
        )
        for candidate in CANDIDATES.values():
            candidate(setting, CELLS)  # compiles what it imports
        for number in range(arguments.rounds):
            measured: dict[str, Round] = {}
            # Every other round backwards: nobody always has the quieter half of a minute.
            order = list(CANDIDATES.items())
            for name, candidate in order if number % 2 == 0 else reversed(order):
                print(f"round {number + 1} of {arguments.rounds}: {name}", file=sys.stderr)
                few, many = candidate(setting, CELLS), candidate(setting, calls)
                measured[name] = Round(many=many, few=few)
            rounds.append({name: measured[name] for name in CANDIDATES})
    print(
        f"{calls:,} calls, {arguments.latency_ms:g} ms latency, "
        f"{arguments.concurrency} calls at once\n"
    )
    print(table(rounds, FLOORS))


if __name__ == "__main__":
    main()
