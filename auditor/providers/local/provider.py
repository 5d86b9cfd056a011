"""Asking local models: one request in, one reply or one classified error out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auditor.draws import draw_integer
from auditor.errors import EndpointError, RejectedError
from auditor.providers.local.generating import Wanted, Written, write
from auditor.providers.local.loading import Loaded
from auditor.providers.local.models import Job, LocalModels, ModelKey
from auditor.providers.local.rendering import (
    Dialogue,
    GivenAnswer,
    dialogue,
    given_answer,
    prompt_ids,
)
from auditor.providers.local.sampling import Sampling
from auditor.providers.local.scoring import log_probabilities, rewards, score_text
from auditor.providers.local.settings import LocalSettings, settings_of
from auditor.providers.openai_chat import with_schema_in_words
from auditor.types import JSON, Choice, Message, Outcome, Reply, Request, Usage

LOG_PROBABILITY = "log_probability"
REWARD = "reward"
_SCORE = "score"
_ANSWER = "answer"


@dataclass(frozen=True, kw_only=True, slots=True)
class _Asked:
    """A request as the thread needs it."""

    request: Request
    settings: LocalSettings
    messages: tuple[Message, ...]
    sampling: Sampling
    seeds: tuple[int, ...]


class LocalProvider:
    """Answers and scores by models in this process.

    Args:
        models: the models of the endpoint.
        seed: the run's; with a trial's key it decides every draw of that trial's answer.
        owns_models: whether closing it frees them.
    """

    def __init__(self, models: LocalModels, *, seed: int, owns_models: bool = False) -> None:
        self._models = models
        self._seed = seed
        self._owns_models = owns_models

    async def send(self, request: Request, *, timeout_seconds: float) -> Reply:
        """One request. No time-out ends it: nothing can be lost on the way to a model here.

        With `score` among the parameters the last message is an answer to be scored: its text is
        JSON, {"log_probability": ..., "tokens": ...}, or {"reward": ...} of api "reward", which
        takes no other request. A score that is not finite is null, with a "reason".
        """
        is_score = bool(request.params.get(_SCORE))
        settings = settings_of(request.extra_body)
        is_reward = request.api == REWARD
        if is_reward and not is_score:
            raise RejectedError(
                f"{request.model} is asked as a reward model, which scores answers and gives none",
                hint='api = "chat" or "completions" is for language models',
            )
        asked = _Asked(
            request=request,
            settings=settings,
            messages=_messages(request),
            sampling=Sampling() if is_score else Sampling.of(request.params),
            seeds=self._seeds(request),
        )
        key = ModelKey(request.model, settings, is_reward)
        kind = _SCORE if is_score else _ANSWER
        return await self._models.ask(key, kind, asked, _score if is_score else _answer)

    async def close(self) -> None:
        """Free models of its own; shared ones are freed with their endpoint."""
        if self._owns_models:
            await self._models.close()

    def _seeds(self, request: Request) -> tuple[int, ...]:
        """One a choice: of the trial, or of the seed that the request itself has."""
        own = request.params.get("seed")
        if own is not None:
            return tuple(
                draw_integer(int(own), "local answer", str(place))
                for place in range(request.choices)
            )
        if len(request.trials) >= request.choices:
            items: Sequence[bytes | str] = request.trials[: request.choices]
        else:
            items = [f"{request.request_id} {place}" for place in range(request.choices)]
        return tuple(draw_integer(self._seed, "local answer", item) for item in items)


def _messages(request: Request) -> tuple[Message, ...]:
    """The messages; a schema is asked for in words, since nothing holds the model to it."""
    if request.schema is None:
        return request.messages
    if request.schema_way in ("native", "tool"):
        raise RejectedError(
            f"a local model takes no schema in the way {request.schema_way!r}",
            parameter="schema",
            hint='output = "prompted" asks for it in words',
        )
    turns = with_schema_in_words([m.as_json() for m in request.messages], request.schema)
    return tuple(Message(turn["role"], turn["content"]) for turn in turns)


# What follows runs in the models' thread.


def _score(loaded: Loaded, jobs: Sequence[Job]) -> None:
    if loaded.is_reward:
        _give_rewards(loaded, jobs)
    else:
        _give_log_probabilities(loaded, jobs)


def _give_rewards(loaded: Loaded, jobs: Sequence[Job]) -> None:
    ready: list[tuple[Job, Dialogue]] = []
    for job in jobs:
        asked: _Asked = job.work
        try:
            made = dialogue(loaded, asked.messages, template=asked.settings.template)
            ready.append((job, made))
        except EndpointError as error:
            job.deliver(error)
    found = rewards(loaded, [each for _, each in ready])
    for (job, each), value in zip(ready, found, strict=True):
        text = score_text(REWARD, value)
        job.deliver(_scored(loaded, job.work, text, len(each.ids), {"dialogue": each.form}))


def _give_log_probabilities(loaded: Loaded, jobs: Sequence[Job]) -> None:
    ready: list[tuple[Job, GivenAnswer]] = []
    for job in jobs:
        asked: _Asked = job.work
        try:
            made = given_answer(
                loaded, asked.messages, api=asked.request.api, template=asked.settings.template
            )
            ready.append((job, made))
        except EndpointError as error:
            job.deliver(error)
    found = log_probabilities(loaded, [each for _, each in ready])
    for (job, each), value in zip(ready, found, strict=True):
        text = score_text(LOG_PROBABILITY, value, tokens=each.answer)
        job.deliver(_scored(loaded, job.work, text, len(each.ids), {}))


def _scored(
    loaded: Loaded, asked: _Asked, text: str, tokens: int, beside: Mapping[str, JSON]
) -> Reply:
    choice = Choice(outcome=Outcome.ANSWERED, text=text, finish_reason=_SCORE)
    return Reply(
        choices=(choice,) * asked.request.choices,
        usage=Usage(input_tokens=tokens, output_tokens=0),
        model=asked.request.model,
        fingerprint=loaded.fingerprint,
        sent={_SCORE: True, **beside, **_place(loaded, asked)},
    )


def _answer(loaded: Loaded, jobs: Sequence[Job]) -> None:
    by_length: dict[int, list[tuple[Job, Wanted]]] = defaultdict(list)
    for job in jobs:
        asked: _Asked = job.work
        try:
            ids = prompt_ids(
                loaded,
                asked.messages,
                api=asked.request.api,
                template=asked.settings.template,
            )
        except EndpointError as error:
            job.deliver(error)
            continue
        wanted = Wanted(
            ids=ids, sampling=asked.sampling, seeds=asked.seeds, is_dropped=job.is_dropped
        )
        by_length[len(ids)].append((job, wanted))
    for group in by_length.values():
        results = write(loaded, [wanted for _, wanted in group])
        for (job, wanted), written in zip(group, results, strict=True):
            if isinstance(written, Written):
                job.deliver(_answered(loaded, job.work, wanted, written))
            else:
                job.deliver(written)


def _answered(loaded: Loaded, asked: _Asked, wanted: Wanted, written: Written) -> Reply:
    request = asked.request
    sent: dict[str, Any] = {
        **{name: value for name, value in request.params.items() if value is not None},
        "max_tokens": asked.sampling.max_tokens,
        "temperature": asked.sampling.temperature,
        **_place(loaded, asked),
    }
    if request.choices > 1:
        sent["n"] = request.choices
    return Reply(
        choices=written.choices,
        usage=Usage(input_tokens=len(wanted.ids), output_tokens=written.tokens),
        model=request.model,
        fingerprint=loaded.fingerprint,
        sent=sent,
    )


def _place(loaded: Loaded, asked: _Asked) -> dict[str, JSON]:
    """How the model was loaded: part of what was really done."""
    return {**asked.request.extra_body, "device": loaded.device, "dtype": loaded.dtype}
