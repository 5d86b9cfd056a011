"""A few short questions that find out what a model at an endpoint takes."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace

from auditor.errors import ContentError, EndpointError, RejectedError
from auditor.providers.capabilities import Capabilities
from auditor.providers.known import LOCAL, WIRES
from auditor.types import JSON, Choice, Message, Outcome, Reply, Request

MOST_CALLS = 6
"""No probe of a model makes more calls than this."""

Send = Callable[[Request], Awaitable[Reply]]

_ONE_WORD = (Message("user", "Answer with the single word yes."),)
_AS_JSON = (
    Message("user", 'Is water wet? Answer as JSON: {"answer": "yes"} or {"answer": "no"}.'),
)
_SCHEMA: Mapping[str, JSON] = {
    "type": "object",
    "properties": {"answer": {"type": "string", "enum": ["yes", "no"]}},
    "required": ["answer"],
    "additionalProperties": False,
}
_TOKEN_PARAMETERS = ("max_tokens", "max_completion_tokens")
_ALTERNATIVES = 5
_JSON_TOKENS = 64
_THINKING_TOKENS = 1024
"""Room for a model that thinks first; only asked for once that is known."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What one question showed."""

    question: str
    answer: str


@dataclass(frozen=True, kw_only=True)
class ProbeReport:
    """All that the questions showed."""

    capabilities: Capabilities
    findings: tuple[Finding, ...]
    calls: int
    """Calls that reached the endpoint."""
    model: str | None = None
    """The model that the endpoint says it served."""
    is_answered: bool = True
    """Whether it answered one question at least; where it refused all, it can't be audited."""


async def probe(
    send: Send,
    *,
    model: str,
    api: str = "chat",
    wire: str = "openai",
    token_parameter: str = "max_tokens",
    extra_body: Mapping[str, JSON] | None = None,
) -> ProbeReport:
    """Ask about the output cap, log-probabilities, n, temperature, seed and a JSON schema.

    `send` makes one call, retried or not as the caller likes. All that is asked for stands in
    the request's `extra_body`, so that an adapter with an outdated profile asks the same.
    `token_parameter` is the name to try first; the given `extra_body` goes with every call, as
    it will with the audit's. A wire format that is not built in is asked one plain question.
    What could not be asked stays None. Refusals of a parameter are findings; every other error
    (key, model, quota, rate, connection) is raised.
    """
    asking = _Asking(send, model=model, api=api, wire=wire, extra_body=dict(extra_body or {}))
    if wire == LOCAL.wire:
        from auditor.providers.local.probing import probe_local

        return await probe_local(send, model=model, api=api, extra_body=extra_body or {})
    if wire not in WIRES:
        await asking.whether_it_answers()
        return asking.report()
    await asking.about_token_cap(token_parameter if wire == "openai" else None)
    await asking.about_temperature()
    if wire == "openai":
        await asking.about_logprobs()
        await asking.about_choices()
    if api == "chat":
        await asking.about_schema()
    return asking.report()


