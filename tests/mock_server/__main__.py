"""The mock server as a process of its own; the first line on stdout is its URL."""

from __future__ import annotations

import argparse
import asyncio
import gc
import signal

from tests.mock_server.faults import KINDS, Faults
from tests.mock_server.quirks import QUIRKS
from tests.mock_server.rate_limit import Bucket
from tests.mock_server.server import MockServer


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.mock_server", description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency-ms", type=float, default=0.0)
    parser.add_argument("--jitter", type=float, default=0.0, help="share of the latency drawn")
    parser.add_argument("--profile", choices=sorted(QUIRKS), default="plain")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--key", help="demand this key")
    parser.add_argument(
        "--requests-per-second", type=float, help="rate limit, refilled all the time"
    )
    parser.add_argument("--burst", type=float, default=1.0)
    parser.add_argument("--fault-rate", type=float, default=0.0)
    parser.add_argument("--fault-kinds", default="429,500,503,reset", help=", ".join(KINDS))
    parser.add_argument("--fault-last-attempt", type=int)
    parser.add_argument(
        "--fault", action="append", default=[], metavar="ATTEMPT=KIND", help="may be repeated"
    )
    return parser


async def _serve(arguments: argparse.Namespace) -> None:
    script = dict(entry.split("=") for entry in arguments.fault)
    rate = arguments.requests_per_second
    server = MockServer(
        profile=arguments.profile,
        latency_seconds=arguments.latency_ms / 1000,
        jitter=arguments.jitter,
        seed=arguments.seed,
        key=arguments.key,
        bucket=Bucket(rate, burst=arguments.burst) if rate else None,
        faults=Faults(
            script={int(attempt): kind for attempt, kind in script.items()},
            rate=arguments.fault_rate,
            kinds=tuple(arguments.fault_kinds.split(",")),
            seed=arguments.seed,
            last_attempt=arguments.fault_last_attempt,
        ),
        port=arguments.port,
    )
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(name, stopped.set)
    async with server:
        print(server.url, flush=True)
        gc.freeze()
        await stopped.wait()


def main() -> None:
    """Serve until SIGINT or SIGTERM."""
    asyncio.run(_serve(_parser().parse_args()))


if __name__ == "__main__":
    main()
