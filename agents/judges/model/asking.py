"""Asking a model for typed output: pydantic-ai validates it and asks again, we carry each call.

This module loads pydantic-ai. What goes over the wire is made here and in the adapters alone, so
that limits, budget and journal see every request, output retries included.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from typing import Any

import pydantic_ai
from pydantic import BaseModel, ValidationError
from pydantic_ai import Agent, ModelRetry, NativeOutput, RunContext
from pydantic_ai.exceptions import UnexpectedModelBehavior
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    RetryFeedbackPart,
    TextPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RequestUsage

from agents.judges.base import Verdict
from agents.judges.model.exchange import Exchange, Judged
from agents.judges.model.fence import defused
from agents.judges.model.judge import OUTPUT_RETRIES, ModelJudge
from auditor.errors import ContentError
from auditor.types import Choice, Message, Outcome, Reply

# A banner of another program has no place in a run's output.
pydantic_ai.BANNER_ENABLED = False

Send = Callable[[Exchange, tuple[Message, ...]], Awaitable[Reply]]

_EXCHANGE: ContextVar[Exchange] = ContextVar("exchange")
_THOUGHT = re.compile(r"^\s*<(think|thinking|reasoning)>.*?</\1>", re.DOTALL)
_PLAIN = re.compile(r"[A-Za-z0-9_]{1,60}")
_LONGEST_ECHO = 4000
"""Characters of an output that does not fit which its judge is shown again."""
_REASONS = {
    Outcome.REFUSED: "judge refused",
    Outcome.FILTERED: "judge filtered",
    Outcome.EMPTY: "judge said nothing",
    Outcome.TRUNCATED: "judge cut off",
    Outcome.ANSWERED: "judge answered in another form",
}
_CUT = ("length", "max_tokens")


class TypedAsking:
    """Asks one judge's model about texts, any number of them at once."""

    def __init__(self, judge: ModelJudge, send: Send) -> None:
        self._judge = judge
        self._send = send
        self._agent: Agent[str, BaseModel] = Agent(
            _CarriedModel(judge.asked.model, send),
            # The adapter chooses how the schema is asked for; what comes back is JSON as text.
            output_type=NativeOutput(
                judge.reading.output, name="answer", description=judge.prompt.output
            ),
            instructions=judge.prompt.instructions,
            retries=OUTPUT_RETRIES,
            deps_type=str,
        )
        self._agent.output_validator(self._checked)

    async def ask(self, exchange: Exchange) -> Judged:
        """The judge's verdict, asked for again where its output does not fit.

        An output that was cut at its token limit is not: the next one would be cut, too.

        Raises what `send` raises, but for a content filter: that is a verdict, as a refusal is.
        """
        token = _EXCHANGE.set(exchange)
        try:
            output = await self._first_output(exchange)
            if output is None:
                question = exchange.messages[-1].content
                result = await self._agent.run(question, deps=exchange.source.text)
                output = result.output
        except _DeclinedError as declined:
            return _unread(exchange, declined.outcome, declined.text)
        except ContentError:
            return _unread(exchange, Outcome.FILTERED)
        except UnexpectedModelBehavior:
            last = exchange.replies[-1].choices[0]
            return _unread(exchange, last.outcome, last.text)
        finally:
            _EXCHANGE.reset(token)
        return Judged(self._judge.verdicts(output, exchange.question))

    async def _first_output(self, exchange: Exchange) -> BaseModel | None:
        """The output of the first reply, or None where it takes a run of pydantic-ai's agent.

        Such a run costs some 10 ms of the event loop, and most first replies fit. One that does
        not is played back to it, so that it counts, validates and asks again from the start.
        """
        if not exchange.replies:
            exchange.replies.append(await self._send(exchange, exchange.messages))
        text = _text(exchange.replies[0])
        try:
            output = self._judge.reading.output.model_validate_json(text)
        except ValidationError:
            return None
        is_fitting = self._judge.reading.complaint(output, exchange.source.text) is None
        return output if is_fitting else None

    def _checked(self, context: RunContext[str], output: BaseModel) -> BaseModel:
        complaint = self._judge.reading.complaint(output, context.deps)
        if complaint is not None:
            raise ModelRetry(complaint)
        return output


