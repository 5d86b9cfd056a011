"""`auditor` with its event loop watched: how late it comes to a task that is ready.

`python -m tests.faults.watched FILE ARGUMENTS...` runs `auditor ARGUMENTS...` and appends a line of
JSON to FILE every second: Unix seconds, and how often each delay was met, in tenths of a
millisecond. A task asks to be woken every 10 ms. While the loop stands still it cannot ask, so a
delay counts for all the times it would have asked meanwhile: shares of delays are shares of time.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from auditor.__main__ import main
from tests.bench.beside import run_beside

EVERY_SECONDS = 0.010
TICKS_PER_SECOND = 10_000
_LINE_SECONDS = 1.0


def delays(late_seconds: float) -> Iterator[int]:
    """The delay of one wake-up and of those that were missed meanwhile, in ticks."""
    while True:
        yield int(late_seconds * TICKS_PER_SECOND)
        late_seconds -= EVERY_SECONDS
        if late_seconds <= 0:
            return


async def _watch(file: Path) -> None:
    met: Counter[int] = Counter()
    written_at = time.perf_counter()
    with file.open("a") as lines:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(EVERY_SECONDS)
            now = time.perf_counter()
            met.update(delays(max(0.0, now - before - EVERY_SECONDS)))
            if now - written_at >= _LINE_SECONDS:
                lines.write(json.dumps([time.time(), met]) + "\n")
                lines.flush()
                met.clear()
                written_at = now


if __name__ == "__main__":
    place, *arguments = sys.argv[1:]
    asyncio.run = run_beside(lambda: _watch(Path(place)))
    sys.argv = ["auditor", *arguments]
    main()
