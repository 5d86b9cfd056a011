"""The offline judge of `score`: reads what a model gives to an answer that it was shown."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from agents.judges.base import Verdict
from auditor.finite import finite
from auditor.protocols.spatial_tracing.values import LOG_PROBABILITY, MOST, REWARD, ROUNDING, TASK
from auditor.types import JSON

_VERSION = 1
_PLACEHOLDER = -1000.0
"""No answer of a word or two is so unlikely: endpoints write -9999 for "not computed"."""
_NO_REWARD = -9999.0

_NONE = Verdict(False, reason="no score")
_TWO = Verdict(False, reason="two scores")
_NO_NUMBER = Verdict(False, reason="score is no number")
_NOT_COMPUTED = Verdict(False, reason="placeholder score")
_ABOVE = Verdict(False, reason="log-probability above 0")
_HUGE = Verdict(False, reason="score out of range")


class ScoreJudge:
    """Reads `{"reward": x}`, or `{"log_probability": x}` with the number of tokens beside it.

    The value is the same object with its one score. Nothing is guessed. Reasons of invalid ones:
    "no score" (another text, or JSON of another kind), "two scores", "score is no number" (null,
    NaN, infinite, a text), "placeholder score" (-9999, or a log-probability below -1000),
    "log-probability above 0", "score out of range" (beyond 1e100 either way).
    """

    task = TASK
    name = "score"

    @property
    def configuration(self) -> Mapping[str, JSON]:
        """Version of the rules and what counts as a placeholder."""
        return {
            "judge": "score.score",
            "version": _VERSION,
            "placeholder": {LOG_PROBABILITY: _PLACEHOLDER, REWARD: _NO_REWARD},
        }

    def judge(self, text: str) -> Verdict:
        """The verdict on one text."""
        found = _object(text)
        kinds = [kind for kind in (REWARD, LOG_PROBABILITY) if kind in found]
        if len(kinds) != 1:
            return _TWO if kinds else _NONE
        (kind,) = kinds
        score = finite(found[kind])
        if score is None:
            return _NO_NUMBER
        if score == _NO_REWARD or (kind == LOG_PROBABILITY and score <= _PLACEHOLDER):
            return _NOT_COMPUTED
        if kind == LOG_PROBABILITY:
            return Verdict(True, {kind: min(score, 0.0)}) if score <= ROUNDING else _ABOVE
        return Verdict(True, {kind: score}) if abs(score) <= MOST else _HUGE


def _object(text: str) -> Mapping[str, Any]:
    """The JSON object that the text is; an empty one for any other text."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
