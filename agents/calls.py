"""From a call's end to the record of it: what an answer or an error is in the store's terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from auditor.canonical import canonical_json
from auditor.endpoints import Estimate
from auditor.errors import ContentError, EndpointError
from auditor.store.records import CallRecord, PlannedTrial, ResponseRow
from auditor.types import JSON, Choice, Outcome, Reply


class SentParameters:
    """The JSON of the parameters really sent, made once for calls that share them."""

    def __init__(self) -> None:
        self._sent: Mapping[str, JSON] | None = None
        self._json = ""

    def as_json(self, sent: Mapping[str, JSON]) -> str:
        """Canonical JSON. An object that was given last time has not changed since."""
        if sent is not self._sent:
            self._sent, self._json = sent, canonical_json(dict(sent))
        return self._json


def answered(
    reply: Reply,
    trials: Sequence[PlannedTrial],
    *,
    agent_id: int,
    endpoint_id: int,
    started_at: float,
    latency_seconds: float,
    cost_usd: float | None,
    sent: str | None = None,
) -> CallRecord:
    """The record of a call that was answered; one choice a trial, in order.

    `sent` is the JSON of the reply's `sent`, where the caller has it already.
    Fewer choices than trials leave the last trials without a response: they stay in flight, and
    the caller sends them again.
    """
    usage = reply.usage
    return CallRecord(
        agent_id=agent_id,
        endpoint_id=endpoint_id,
        state="ok",
        started_at=started_at,
        latency_ms=round(latency_seconds * 1000),
        attempt=trials[0].attempt if trials else 1,
        http_status=reply.status,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cost_usd=cost_usd,
        model=reply.model,
        fingerprint=reply.fingerprint,
        sent=canonical_json(dict(reply.sent)) if sent is None else sent,
        attempts=_attempts(trials),
        responses=[
            _response(trial, choice) for trial, choice in zip(trials, reply.choices, strict=False)
        ],
    )


def ended_in_error(
    error: EndpointError,
    trials: Sequence[PlannedTrial],
    *,
    agent_id: int,
    endpoint_id: int,
    started_at: float,
    latency_seconds: float,
) -> CallRecord:
    """The record of a call that ended in an error, without what becomes of its trials.

    A call that may have been carried out and billed is `unknown`, and keeps its reservation. A
    prompt that a content filter refused is answered: `filtered` is its outcome.
    """
    is_filtered = isinstance(error, ContentError)
    first = trials[0] if trials else None
    return CallRecord(
        agent_id=agent_id,
        endpoint_id=endpoint_id,
        state="unknown" if error.unknown else "ok" if is_filtered else "failed",
        started_at=started_at,
        latency_ms=round(latency_seconds * 1000),
        attempt=first.attempt if first else 1,
        http_status=error.status,
        cost_usd=0.0 if is_filtered else None,
        sent=None if error.sent is None else canonical_json(error.sent),
        reserved_usd=first.reserved_usd if first and error.unknown else None,
        reserved_tokens=first.reserved_tokens if first and error.unknown else None,
        error_kind=error.kind,
        error=error.message,
        attempts=_attempts(trials),
        responses=[_filtered(trial) for trial in trials] if is_filtered else (),
    )


def keep_unsaid(record: CallRecord, held: Estimate) -> None:
    """Leave what an answer's endpoint does not say counted as it was reserved, in the store too."""
    if record.cost_usd is None:
        record.reserved_usd = held.usd
    if record.input_tokens is None or record.output_tokens is None:
        record.reserved_tokens = held.tokens or held.input_tokens


def _attempts(trials: Sequence[PlannedTrial]) -> list[tuple[int, int]]:
    return [(_stored(trial.trial_id), trial.attempt) for trial in trials]


def _response(trial: PlannedTrial, choice: Choice) -> ResponseRow:
    return ResponseRow(
        trial_id=_stored(trial.trial_id),
        cell_id=_stored(trial.cell_id),
        outcome=choice.outcome,
        text=choice.text,
        reasoning=choice.reasoning,
        finish_reason=choice.finish_reason,
        logprobs=None if choice.logprobs is None else canonical_json(choice.logprobs),
    )


def _filtered(trial: PlannedTrial) -> ResponseRow:
    return ResponseRow(
        trial_id=_stored(trial.trial_id),
        cell_id=_stored(trial.cell_id),
        outcome=Outcome.FILTERED,
        text=None,
    )


def _stored(number: int | None) -> int:
    if number is None:
        raise AssertionError("a trial is sent only after its block was journaled")
    return number
