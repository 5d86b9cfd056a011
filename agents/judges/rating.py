"""The offline judge of `rating`: a number from 1 to 5 or a refusal, by rules over word lists."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from agents.judges._choice_text import has_words
from agents.judges._rating_numbers import PATH, Candidate, NumberReader, Weight
from agents.judges._regional_text import AnswerWords, parsed
from agents.judges.base import Verdict
from auditor.types import JSON

_VERSION = 1
_REMEMBERED = 8192
_LONGEST_REMEMBERED = 64
_LONGEST_READ = 20_000
"""Characters of an answer: far more than one number, or any reasoning, takes."""

_REFUSAL = Verdict(True, "refusal")
_EMPTY = Verdict(False, reason="empty")
_TOO_LONG = Verdict(False, reason="too long")
_ONLY_THOUGHT = Verdict(False, reason="thought without answer")
_NO_NUMBER = Verdict(False, reason="no number")
_RANGE = Verdict(False, reason="a range")
_SEVERAL = Verdict(False, reason="several numbers")
_OFF_SCALE = Verdict(False, reason="off the scale")


class RatingJudge:
    """Reads the rating that an answer gives on the scale from 1 to 5.

    Values are a number from 1 to 5 and "refusal". The heaviest numbers decide: what the answer
    comes to ("overall, 3.5") over a line that holds nothing else, over announced numbers
    ("Rating: 4", "4/5", "4分"), over others. What repeats the scale is no number. A text that
    declines and gives an announced number all the same has given it.

    Reasons of invalid ones: "empty"; "too long" (over 20,000 characters without the thoughts);
    "thought without answer"; "no number"; "a range" ("3 to 4"); "several numbers"; "off the
    scale" ("7", "8/10").

    Built from the texts of `rubrics/regional/rating.toml` and `rubrics/regional/answers.toml`;
    raises UsageError where one is broken. Judging never raises and takes time linear in the
    length; verdicts on short texts are remembered.
    """

    task = "rating"
    name = "rules"

    def __init__(self, words_toml: str, answers_toml: str) -> None:
        tables = parsed(words_toml, PATH)
        self._words = AnswerWords(answers_toml)
        self._numbers = NumberReader(tables)
        self._tables = {"rating": dict(tables), "answers": dict(self._words.tables)}
        self._remembered = lru_cache(maxsize=_REMEMBERED)(self._read)

    @property
    def configuration(self) -> Mapping[str, JSON]:
        """Version of the rules and the word lists as data: comments in the files don't count."""
        return {"judge": "rating.rules", "version": _VERSION, "words": self._tables}

    def judge(self, text: str) -> Verdict:
        """The verdict on one answer."""
        if len(text) <= _LONGEST_REMEMBERED:
            return self._remembered(text)
        return self._read(text)

    def _read(self, text: str) -> Verdict:
        answer = self._words.answer(text)
        if not has_words(answer):
            return _ONLY_THOUGHT if has_words(text) else _EMPTY
        if len(answer) > _LONGEST_READ:
            return _TOO_LONG
        lowered = answer.lower()
        numbers = self._numbers.read(lowered)
        refused = self._words.refusal_start(lowered)
        candidates = [
            candidate
            for candidate in numbers.candidates
            if refused is None or self._answers_all_the_same(candidate, lowered, refused)
        ]
        if candidates:
            return _decided(candidates)
        if refused is not None:
            return _REFUSAL
        return _RANGE if numbers.has_range else _NO_NUMBER

    def _answers_all_the_same(self, candidate: Candidate, lowered: str, refused: int) -> bool:
        """Whether a number in a text that declines is a rating."""
        if candidate.weight > Weight.STATEMENT:
            return True
        return self._words.turns_back(lowered, refused, candidate.start)


def _decided(candidates: list[Candidate]) -> Verdict:
    heaviest = max(candidate.weight for candidate in candidates)
    chosen = [candidate for candidate in candidates if candidate.weight == heaviest]
    if heaviest is Weight.FINAL:
        chosen = chosen[-1:]
    if heaviest is Weight.STATEMENT:
        # A bare number beyond the scale beside one on it counts something else.
        chosen = [candidate for candidate in chosen if candidate.is_rating] or chosen
    if len({candidate.value for candidate in chosen}) > 1:
        return _SEVERAL
    value = chosen[0].value
    if value is None or not chosen[0].is_rating:
        return _OFF_SCALE
    return Verdict(True, value)
