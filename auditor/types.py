"""What flows between the parts: cells, requests, replies. Plain data, no behaviour but keys."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any, Protocol

from auditor.canonical import canonical_json, digest16

JSON = Any
"""A JSON value: None, bool, int, float, str, list or dict of them."""


class Outcome(StrEnum):
    """What an endpoint says a response is. Refusal in words is an annotation, not an outcome."""

    ANSWERED = "answered"
    REFUSED = "refused"
    """The API's own refusal field or stop reason."""
    FILTERED = "filtered"
    """A content filter, before or after the answer."""
    TRUNCATED = "truncated"
    """Cut at the token limit, with some text."""
    EMPTY = "empty"

    @property
    def is_judged(self) -> bool:
        """Judges read every response that has text; these two are the outcomes that do."""
        return self in (Outcome.ANSWERED, Outcome.TRUNCATED)


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a prompt."""

    role: str
    content: str

    def as_json(self) -> dict[str, str]:
        """The turn as chat endpoints spell it."""
        return {"role": self.role, "content": self.content}


@dataclass(frozen=True, kw_only=True)
class TargetRequest:
    """What a target adds to every prompt: all of it is part of its cells' keys."""

    provider: str
    """Provider name: "openai", "anthropic", "sim", ..."""
    model: str
    """Model name as the endpoint knows it, without the provider."""
    api: str = "chat"
    """"chat", "completions" or "reward"."""
    params: Mapping[str, JSON] = field(default_factory=dict)
    """Sampling parameters in our names: temperature, top_p, max_tokens, stop, ...

    `seed` True: every trial is sent with a seed of its own; not part of the key. `score` True (of
    a prompt): the last message is an answer that is to be scored, and nothing is sampled.
    """
    extra_body: Mapping[str, JSON] = field(default_factory=dict)
    """Sent as they are, beside the parameters; for `sim:` the planted bias."""
    system: str | None = None
    variant: str = ""
    """Free text that tells equal requests apart: host, quantisation, date."""

    @cached_property
    def key(self) -> bytes:
        """16 bytes that two targets share exactly when all their requests are equal."""
        return digest16(
            [
                "target",
                f"{self.provider}:{self.model}",
                self.api,
                without_seed(self.params),
                dict(self.extra_body),
                self.system,
                self.variant,
            ]
        )

    def as_json(self) -> dict[str, JSON]:
        """Fields by name, for messages that say which one differs."""
        return {
            "model": f"{self.provider}:{self.model}",
            "api": self.api,
            "params": without_seed(self.params),
            "extra_body": dict(self.extra_body),
            "system": self.system,
            "variant": self.variant,
        }


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """What a protocol asks in one combination of factor levels, before a target is chosen."""

    factors: Mapping[str, JSON]
    messages: tuple[Message, ...]
    params: Mapping[str, JSON] = field(default_factory=dict)
    """Parameters that are factors (temperature), laid over the target's."""
    defaults: Mapping[str, JSON] = field(default_factory=dict)
    """Parameters that the question needs and a target's own may replace, laid under them."""


@dataclass(frozen=True, kw_only=True)
class Cell:
    """All that determines a request but the repetition."""

    protocol: str
    target: str
    """Display name; not part of the key."""
    request: TargetRequest
    prompt: Prompt
    repetitions: int
    """How many trials the plan wants; not part of the key."""
    place: int = 0
    """0-based position in the target's plan; not part of the key."""

    @cached_property
    def params(self) -> dict[str, JSON]:
        """The prompt's defaults, the target's parameters, the prompt's: the later one holds."""
        return {**self.prompt.defaults, **self.request.params, **self.prompt.params}

    @cached_property
    def messages(self) -> tuple[Message, ...]:
        """The prompt's turns, led by the target's system prompt if it has one."""
        if self.request.system is None:
            return self.prompt.messages
        return (Message("system", self.request.system), *self.prompt.messages)

    @cached_property
    def key(self) -> bytes:
        """16-byte hash of the canonical form of the request and its factors."""
        return cell_key(
            self.protocol,
            self.request.as_json(),
            params=self.params,
            messages=[m.as_json() for m in self.messages],
            factors=self.prompt.factors,
        )

    @cached_property
    def factors_json(self) -> str:
        """The factors in canonical form: what "the same factors" means."""
        return canonical_json(dict(self.prompt.factors))


def without_seed(params: Mapping[str, JSON]) -> dict[str, JSON]:
    """Parameters as keys see them: a seed belongs to its trial, not to the cell."""
    return {name: value for name, value in params.items() if name != "seed"}


def cell_key(
    protocol: str,
    settings: Mapping[str, JSON],
    *,
    params: Mapping[str, JSON],
    messages: Sequence[Mapping[str, str]],
    factors: Mapping[str, JSON],
) -> bytes:
    """16-byte key of a planned cell; `settings` are its target's, as `TargetRequest.as_json`.

    `params` and `messages` are those of the whole request, in which the target's own are merged.
    """
    return digest16(
        [
            "cell",
            protocol,
            settings["model"],
            settings["api"],
            without_seed(params),
            settings["extra_body"],
            list(messages),
            dict(factors),
            settings["variant"],
        ]
    )


