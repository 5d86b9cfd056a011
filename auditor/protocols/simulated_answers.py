"""What all simulated answers have in common: their kinds, and the choice of a wording."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from auditor.types import Outcome, SimulatedAnswer

_WITHOUT_TEXT = {
    "api_refusal": Outcome.REFUSED,
    "filtered": Outcome.FILTERED,
    "empty": Outcome.EMPTY,
}
"""Planted kinds of answers that have no text, by their keys in a plant."""


def without_text(kind: str) -> SimulatedAnswer | None:
    """The answer of a kind that has no text; None for the others."""
    outcome = _WITHOUT_TEXT.get(kind)
    return None if outcome is None else SimulatedAnswer(text=None, outcome=outcome)


def kind_at(number: float, shares: Iterable[tuple[str, float]]) -> str | None:
    """Of kinds that share the unit interval in this order, the one that a number falls to."""
    edge = 0.0
    for kind, share in shares:
        edge += share
        if number < edge:
            return kind
    return None


def pick(choices: Sequence[str], number: float) -> str:
    """The choice that a number in [0, 1) falls on."""
    return choices[int(number * len(choices))]