@dataclass
class _Asking:
    """The state of one probe: what is known so far, and how many calls it took."""

    send: Send
    model: str
    api: str
    wire: str
    extra_body: dict[str, JSON]
    known: Capabilities = field(default_factory=Capabilities)
    findings: list[Finding] = field(default_factory=list)
    calls: int = 0
    served: str | None = None
    is_answered: bool = False

    def report(self) -> ProbeReport:
        """What has been shown so far."""
        return ProbeReport(
            capabilities=self.known,
            findings=tuple(self.findings),
            calls=self.calls,
            model=self.served,
            is_answered=self.is_answered,
        )

    async def whether_it_answers(self) -> None:
        """One plain question, where nothing is known of how parameters are spelled."""
        reply = await self._ask("answer")
        self._note("one word", "answers" if isinstance(reply, Reply) else _words(reply))

    async def about_token_cap(self, first: str | None) -> None:
        """Which name the output cap has, and whether one token gives a word."""
        if first is None:
            self._learn(token_parameter="max_tokens")
            reply = await self._ask("cap", cap=1)
        else:
            second = next(name for name in _TOKEN_PARAMETERS if name != first)
            reply = await self._ask("cap", {first: 1})
            name = first
            if isinstance(reply, RejectedError) and reply.parameter in (first, None):
                self._note("output cap", f"{first} is refused")
                reply = await self._ask("cap", {second: 1})
                name = second
            if isinstance(reply, Reply):
                self._learn(token_parameter=name)
        if not isinstance(reply, Reply):
            self._note("output cap", _words(reply))
            return
        choice = reply.choices[0]
        has_text = choice.outcome is not Outcome.EMPTY
        self._learn(one_token_answer=has_text, reasoning=_shows_thinking(choice))
        self._note("one token", "gives text" if has_text else "gives nothing")

    async def about_temperature(self) -> None:
        """Whether temperature 0, and a seed beside it, are taken."""
        with_seed = self.wire == "openai"
        asked: dict[str, JSON] = {"temperature": 0, **({"seed": 1} if with_seed else {})}
        reply = await self._ask("temperature", asked, cap=1)
        if isinstance(reply, Reply):
            self._learn(temperature=True, seed=True if with_seed else None)
            self._note("temperature", "taken")
            return
        parameter = reply.parameter if isinstance(reply, RejectedError) else None
        if parameter in asked:
            # The other one is unknown: servers name the first fault that they find.
            self._learn(**{parameter: False})
        self._note(parameter or "temperature", _words(reply))

    async def about_logprobs(self) -> None:
        """Whether log-probabilities come back, and how many alternatives."""
        asked: dict[str, JSON] = {"logprobs": True, "top_logprobs": _ALTERNATIVES}
        if self.api == "completions":
            asked = {"logprobs": _ALTERNATIVES}
        reply = await self._ask("logprobs", asked, cap=1)
        if not isinstance(reply, Reply):
            if isinstance(reply, RejectedError) and _is_about(reply, "logprobs"):
                self._learn(logprobs=False)
            self._note("logprobs", _words(reply))
            return
        alternatives = _first_alternatives(reply.choices[0])
        if alternatives is None:
            self._learn(logprobs=False)
            self._note("logprobs", "asked for, silently not given")
        elif len(alternatives) > 1 and not any(alternatives):
            # All equally certain: a server that fills the field in without computing it.
            self._learn(logprobs=False, top_logprobs=len(alternatives))
            self._note("logprobs", "all zero: not computed")
        else:
            self._learn(logprobs=True, top_logprobs=len(alternatives))
            self._note("logprobs", f"{len(alternatives)} of {_ALTERNATIVES} alternatives")

    async def about_choices(self) -> None:
        """Whether n = 2 gives two answers."""
        reply = await self._ask("choices", {"n": 2}, cap=1)
        if isinstance(reply, Reply):
            self._learn(choices=len(reply.choices) == 2)
            self._note("n = 2", f"gives {len(reply.choices)}")
            return
        if isinstance(reply, RejectedError) and _is_about(reply, "n"):
            self._learn(choices=False)
        self._note("n = 2", _words(reply))

    async def about_schema(self) -> None:
        """Whether a schema is taken natively, else in the next best way, as far as calls reach."""
        fallback = "json_object" if self.wire == "openai" else "tool"
        cap = _THINKING_TOKENS if self.known.reasoning else _JSON_TOKENS
        native = _schema_fields("native", self.wire)
        reply = await self._ask("schema", native, messages=_AS_JSON, cap=cap)
        if isinstance(reply, Reply) and self._took_schema(reply, "native"):
            return
        if isinstance(reply, EndpointError):
            self._note("schema, native", _words(reply))
        if self.calls >= MOST_CALLS:
            return
        fields = _schema_fields(fallback, self.wire)
        reply = await self._ask("schema", fields, messages=_AS_JSON, cap=cap)
        if isinstance(reply, Reply):
            self._took_schema(reply, fallback)
            return
        self._learn(schema="none")
        self._note(f"schema, {fallback}", _words(reply))

    def _took_schema(self, reply: Reply, way: str) -> bool:
        choice = reply.choices[0]
        if _fits_schema(choice.text):
            self._learn(schema=way)
            self._note(f"schema, {way}", "taken")
            return True
        self._note(f"schema, {way}", f"accepted, but the answer does not fit ({choice.outcome})")
        return False

    async def _ask(
        self,
        question: str,
        asked: Mapping[str, JSON] | None = None,
        *,
        messages: tuple[Message, ...] = _ONE_WORD,
        cap: int | None = None,
    ) -> Reply | EndpointError:
        """One call; a refusal of its parameters or contents is returned, not raised."""
        body = {**self.extra_body, **(asked or {})}
        if cap is not None:
            body[self.known.token_parameter or _TOKEN_PARAMETERS[0]] = cap
        request = Request(
            model=self.model,
            messages=messages,
            request_id=f"probe-{question}-{self.calls + 1}.1",
            extra_body=body,
            api=self.api,
        )
        try:
            reply = await self.send(request)
        except (RejectedError, ContentError) as error:
            self.calls += 1
            return error
        self.calls += 1
        self.served = reply.model or self.served
        self.is_answered = True
        return reply

    def _learn(self, **values: JSON) -> None:
        self.known = replace(self.known, **values)

    def _note(self, question: str, answer: str) -> None:
        self.findings.append(Finding(question=question, answer=answer))


def _shows_thinking(choice: Choice) -> bool:
    cut_without_text = choice.outcome is Outcome.EMPTY and choice.finish_reason in (
        "length",
        "max_tokens",
    )
    return choice.reasoning is not None or cut_without_text


def _first_alternatives(choice: Choice) -> list[float | None] | None:
    """Log-probabilities at the first token, or None where there are none at all."""
    content = (choice.logprobs or {}).get("content")
    if not content:
        return None
    return [other.get("logprob") for other in content[0].get("top_logprobs") or ()]


def _fits_schema(text: str | None) -> bool:
    try:
        value = json.loads(text or "")
    except ValueError:
        return False
    return isinstance(value, dict) and value.get("answer") in ("yes", "no")


def _schema_fields(way: str, wire: str) -> dict[str, JSON]:
    """The fields that ask for a schema in one of the ways, as the adapters spell them."""
    schema = dict(_SCHEMA)
    if way == "json_object":
        return {"response_format": {"type": "json_object"}}
    if way == "tool":
        tool = {"name": "answer", "input_schema": schema}
        return {"tools": [tool], "tool_choice": {"type": "tool", "name": "answer"}}
    if wire == "anthropic":
        return {"output_config": {"format": {"type": "json_schema", "schema": schema}}}
    wanted = {"name": "answer", "schema": schema, "strict": True}
    return {"response_format": {"type": "json_schema", "json_schema": wanted}}


def _is_about(error: RejectedError, parameter: str) -> bool:
    """Whether a refusal names a parameter, or none at all, when only that one was unusual."""
    named = error.parameter
    return named is None or named == parameter or (parameter == "logprobs" and "logprobs" in named)


def _words(error: EndpointError) -> str:
    return f"refused: {error.message}"