def imported_cell_key(protocol: str, target: str, factors: Mapping[str, JSON]) -> bytes:
    """16-byte key of a cell whose answers were collected elsewhere: never that of a planned one."""
    return digest16(["imported", protocol, target, dict(factors)])


def imported_judge_key(task: str, name: str, setting: str | None) -> bytes:
    """16-byte key of a judge that is known by its name alone, and by its setting if it has one."""
    return digest16(["imported", task, name, *([] if setting is None else [setting])])


def trial_key(cell_key: bytes, repetition: int) -> bytes:
    """16-byte key of one trial: (cell, repetition)."""
    # The canonical form of ["trial", cell, repetition], written out: there are millions of them.
    form = f'["trial","{cell_key.hex()}",{repetition:d}]'
    return hashlib.blake2b(form.encode("ascii"), digest_size=16).digest()


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """One call to be made, for one or more trials with the same prompt, or for a judge.

    Only model, messages, params, extra_body, choices and schema reach the wire; the rest is
    for the simulated provider (which answers as a pure function of it) and for headers.
    """

    model: str
    messages: tuple[Message, ...]
    request_id: str
    """Sent as X-Client-Request-Id: "<trial key>.<attempt>", comma-separated for n choices."""
    params: Mapping[str, JSON] = field(default_factory=dict)
    extra_body: Mapping[str, JSON] = field(default_factory=dict)
    choices: int = 1
    api: str = "chat"
    schema: Mapping[str, JSON] | None = None
    """JSON schema that the answer must fit (judges), else None."""
    schema_way: str | None = None
    """How the schema is asked for: "native", "tool", or "none" (in words); None: as the model's
    profile says."""
    trials: tuple[bytes, ...] = ()
    """Keys of the trials that this call serves, one a choice."""
    attempt: int = 1
    """1-based number of the attempt at the first trial."""
    simulate: Simulation | None = None
    """How `sim:` answers this protocol's prompt; never on the wire."""


class Simulation(Protocol):
    """How a simulated target answers one prompt. Pure: the same draw gives the same text.

    `plant` is the target's extra_body (the planted bias), `draw(stream)` a number in [0, 1)
    that depends on (seed, stream, trial) only.
    """

    def __call__(self, plant: Mapping[str, JSON], draw: Callable[[str], float]) -> SimulatedAnswer:
        """One answer."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedAnswer:
    """What a simulated target says."""

    text: str | None
    outcome: Outcome = Outcome.ANSWERED
    token_logprobs: Mapping[str, float] | None = None
    """Token to natural log of its probability at the first answer token, or None."""
    reward: float | None = None
    """What a reward model says in place of `text`; None: nothing of the kind was asked."""
    mistaken: str | None = None
    """JSON that a simulated judge says in place of `text` where it is wrong; None: it draws one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """Tokens of one call as the endpoint counts them; None is unknown."""

    input_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """One answer of a reply."""

    outcome: Outcome
    text: str | None
    reasoning: str | None = None
    """Thinking that the endpoint keeps apart from the answer."""
    finish_reason: str | None = None
    logprobs: JSON = None
    """The endpoint's log-probabilities in OpenAI's chat form, or None."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RateHints:
    """What response headers say about remaining allowance; None is not said."""

    remaining_requests: int | None = None
    remaining_tokens: int | None = None
    reset_seconds: float | None = None
    """Seconds until the exhausted allowance is whole again."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """What came back from one call."""

    choices: tuple[Choice, ...]
    """As many as came, in order; may be fewer than were asked for."""
    usage: Usage = Usage()
    model: str | None = None
    """The model that the endpoint says it served."""
    fingerprint: str | None = None
    sent: Mapping[str, JSON] = field(default_factory=dict)
    """The body really sent, without messages."""
    status: int = 200
    hints: RateHints | None = None


class Provider(Protocol):
    """One wire format at one base URL. Sends one request once: no retry, no limit."""

    async def send(self, request: Request, *, timeout_seconds: float) -> Reply:
        """Send one request. Raises a subclass of EndpointError; never anything else."""
        ...

    async def close(self) -> None:
        """Give connections back."""
        ...


@dataclass(frozen=True, kw_only=True)
class Price:
    """US dollars for a million tokens."""

    input: float
    output: float


CALLS_AT_ONCE = 16
"""Default of an endpoint's concurrency."""


@dataclass(frozen=True, kw_only=True)
class EndpointConfig:
    """An endpoint as the spec gives it: provider, base URL, key and limits."""

    name: str
    provider: str
    base_url: str | None = None
    api_key_env: str | None = None
    """Name of the environment variable that holds the key; the key itself is never kept here."""
    concurrency: int = CALLS_AT_ONCE
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    timeout_seconds: float = 120.0
    client: str = "http"
    """"http" (our adapter over aiohttp) or "sdk" (the vendor's client)."""
    price: Price | None = None

    @property
    def is_in_process(self) -> bool:
        """Whether nothing is sent anywhere: a simulated model, or one that runs here."""
        return self.provider in ("sim", "local")

    @property
    def longest_seconds(self) -> float:
        """How long one call may take; infinite for models that run here, which are not timed."""
        return math.inf if self.provider == "local" else self.timeout_seconds
