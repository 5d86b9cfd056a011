"""Whether a reply from an outside package holds what its fields are declared to hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from auditor.canonical import canonical_json
from auditor.providers.fields import count_of
from auditor.types import Choice, Outcome, RateHints, Usage


def unfit_field(reply: Any) -> str | None:
    """The first field that is not of its kind, or None. It would break the run, not the call."""
    return next((name for name, is_fit in _checked(reply) if not is_fit), None)


def _checked(reply: Any) -> Iterator[tuple[str, bool]]:
    # Lazily: each check may rely on those before it.
    yield "usage", isinstance(reply.usage, Usage)
    yield "usage.input_tokens", _is_count(reply.usage.input_tokens)
    yield "usage.output_tokens", _is_count(reply.usage.output_tokens)
    yield "status", type(reply.status) is int
    yield "model", isinstance(reply.model, str | None)
    yield "fingerprint", isinstance(reply.fingerprint, str | None)
    yield "hints", reply.hints is None or _are_hints(reply.hints)
    yield "sent", isinstance(reply.sent, Mapping) and _is_json(dict(reply.sent))
    yield "choices", isinstance(reply.choices, tuple | list)
    for choice in reply.choices:
        yield "choices", isinstance(choice, Choice)
        yield "outcome", isinstance(choice.outcome, Outcome)
        for name in ("text", "reasoning", "finish_reason"):
            yield name, isinstance(getattr(choice, name), str | None)
        yield "logprobs", _is_json(choice.logprobs)


def _is_count(value: Any) -> bool:
    return value is None or (type(value) is int and count_of(value) is not None)


def _are_hints(value: Any) -> bool:
    return (
        isinstance(value, RateHints)
        and _is_count(value.remaining_requests)
        and _is_count(value.remaining_tokens)
        and isinstance(value.reset_seconds, int | float | None)
    )


def _is_json(value: Any) -> bool:
    try:
        canonical_json(value)
    except (TypeError, ValueError, RecursionError):
        return False
    return True
