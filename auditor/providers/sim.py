"""The simulated provider: a target in this process that answers as its spec plants it.

Nothing is sent anywhere. An answer, refusal or log-probability is a pure function of the seed and
the trial's key; a fault or a latency of the seed, the key and the attempt. So a run can be stopped,
resumed and repeated, and gives the same responses.

Keys of a simulated target's `extra_body` that every protocol has in common:

- `latency_seconds`: mean time to an answer, drawn evenly from half of it to one and a half.
- `fault_rate`: share of the attempts that end in a transient error: overload (503) in half of
  them, a connection lost with the outcome unknown in the others.
- `judge_error`: share of a judge's answers that are wrong.
- `order_preference`: share of a judge's answers that are the first option, whatever is right.
- `first_gain`: what the first of two texts gains in every score of a judge that is shown pairs.
- `truth`: what is right for a judge, as JSON; without it the request's own simulation says it.

All other keys are the protocol's: its `check_plant` knows them. A target of api "reward" answers
with the rewards that its protocol plants.
"""

from __future__ import annotations

import asyncio
import json
import math
import re
from collections.abc import Awaitable, Callable, Mapping

from auditor.canonical import canonical_json, digest16
from auditor.draws import draw
from auditor.errors import TransientError
from auditor.finite import is_between
from auditor.providers.sim_schema import UNKNOWN, simulated_value
from auditor.types import JSON, Choice, Message, Outcome, Reply, Request, SimulatedAnswer, Usage

_BYTES_PER_TOKEN = 4
_TOKENS_PER_MESSAGE = 4
_WORD = re.compile(r"\s*\S+")
_ATTEMPT = re.compile(r"\.\d+(?=,|$)")
_ALLOWED = {
    "latency_seconds": (0.0, 3600.0),
    "fault_rate": (0.0, 1.0),
    "judge_error": (0.0, 1.0),
    "order_preference": (0.0, 1.0),
    "first_gain": (-1.0, 1.0),
}
COMMON_KEYS = (*_ALLOWED, "truth")
"""Keys of a plant that are no protocol's own."""
_FINISH_REASONS = {
    Outcome.ANSWERED: "stop",
    Outcome.EMPTY: "stop",
    Outcome.TRUNCATED: "length",
    Outcome.FILTERED: "content_filter",
    Outcome.REFUSED: "refusal",
}


def check_common_plant(extra_body: Mapping[str, JSON]) -> tuple[dict[str, JSON], str | None]:
    """The keys that are left for the protocol, and what is wrong with the common ones, or None."""
    rest = {key: value for key, value in extra_body.items() if key not in COMMON_KEYS}
    for key, (low, high) in _ALLOWED.items():
        value = extra_body.get(key, 0.0)
        if not is_between(value, low, high):
            return rest, (
                f"{key}: value {str(value)[:60]!r}; allowed: a number from {low:g} to {high:g}"
            )
    return rest, None


