"""What an annotation of the task `rubric` may be: scores by dimension."""

from __future__ import annotations

from collections.abc import Collection

from auditor.finite import is_between
from auditor.types import JSON

_SHOWN = 60


def check_scores(value: JSON, dimensions: Collection[str]) -> str | None:
    """None for an object of dimensions to numbers from 0 to 1, else what is allowed.

    A dimension that is absent is missing; an object without any is not allowed. True, texts, NaN
    and numbers beyond a double are none.
    """
    if not isinstance(value, dict) or not value:
        return "an object of dimensions to numbers from 0 to 1, with one at least"
    for key, score in value.items():
        if key not in dimensions:
            return f"at {_shown(key)}: dimensions of the rubric: {', '.join(dimensions)}"
        if not is_between(score, 0, 1):
            return f"at {_shown(key)}: a number from 0 to 1; a missing dimension is left out"
    return None


def _shown(key: JSON) -> str:
    return repr(key)[:_SHOWN]
