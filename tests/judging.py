"""A judge that is a model over a real store and a real endpoint; only the far side is scripted."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pydantic_ai.models

import rubrics
from agents.judges import offline
from agents.judges.model import Asked, ModelJudge, ModelTask, model_task
from agents.judges.model.appointment import Appointment, RunMeans
from agents.model_judge import ModelJudgeAgent
from agents.shutdown import Shutdown
from auditor.endpoints import Budget, Endpoint, Prices, RetryPolicy
from auditor.store import plan
from auditor.store.plan_record import PlannedJudge
from auditor.store.progress import snapshot
from auditor.store.records import Gauge
from auditor.store.store import Store
from auditor.types import Choice, EndpointConfig, Outcome, Reply, Request, Usage
from tests import builders

# No test may reach a model by pydantic-ai's own clients.
pydantic_ai.models.ALLOW_MODEL_REQUESTS = False

AT_ONCE = RetryPolicy(transient_attempts=3, first_seconds=0.0)


def model_judge(
    task: ModelTask, *, setting: str | None = None, options: dict | None = None, **asked: object
) -> ModelJudge:
    """A judge of a task by its packaged prompt."""
    settings = {"provider": "openai", "model": "judge-model", **asked}
    materials = {path: rubrics.read(path) for path in task.materials}
    return task.open(Asked(**settings), materials, setting=setting, options=options)


def choice_judge(**asked: object) -> ModelJudge:
    """A judge of `choice`."""
    return model_judge(model_task("spatial.explicit", "choice"), **asked)


def name_judge(**asked: object) -> ModelJudge:
    """A judge of `name`."""
    return model_judge(model_task("stories", "name"), **asked)


def rubric_judge(setting: str = "full", **asked: object) -> ModelJudge:
    """A judge of `rubric`."""
    return model_judge(model_task("grap", "rubric"), setting=setting, **asked)


def says(
    text: str | None, outcome: Outcome = Outcome.ANSWERED, *, finish: str = "stop", tokens: int = 5
) -> Reply:
    """A reply of one choice."""
    return Reply(
        choices=(Choice(outcome=outcome, text=text, finish_reason=finish),),
        usage=Usage(input_tokens=100, output_tokens=tokens),
        model="judge-model-1",
    )


def label(value: str) -> Reply:
    """A reply that fits the schema."""
    return says(json.dumps({"choice": value}))


class FarSide:
    """Answers by a function of the request, which may raise; remembers what it was sent."""

    def __init__(self, answer: Callable[[Request], Reply] = lambda _: label("men")) -> None:
        self.answer = answer
        self.sent: list[Request] = []

    async def send(self, request: Request, *, timeout_seconds: float) -> Reply:
        self.sent.append(request)
        await asyncio.sleep(0)
        return self.answer(request)

    async def close(self) -> None:
        return None

    @property
    def names(self) -> list[str]:
        """What each request was about, without the number of its attempt."""
        return [request.request_id.rpartition(".")[0] for request in self.sent]


class JudgeBench:
    """A store with responses, an endpoint, and judges to work on them.

    `options`: concurrency, price, budget, caps, policy, judge, repetitions, provider_for,
    planned, limit.
    """

    def __init__(self, path: Path, far_side: FarSide, **options) -> None:
        self.path = path
        self.far_side = far_side
        self.options = options
        self.judge = options.get("judge") or choice_judge()
        self.planned = options.get("planned") or builders.cells(
            repetitions=options.get("repetitions", 4)
        )
        if not plan.exists(path):
            builders.write(path, self.planned, judges=(self.record(),))
        self.store = Store(path, builders.take_lock(path))
        config = EndpointConfig(
            name="sim",
            provider="sim",
            concurrency=options.get("concurrency", 4),
            price=options.get("price"),
        )
        provider_for = options.get("provider_for") or (lambda _api, _model: far_side)
        self.endpoint = Endpoint(config, provider_for)
        self.prices = Prices(config)
        self.budget = options.get("budget", Budget())
        self.shutdown = Shutdown()
        self.upstream_done = asyncio.Event()
        self.upstream_done.set()

    def record(self) -> PlannedJudge:
        return PlannedJudge(
            task=self.judge.task,
            name="model",
            hash=b"model judge".ljust(16),
            configuration={"judge": "model"},
            protocols=(self.planned[0].protocol,),
        )

    async def respond(self, texts: Sequence[str]) -> None:
        """Store these texts as the answers to the first trials of the plan."""
        trials = builders.trials_of(self.planned)[: len(texts)]
        await builders.dispatch(self.store, trials)
        answers = [builders.answer(self.store, *pair) for pair in zip(trials, texts, strict=True)]
        await asyncio.gather(*map(self.store.append, answers))

    def agent(self) -> ModelJudgeAgent:
        truth = None
        if self.judge.asked.is_simulated:
            task = model_task(self.judge.protocol, self.judge.task)
            found = offline(task.protocol, task.task, task.truth)
            materials = {path: rubrics.read(path) for path in found.materials}
            truth = found.open(materials, {**task.truth_params, **self.judge.truth_params})
        means = RunMeans(
            store=self.store,
            budget=self.budget,
            caps_output=self.options.get("caps", False),
            shutdown=self.shutdown,
            seed=1,
            policy=self.options.get("policy", AT_ONCE),
        )
        appointment = Appointment(
            judge=self.judge,
            name="model",
            judge_id=self.rows("SELECT id FROM judges")[0][0],
            judge_hash=self.record().hash,
            endpoint=self.endpoint,
            prices=self.prices,
            truth=truth,
            limit=self.options.get("limit"),
        )
        return ModelJudgeAgent(appointment, means, upstream_done=self.upstream_done)

    async def run(self) -> ModelJudgeAgent:
        """One run to its end, all that was posted committed."""
        agent = self.agent()
        await agent.run()
        await self.settled()
        return agent

    async def settled(self) -> None:
        """Once something is committed, so is all that was posted before."""
        await self.store.append(
            Gauge(endpoint="sim", in_flight=0, concurrency=1, concurrency_limit=1)
        )

    def rows(self, query: str):
        return self.store.reader.execute(query).fetchall()

    def annotations(self):
        return self.rows("SELECT valid, value, reason, raw FROM annotations ORDER BY seq")

    def progress(self):
        return snapshot(self.store.reader)

    async def close(self) -> None:
        await self.endpoint.close()
        await self.store.close("incomplete")
