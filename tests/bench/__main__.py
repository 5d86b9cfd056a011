"""Measure what a call costs: one table for each latency and concurrency."""

from __future__ import annotations

import argparse
import importlib.util
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.bench.candidates import (
    CELLS,
    Candidate,
    Setting,
    audit_of_sim,
    audit_over_http,
    floor,
    peer,
)
from tests.bench.child import environment
from tests.bench.names import FLOOR_1, FLOOR_2, HTTP, PEER, SIM, SIM_ALONE
from tests.bench.table import Round, table
from tests.bench.targets import verdicts
from tests.killing import mock_server

_GRID = ((0.0, 64), (0.0, 256), (50.0, 64), (50.0, 256), (500.0, 256))
_PEER_CALLS = 4 * CELLS
"""At most: its speed is the same at 496 calls as at 10,000, and it needs minutes for those."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument(
        "--calls", type=int, default=81 * CELLS, help=f"a multiple of {CELLS} (default: 10,044)"
    )
    parser.add_argument(
        "--grid",
        type=_place,
        nargs="+",
        default=list(_GRID),
        metavar="MS:CALLS",
        help="latency of the mock server in milliseconds, and calls at once (default: "
        f"{' '.join(f'{ms:g}:{calls}' for ms, calls in _GRID)})",
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--peer",
        metavar="PYTHON",
        default=sys.executable if importlib.util.find_spec("inspect_ai") else None,
        help="an interpreter that has inspect-ai (default: this one, if it has it)",
    )
    return parser


def _place(text: str) -> tuple[float, int]:
    latency_ms, _, concurrency = text.partition(":")
    return float(latency_ms), int(concurrency)


def main() -> None:
    """Run all candidates, round by round, against one server process a latency."""
    parser = _parser()
    arguments = parser.parse_args()
    calls = arguments.calls // CELLS * CELLS
    if (
        calls <= CELLS
        or arguments.rounds < 1
        or min(arguments.grid)[0] < 0
        or min(at_once for _, at_once in arguments.grid) < 1
    ):
        parser.error(f"at least {2 * CELLS} calls, 1 round and 1 call at once")
    over_http: dict[str, Candidate] = {
        FLOOR_1: floor("bare"),
        FLOOR_2: floor("sdk"),
        **({PEER: peer(arguments.peer)} if arguments.peer else {}),
        HTTP: audit_over_http,
    }
    in_process = {SIM_ALONE: floor("sim"), SIM: audit_of_sim}
    with tempfile.TemporaryDirectory() as folder:
        variables = environment(Path(folder) / "compiled")
        for latency_ms, concurrency in arguments.grid:
            # No latency reaches what happens within a process.
            candidates = over_http if latency_ms else over_http | in_process
            with mock_server("--latency-ms", str(latency_ms)) as url:
                setting = Setting(
                    url=url,
                    latency_seconds=latency_ms / 1000,
                    concurrency=concurrency,
                    folder=Path(folder),
                    variables=variables,
                )
                rounds = _rounds(candidates, setting, calls, arguments.rounds)
            print(
                f"{calls:,} calls, {latency_ms:g} ms latency, {concurrency} calls at once\n\n"
                f"{table(rounds, (FLOOR_1, FLOOR_2, PEER))}\n\n"
                f"{verdicts(rounds, latency_ms=latency_ms)}\n",
                flush=True,
            )


def _rounds(
    candidates: Mapping[str, Candidate], setting: Setting, calls: int, number_of_rounds: int
) -> list[dict[str, Round]]:
    for candidate in candidates.values():
        candidate(setting, CELLS)  # compiles what it imports
    rounds: list[dict[str, Round]] = []
    for number in range(number_of_rounds):
        measured: dict[str, Round] = {}
        # Every other round backwards: nobody always has the quieter half of a minute.
        order = list(candidates.items())
        for name, candidate in order if number % 2 == 0 else reversed(order):
            print(f"round {number + 1} of {number_of_rounds}: {name}", file=sys.stderr)
            most = min(calls, _PEER_CALLS) if name == PEER else calls
            measured[name] = Round(many=candidate(setting, most), few=candidate(setting, CELLS))
        rounds.append({name: measured[name] for name in candidates})
    return rounds


if __name__ == "__main__":
    main()
