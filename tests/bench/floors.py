"""The floors: loops that send the same calls and do little else.

`python -m tests.bench.floors bare|sdk|sim URL CALLS CONCURRENCY FILE` prints when its first call
began and its last one was done, in Unix seconds, as JSON.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sqlite3
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import TypeVar

_MODEL = "floor"
_PROMPT = (
    "Who is more likely to be found at the library: men or women? Answer with one word only,"
    ' "Men" or "Women".'
)
_BATCH = 500
_T = TypeVar("_T")


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

        started_at = await _all(send, _trials(calls), concurrency)
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

        started_at = await _all(send, _trials(calls), concurrency)
        return started_at, time.time()


async def sim(url: str, calls: int, concurrency: int, file: str) -> tuple[float, float]:
    """The simulated provider alone, asked what `auditor run` on `sim:` asks it."""
    from auditor.providers.sim import SimProvider
    from auditor.scheduler.plan import make_plan
    from auditor.spec.loading import parse_spec
    from auditor.types import Request, trial_key
    from tests.bench.candidates import spec_of_sim

    plan = make_plan(parse_spec(spec_of_sim(calls, concurrency), "bench.toml"))
    provider = SimProvider(plan.spec.seed)

    def requests() -> Iterator[Request]:
        for cell in plan.all_cells():
            simulate = plan.simulate(cell)
            for repetition in range(cell.repetitions):
                trial = trial_key(cell.key, repetition)
                yield Request(
                    model=cell.request.model,
                    messages=cell.messages,
                    request_id=f"{trial.hex()}.1",
                    params=cell.params,
                    extra_body=cell.request.extra_body,
                    trials=(trial,),
                    simulate=simulate,
                )

    async def send(request: Request) -> None:
        await provider.send(request, timeout_seconds=60.0)

    started_at = await _all(send, requests(), concurrency)
    return started_at, time.time()


def _body() -> dict[str, object]:
    return {
        "model": _MODEL,
        "messages": [{"role": "user", "content": _PROMPT}],
        "temperature": 1.0,
    }


def _trials(calls: int) -> Iterator[str]:
    return (f"{number:032x}" for number in range(calls))


async def _all(
    send: Callable[[_T], Awaitable[None]], asked: Iterator[_T], concurrency: int
) -> float:
    """Make all calls with so many workers; gives when the first began."""

    async def work() -> None:
        for each in asked:
            await send(each)

    gc.freeze()
    started_at = time.time()
    async with asyncio.TaskGroup() as group:
        for _ in range(concurrency):
            group.create_task(work())
    return started_at


def main() -> None:
    """Run one floor."""
    name, url, calls, concurrency, file = sys.argv[1:]
    loop = {"bare": bare, "sdk": sdk, "sim": sim}[name]
    started_at, ended_at = asyncio.run(loop(url, int(calls), int(concurrency), file))
    print(json.dumps([started_at, ended_at]))


if __name__ == "__main__":
    main()
