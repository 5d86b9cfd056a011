"""The values of the task `score`: what a model gives to an answer that it is shown."""

from __future__ import annotations

from collections.abc import Mapping

from auditor.finite import finite
from auditor.types import JSON

TASK = "score"
REWARD = "reward"
LOG_PROBABILITY = "log_probability"
MOST = 1e100
"""No score lies further from 0, so that sums and differences of scores are numbers."""
VALUE = (
    f"an object of reward (a number from -{MOST:g} to {MOST:g}) or of log_probability (a natural "
    f"log, from -{MOST:g} to 0)"
)
ROUNDING = 1e-6
"""How far above 0 the log of a probability of 1 may be rounded."""


def check_score(value: JSON) -> str | None:
    """None for a value of the task `score`, else what is allowed."""
    if not isinstance(value, Mapping) or len(value) != 1:
        return VALUE
    ((kind, score),) = value.items()
    highest = {REWARD: MOST, LOG_PROBABILITY: ROUNDING}.get(kind)
    number = finite(score)
    if highest is None or number is None or not -MOST <= number <= highest:
        return VALUE
    return None
