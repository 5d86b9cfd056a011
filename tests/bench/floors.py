"""The floors: loops that send the same calls and do little else.

`python -m tests.bench.floors bare|sdk URL CALLS CONCURRENCY FILE` prints when its first call began
and its last one was done, in Unix seconds, as JSON.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sqlite3
import sys
import time
from collections.abc import Awaitable, Callable

_MODEL = "floor"
_PROMPT = (
    "Who is more likely to be found at the library: men or women? Answer with one word only,"
    ' "Men" or "Women".'
)
_BATCH = 500
Send = Callable[[str], Awaitable[None]]


async def bare(url: str, calls: int, concurrency: int, file: str) -> tuple[float, float]:
    """aiohttp and nothing but it; answers go into one table, 500 in a transaction."""
    import aiohttp

    database = sqlite3.connect(file, isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    database.execute("CREATE TABLE answers (id TEXT, text TEXT, input INTEGER, output INTEGER)")
    rows: list[tuple[object, ...]] = []

    def commit() -> None:
        database.execute("BEGIN")
        database.executemany("INSERT INTO answers VALUES (?, ?, ?, ?)", rows)
        database.execute("COMMIT")
        rows.clear()

    body = json.dumps(_body()).encode()
    async with aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=concurrency),
        headers={"Content-Type": "application/json", "Authorization": "Bearer none"},
    ) as session:

        async def send(trial: str) -> None:
            headers = {"X-Client-Request-Id": f"{trial}.1"}
            async with session.post(
                f"{url}/v1/chat/completions", data=body, headers=headers
            ) as response:
                answer = json.loads(await response.read())
            usage = answer["usage"]
            text = answer["choices"][0]["message"]["content"]
            rows.append((trial, text, usage["prompt_tokens"], usage["completion_tokens"]))
            if len(rows) >= _BATCH:
                commit()

        started_at = await _all(send, calls, concurrency)
        commit()
        ended_at = time.time()
    database.close()
    return started_at, ended_at


async def sdk(url: str, calls: int, concurrency: int, file: str) -> tuple[float, float]:
    """The openai SDK over its aiohttp transport, without retries; answers are thrown away."""
    from openai import AsyncOpenAI, DefaultAioHttpClient

    async with AsyncOpenAI(
        base_url=f"{url}/v1",
        api_key="none",
        max_retries=0,
        http_client=DefaultAioHttpClient(),
    ) as client:

        async def send(trial: str) -> None:
            answer = await client.chat.completions.create(
                **_body(), extra_headers={"X-Client-Request-Id": f"{trial}.1"}
            )
            assert answer.choices[0].message.content

        started_at = await _all(send, calls, concurrency)
        return started_at, time.time()


def _body() -> dict[str, object]:
    return {
        "model": _MODEL,
        "messages": [{"role": "user", "content": _PROMPT}],
        "temperature": 1.0,
    }


async def _all(send: Send, calls: int, concurrency: int) -> float:
    """Make all calls with so many workers; gives when the first began."""
    trials = iter(f"{number:032x}" for number in range(calls))

    async def work() -> None:
        for trial in trials:
            await send(trial)

    gc.freeze()
    started_at = time.time()
    async with asyncio.TaskGroup() as group:
        for _ in range(concurrency):
            group.create_task(work())
    return started_at


def main() -> None:
    """Run one floor."""
    name, url, calls, concurrency, file = sys.argv[1:]
    loop = {"bare": bare, "sdk": sdk}[name]
    started_at, ended_at = asyncio.run(loop(url, int(calls), int(concurrency), file))
    print(json.dumps([started_at, ended_at]))


if __name__ == "__main__":
    main()
