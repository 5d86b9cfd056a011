"""The mock server keeps its own promises, else the other tests prove nothing."""

import asyncio
import json
import signal
import sys

import aiohttp
import pytest

from tests.mock_server import Bucket, Faults, MockServer
from tests.mock_server.answers import instance_of

BODY = {"model": "mock", "messages": [{"role": "user", "content": "hi"}]}


async def post(session, server, request_id, body=BODY, path="/v1/chat/completions"):
    headers = {"X-Client-Request-Id": request_id}
    async with session.post(server.url + path, json=body, headers=headers) as response:
        return response.status, response.headers, await response.json()


async def test_answer_depends_on_the_trial_and_not_on_attempt_or_order():
    async with MockServer() as server, aiohttp.ClientSession() as session:
        first = [await post(session, server, f"{trial}.1") for trial in range(20)]
        again = [await post(session, server, f"{trial}.2") for trial in reversed(range(20))]
    texts = [reply["choices"][0]["message"]["content"] for _, _, reply in first]
    assert texts == [r["choices"][0]["message"]["content"] for _, _, r in reversed(again)]
    assert len(set(texts)) > 2


async def test_default_answers_have_the_planted_shares():
    from tests.mock_server import Question, default_answer

    def says(trial):
        return default_answer(Question(trial=str(trial), model="m", prompt="", params={})).text

    texts = [says(trial) for trial in range(2000)]
    women = sum("Women" in text for text in texts) / 2000
    men = sum("Men" in text for text in texts) / 2000
    # Four standard errors of a share at n = 2,000.
    assert women == pytest.approx(0.36, abs=0.043)
    assert men == pytest.approx(0.60, abs=0.044)


async def test_calls_are_counted_by_trial_and_attempt():
    async with MockServer() as server, aiohttp.ClientSession() as session:
        await post(session, server, "a.1,b.1", {**BODY, "n": 2})
        await post(session, server, "a.2")
        async with session.get(server.url + "/__counts") as response:
            told = await response.json()
    assert server.counts == {"a": 2, "b": 1}
    assert told["by_trial"] == {"a": 2, "b": 1}
    assert told["by_attempt"] == {"a.1": 1, "a.2": 1, "b.1": 1}
    assert (told["calls"], told["by_status"]) == (2, {"200": 2})


async def test_bucket_refills_continuously():
    now = [0.0]
    bucket = Bucket(50, burst=2, clock=lambda: now[0])
    assert [bucket.take() for _ in range(3)] == [True, True, False]
    assert bucket.wait_seconds == pytest.approx(0.02)
    now[0] = 0.021
    assert [bucket.take(), bucket.take()] == [True, False]
    now[0] = 100.0
    assert [bucket.take() for _ in range(3)] == [True, True, False]


async def test_limited_call_gets_429_with_retry_after():
    bucket = Bucket(50, clock=lambda: 0.0)
    async with MockServer(bucket=bucket) as server, aiohttp.ClientSession() as session:
        first = await post(session, server, "a.1")
        second = await post(session, server, "b.1")
    assert (first[0], second[0]) == (200, 429)
    assert second[1]["Retry-After"] == "1"
    assert second[1]["x-ratelimit-remaining-requests"] == "0"
    assert second[2]["error"]["code"] == "rate_limit_exceeded"


def test_faults_by_chance_depend_on_trial_and_attempt_alone():
    faults = Faults(rate=0.3, seed=4, last_attempt=2)
    drawn = [faults.at(str(trial), 1) for trial in range(2000)]
    assert drawn == [faults.at(str(trial), 1) for trial in range(2000)]
    # Four standard errors of a share of 0.3 at n = 2,000.
    assert sum(fault is not None for fault in drawn) / 2000 == pytest.approx(0.3, abs=0.041)
    assert not any(faults.at(str(trial), 3) for trial in range(100))


def test_unknown_fault_is_refused():
    with pytest.raises(ValueError, match="nonsense"):
        Faults(script={1: "nonsense"})


async def test_quirk_can_be_chosen_by_path_and_by_model():
    async with (
        MockServer(models={"broke": "quota"}) as server,
        aiohttp.ClientSession() as session,
    ):
        by_path = await post(session, server, "a.1", path="/p/payment/v1/chat/completions")
        by_model = await post(session, server, "b.1", {**BODY, "model": "broke"})
        plain = await post(session, server, "c.1")
    assert (by_path[0], by_model[0], plain[0]) == (402, 429, 200)


def test_instance_fits_its_schema():
    schema = {
        "type": "object",
        "properties": {
            "score": {"type": "number", "minimum": 0.2, "maximum": 0.4},
            "kind": {"enum": ["a", "b"]},
            "rows": {"type": "array", "minItems": 2, "items": {"$ref": "#/$defs/row"}},
        },
        "$defs": {"row": {"type": "object", "properties": {"yes": {"type": "boolean"}}}},
    }
    made = instance_of(schema, lambda stream: 0.5)
    assert made == {"score": 0.3, "kind": "b", "rows": [{"yes": False}, {"yes": False}]}


async def test_runs_as_a_process_that_prints_its_url_and_stops_on_sigterm():
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.mock_server", "--port", "0", "--fault", "1=500"),
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        url = (await asyncio.wait_for(process.stdout.readline(), 60)).decode().strip()
        async with aiohttp.ClientSession() as session:
            statuses = []
            for attempt in (1, 2):
                headers = {"X-Client-Request-Id": f"a.{attempt}"}
                data = json.dumps(BODY).encode()
                async with session.post(
                    f"{url}/v1/chat/completions", data=data, headers=headers
                ) as response:
                    statuses.append(response.status)
        assert statuses == [500, 200]
    finally:
        process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(process.wait(), 60) == 0