class SimProvider:
    """Answers requests by their own simulation, or by their schema.

    Args:
        seed: the run's.
        latency_seconds: used where a plant gives none.
        sleep: waits; passed in by tests.
    """

    def __init__(
        self,
        seed: int,
        *,
        latency_seconds: float = 0.0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._seed = seed
        self._latency_seconds = latency_seconds
        self._sleep = sleep
        # Requests of one cell follow each other, and share what these are made of.
        self._sent: tuple[Mapping[str, JSON], int, dict[str, JSON]] = ({}, 0, {})
        self._asked: tuple[tuple[Message, ...], int] = ((), 0)

    async def send(self, request: Request, *, timeout_seconds: float) -> Reply:
        """One choice for each trial. Raises TransientError for planted faults and time-outs."""
        plant = request.extra_body
        keys = _keys(request)
        sent = self._sent_of(request)
        mean = float(plant.get("latency_seconds", self._latency_seconds))
        if mean > 0:
            latency = mean * (0.5 + draw(self._seed, "sim:latency", _attempt(request, keys)))
            await self._sleep(min(latency, timeout_seconds))
            if latency > timeout_seconds:
                raise TransientError(
                    f"no answer within {timeout_seconds:g} s", unknown=True, sent=sent
                )
        if plant.get("fault_rate"):
            self._fail(plant["fault_rate"], _attempt(request, keys), sent)
        choices = tuple(self._choice(request, key) for key in keys)
        return Reply(
            choices=choices,
            usage=self._usage(request, choices),
            model=f"sim:{request.model}",
            sent=sent,
        )

    async def close(self) -> None:
        """Nothing is open."""

    def _sent_of(self, request: Request) -> dict[str, JSON]:
        params, choices, sent = self._sent
        if choices != request.choices or params != request.params:
            sent = {"simulated": True, **request.params}
            if request.choices > 1:
                sent["n"] = request.choices
            self._sent = (request.params, request.choices, sent)
        return sent

    def _usage(self, request: Request, choices: tuple[Choice, ...]) -> Usage:
        """A quarter of the bytes; never more than an output cap, which a real endpoint keeps."""
        asked, inputs = self._asked
        if asked is not request.messages:
            inputs = sum(_TOKENS_PER_MESSAGE + _tokens(turn.content) for turn in request.messages)
            self._asked = (request.messages, inputs)
        if request.schema is not None:
            inputs += _tokens(canonical_json(dict(request.schema)))
        cap = request.params.get("max_tokens")
        outputs = [_tokens(choice.text) for choice in choices]
        return Usage(
            input_tokens=inputs,
            output_tokens=sum(outputs if cap is None else (min(n, int(cap)) for n in outputs)),
        )

    def _fail(self, rate: float, attempt: str, sent: dict[str, JSON]) -> None:
        fate = draw(self._seed, "sim:fault", attempt)
        if fate >= rate:
            return
        if fate < rate / 2:
            raise TransientError("simulated fault: overloaded", status=503, sent=sent)
        raise TransientError("simulated fault: connection lost", unknown=True, sent=sent)

    def _choice(self, request: Request, key: bytes) -> Choice:
        answer = self._answer(request, key)
        text, outcome = answer.text, answer.outcome
        if request.api == "reward" and answer.reward is not None:
            text = json.dumps({"reward": answer.reward})
        if outcome is Outcome.ANSWERED and text is not None:
            # A score is no text that a model writes, so that no cap can cut it.
            cap = None if request.params.get("score") else request.params.get("max_tokens")
            text, is_cut = _cut(text, None if cap is None else int(cap))
            outcome = Outcome.TRUNCATED if is_cut else outcome
        if outcome.is_judged and not (text or "").strip():
            outcome = Outcome.EMPTY
        return Choice(
            outcome=outcome,
            text=text,
            finish_reason=_FINISH_REASONS[outcome],
            logprobs=_logprobs(request.params, text, answer.token_logprobs),
        )

    def _answer(self, request: Request, key: bytes) -> SimulatedAnswer:
        def drawn(stream: str) -> float:
            return draw(self._seed, f"sim:{stream}", key)

        plant = request.extra_body
        answer = None
        if request.simulate is not None:
            answer = request.simulate(plant, drawn)
        if request.schema is None:
            return answer or SimulatedAnswer(text="OK")
        if answer is not None and not answer.outcome.is_judged:
            return answer
        truth, error = plant.get("truth", UNKNOWN), plant.get("judge_error", 0.0)
        if truth is UNKNOWN and answer is not None and answer.text is not None:
            truth = _as_json(answer.text)
            if answer.mistaken is not None:
                # Its fields are wrong together, so that the answer still fits its text.
                truth = _as_json(answer.mistaken) if drawn("judge-error") < error else truth
                error = 0.0
        value = simulated_value(
            request.schema,
            lambda stream: drawn(f"judge-{stream}"),
            truth=truth,
            error=error,
            order_preference=plant.get("order_preference", 0.0),
        )
        return SimulatedAnswer(text=json.dumps(value, ensure_ascii=False))


def _keys(request: Request) -> tuple[bytes, ...]:
    """What each choice is a function of: a target's trial, or all of a judge's question."""
    if request.schema is None and len(request.trials) >= request.choices:
        return request.trials
    asked = [
        request.model,
        _ATTEMPT.sub("", request.request_id),
        [message.as_json() for message in request.messages],
        dict(request.params),
        [trial.hex() for trial in request.trials],
    ]
    return tuple(digest16(["sim", asked, place]) for place in range(request.choices))


def _attempt(request: Request, keys: tuple[bytes, ...]) -> str:
    return f"{keys[0].hex()}.{request.attempt}"


def _cut(text: str, max_tokens: int | None) -> tuple[str, bool]:
    """The text up to so many words, one word counting as a token, and whether that cut it."""
    if max_tokens is None:
        return text, False
    words = list(_WORD.finditer(text))
    if len(words) <= max_tokens:
        return text, False
    return text[: words[max_tokens - 1].end()] if max_tokens > 0 else "", True


def _as_json(text: str) -> JSON:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _tokens(text: str | None) -> int:
    return math.ceil(len((text or "").encode("utf-8", "surrogatepass")) / _BYTES_PER_TOKEN)


def _logprobs(
    params: Mapping[str, JSON], text: str | None, token_logprobs: Mapping[str, float] | None
) -> JSON:
    """OpenAI's chat form for the first token; None unless asked for and simulated."""
    if not params.get("logprobs") or not token_logprobs:
        return None
    ranked = sorted(token_logprobs.items(), key=lambda item: (-item[1], item[0]))
    said = next((item for item in ranked if (text or "").startswith(item[0])), ranked[0])
    top = [_token(*item) for item in ranked[: int(params.get("top_logprobs") or 0)]]
    return {"content": [{**_token(*said), "top_logprobs": top}]}


def _token(token: str, logprob: float) -> dict[str, JSON]:
    return {"token": token, "logprob": logprob, "bytes": list(token.encode())}
