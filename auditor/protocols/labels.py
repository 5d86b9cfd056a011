"""What a response is counted as where no annotation value says it: one rule for all protocols.

Refused and filtered responses are refusals. Empty ones, invalid annotations, and truncated ones
that no judge could read are invalid. So labels, refusal and invalid add up to all labelled
responses.
"""

from __future__ import annotations

from auditor.protocols.base import TrialRecord
from auditor.types import Outcome

REFUSAL = "refusal"
INVALID = "invalid"
PENDING = "pending"
"""The annotation that would give the label is still to come."""

_BY_OUTCOME = {
    Outcome.REFUSED: REFUSAL,
    Outcome.FILTERED: REFUSAL,
    Outcome.EMPTY: INVALID,
}


def label_of_outcome(outcome: Outcome) -> str | None:
    """The label that an outcome gives by itself; None where an annotation gives it."""
    return _BY_OUTCOME.get(outcome)


def label_of_absent(outcome: Outcome) -> str:
    """The label of a response that outcome does not settle and that has no annotation."""
    return INVALID if outcome is Outcome.TRUNCATED else PENDING


def label_without_value(trial: TrialRecord, task: str) -> str | None:
    """Refusal, invalid or pending; None where the valid annotation of this task decides."""
    settled = label_of_outcome(trial.outcome)
    if settled is not None:
        return settled
    reading = trial.readings.get(task)
    if reading is None:
        return label_of_absent(trial.outcome)
    return None if reading.valid else INVALID
