"""A provider that takes 50 calls a second: how near to that a run comes, how often it is refused.

`python -m tests.bench.limited` runs 2,000 calls at 256 connections against a token bucket that
holds one second's worth and refills all the time; with the limit in the spec, then without.
"""

from __future__ import annotations

import argparse
import sqlite3
import sys
import tempfile
from pathlib import Path

from tests.bench.child import environment, run_piped
from tests.killing import mock_server

_CELLS = 62
_SPEC = """
name = "limited"
seed = 1
[endpoints.mock]
provider = "openai"
base_url = "{url}/v1"
concurrency = {concurrency}
{limit}
[[targets]]
name = "a"
model = "openai:model-a"
endpoint = "mock"
[protocols."spatial.explicit"]
repetitions = {repetitions}
"""


def main() -> None:
    """Run both and print a line each."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.limited", description=__doc__)
    parser.add_argument("--calls", type=int, default=2_000)
    parser.add_argument("--per-second", type=float, default=50.0)
    parser.add_argument("--concurrency", type=int, default=256)
    arguments = parser.parse_args()
    repetitions = -(-arguments.calls // _CELLS)
    calls, rate = repetitions * _CELLS, arguments.per_second
    ideal = calls / rate
    print(f"{calls:,} calls, bucket of {rate:g} a second: ideal {ideal:.1f} s")
    with tempfile.TemporaryDirectory() as folder:
        variables = environment(Path(folder) / "compiled")
        for name, limit in (
            ("limit in the spec", f"requests_per_minute = {rate * 60:g}"),
            ("limit learnt from refusals", ""),
        ):
            with mock_server("--requests-per-second", str(rate), "--burst", str(rate)) as url:
                spec, store = Path(folder) / "limited.toml", Path(folder) / f"{len(limit)}.db"
                spec.write_text(
                    _SPEC.format(
                        url=url,
                        concurrency=arguments.concurrency,
                        limit=limit,
                        repetitions=repetitions,
                    )
                )
                command = [sys.executable, "-m", "auditor", "run", str(spec)]
                run_piped([*command, "--store", str(store), "--no-probe", "--yes"], variables)
            seconds, attempts, answered = _counted(store)
            assert answered == calls
            print(
                f"{name:<28}{seconds:>7.1f} s = {seconds / ideal:.3f} x ideal; rejected"
                f" {attempts - calls:,} of {attempts:,} = {(attempts - calls) / attempts:.2%}",
                flush=True,
            )


def _counted(store: Path) -> tuple[float, int, int]:
    """Seconds from the first call to the last answer; attempts; answers."""
    database = sqlite3.connect(store)
    try:
        first, last, answered = database.execute(
            "SELECT min(e.at) FILTER (WHERE k.kind = 'dispatched'),"
            " max(e.at) FILTER (WHERE k.kind = 'response'),"
            " count(*) FILTER (WHERE k.kind = 'response')"
            " FROM events e JOIN event_kinds k ON k.id = e.kind"
        ).fetchone()
        (attempts,) = database.execute("SELECT count(*) FROM calls").fetchone()
    finally:
        database.close()
    return last - first, attempts, answered


if __name__ == "__main__":
    main()
