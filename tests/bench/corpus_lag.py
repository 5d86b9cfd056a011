"""`auditor` with its event loop watched: how long a task that is ready has had to wait.

`python -m tests.bench.corpus_lag FILE ARGUMENTS...` runs `auditor ARGUMENTS...` and writes to FILE
each wait above 10 ms as a JSON array: Unix seconds at its end, milliseconds, and the milliseconds
of them in which this thread computed (the rest it waited for a processor or the interpreter).
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any

from auditor.__main__ import main
from tests.bench.beside import run_beside

_EVERY_SECONDS = 0.002
_LEAST_SECONDS = 0.01


def _watched(found: list[tuple[float, float, float]]) -> Any:
    async def watch() -> None:
        while True:
            before, computed = time.perf_counter(), time.thread_time()
            await asyncio.sleep(_EVERY_SECONDS)
            waited = time.perf_counter() - before - _EVERY_SECONDS
            if waited > _LEAST_SECONDS:
                computed = time.thread_time() - computed
                found.append((time.time(), waited * 1000, computed * 1000))

    return run_beside(watch)


if __name__ == "__main__":
    file, *arguments = sys.argv[1:]
    lags: list[tuple[float, float, float]] = []
    asyncio.run = _watched(lags)
    sys.argv = ["auditor", *arguments]
    try:
        main()
    finally:
        Path(file).write_text(json.dumps(lags))
