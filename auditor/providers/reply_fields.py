"""Whether what an outside package gives, or raises, holds what its fields are declared to hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from auditor.canonical import is_storable
from auditor.errors import EndpointError, RejectedError
from auditor.finite import finite
from auditor.providers.fields import count_of
from auditor.types import Choice, Outcome, RateHints, Usage


def unfit_field(reply: Any) -> str | None:
    """The first field that is not of its kind, or None. It would break the run, not the call."""
    return next((name for name, is_fit in _checked(reply) if not is_fit), None)


def made_fit(error: EndpointError, scrub: Callable[[str], str]) -> EndpointError:
    """An error without the key and without what it was raised from, which may hold it.

    A field that is not of its kind is unknown: an error ends a call, whatever stands in it.
    """
    # Its own class may not have set what ours does.
    given = {"message": str(error), **vars(error)}
    error.message = scrub(str(given["message"]))
    error.args = (error.message,)
    texts = ("where", "hint", "code", *(["parameter"] if isinstance(error, RejectedError) else ()))
    for name in texts:
        value = given.get(name)
        setattr(error, name, scrub(value) if isinstance(value, str) else None)
    status, wait, sent = map(given.get, ("status", "retry_after_seconds", "sent"))
    error.status = status if _is_count(status) else None
    error.retry_after_seconds = finite(wait)
    error.unknown = bool(given.get("unknown"))
    error.sent = sent if isinstance(sent, dict) and is_storable(sent) else None
    error.__cause__ = error.__context__ = None
    return error


def _checked(reply: Any) -> Iterator[tuple[str, bool]]:
    # Lazily: each check may rely on those before it.
    yield "usage", isinstance(reply.usage, Usage)
    yield "usage.input_tokens", _is_count(reply.usage.input_tokens)
    yield "usage.output_tokens", _is_count(reply.usage.output_tokens)
    yield "status", reply.status is not None and _is_count(reply.status)
    yield "model", isinstance(reply.model, str | None)
    yield "fingerprint", isinstance(reply.fingerprint, str | None)
    yield "hints", reply.hints is None or _are_hints(reply.hints)
    yield "sent", isinstance(reply.sent, Mapping) and is_storable(dict(reply.sent))
    yield "choices", isinstance(reply.choices, tuple | list)
    for choice in reply.choices:
        yield "choices", isinstance(choice, Choice)
        yield "outcome", isinstance(choice.outcome, Outcome)
        for name in ("text", "reasoning", "finish_reason"):
            yield name, isinstance(getattr(choice, name), str | None)
        yield "logprobs", is_storable(choice.logprobs)


def _is_count(value: Any) -> bool:
    return value is None or (type(value) is int and count_of(value) is not None)


def _are_hints(value: Any) -> bool:
    return (
        isinstance(value, RateHints)
        and _is_count(value.remaining_requests)
        and _is_count(value.remaining_tokens)
        and (value.reset_seconds is None or finite(value.reset_seconds) is not None)
    )