class _CarriedModel(Model[None]):
    """A model whose requests are carried by `send`, which knows the exchange they belong to."""

    def __init__(self, name: str, send: Send) -> None:
        super().__init__(profile=ModelProfile(supports_json_schema_output=True))
        self._name = name
        self._send = send

    @property
    def model_name(self) -> str:
        """The model as the endpoint knows it."""
        return self._name

    @property
    def system(self) -> str:
        """What stands where pydantic-ai names a vendor."""
        return "auditor"

    def prepare_messages(
        self,
        messages: list[ModelMessage],
        model_request_parameters: ModelRequestParameters | None = None,
    ) -> list[ModelMessage]:
        """As they are: all words that are sent stand in the judge's prompt or in this module."""
        return messages

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """The next reply of the exchange: one that it has already, or that of a call."""
        exchange = _EXCHANGE.get()
        turn = sum(isinstance(message, ModelResponse) for message in messages)
        if turn == len(exchange.replies):
            exchange.replies.append(await self._send(exchange, _turns(messages)))
        return _response(exchange.replies[turn])


class _DeclinedError(Exception):
    """The endpoint refused to judge, or filtered the judgement; asking again changes nothing."""

    def __init__(self, choice: Choice) -> None:
        super().__init__(str(choice.outcome))
        self.outcome = choice.outcome
        self.text = choice.text


def _unread(exchange: Exchange, outcome: Outcome, raw: str | None = None) -> Judged:
    """Nothing can be read of the answer: invalid for every source that was shown."""
    verdict = Verdict(False, reason=_REASONS[outcome])
    return Judged((verdict,) * len(exchange.subject.shown), raw)


def _turns(messages: Sequence[ModelMessage]) -> tuple[Message, ...]:
    """Our messages: one system prompt, then turns of the user and the judge by turns."""
    turns: list[tuple[str, list[str]]] = []
    instructions = ""
    for message in messages:
        if isinstance(message, ModelRequest):
            instructions = message.instructions or instructions
            role, words = "user", [_words(part) for part in message.parts]
        else:
            said = "".join(part.content for part in message.parts if isinstance(part, TextPart))
            role, words = "assistant", [defused(said[:_LONGEST_ECHO])] if said else []
        if words and turns and turns[-1][0] == role:
            # Some chat templates refuse two turns of one side in a row.
            turns[-1][1].extend(words)
        elif words:
            turns.append((role, words))
    spoken = (Message(role, "\n\n".join(words)) for role, words in turns)
    return (Message("system", instructions), *spoken)


def _words(part: ModelRequestPart) -> str:
    if isinstance(part, UserPromptPart) and isinstance(part.content, str):
        return part.content
    if isinstance(part, RetryFeedbackPart):
        return (
            f"That cannot be used: {_problem(part)}. Give your answer again, as one JSON object"
            " that fits the schema, and nothing else."
        )
    raise TypeError(f"a judge has no words for {type(part).__name__}")


def _problem(part: RetryFeedbackPart) -> str:
    """What was wrong, in words that quote nothing of what the judge said."""
    if part.retry.cause == "no_output":
        return "there was no text"
    if isinstance(part.content, str):
        return part.content
    return "; ".join(dict.fromkeys(_sentence(error) for error in part.content))


def _sentence(error: Any) -> str:
    if error["type"] == "extra_forbidden":
        return "it holds a field that the schema does not have"
    # A step that is no plain name comes from the judge, who may have it from the text.
    steps = [str(step) for step in error["loc"]]
    place = ".".join(step if _PLAIN.fullmatch(step) else "a field" for step in steps)
    return f"{place}: {error['msg']}" if place else str(error["msg"])


def _text(reply: Reply) -> str:
    """What was said, without the thinking that some servers leave in it."""
    choice = reply.choices[0]
    if choice.outcome in (Outcome.REFUSED, Outcome.FILTERED):
        raise _DeclinedError(choice)
    return _THOUGHT.sub("", choice.text or "", count=1).strip()


def _response(reply: Reply) -> ModelResponse:
    text = _text(reply)
    return ModelResponse(
        parts=[TextPart(text)] if text else [],
        usage=RequestUsage(
            input_tokens=reply.usage.input_tokens or 0, output_tokens=reply.usage.output_tokens or 0
        ),
        finish_reason="length" if reply.choices[0].finish_reason in _CUT else "stop",
    )
