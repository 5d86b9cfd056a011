"""The offline judge of `sentiment`: how a story feels, by VADER."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from agents.judges._story_text import StoryText
from agents.judges.base import Verdict
from auditor.errors import UsageError
from auditor.types import JSON

PACKAGE = "vaderSentiment"
_VERSION = 1
_DIGITS = 4


class SentimentJudge:
    """The compound score of VADER for a whole story: from -1 (negative) to 1 (positive).

    0 is a story without words of feeling, or with as much of either; a text in another language
    is invalid and not 0. Words like "strong" and "gentle" have a feeling, too: adjectives and
    sentiment are not independent of each other.

    Invalid: as `StoryText.read` says. Built from the texts of its `MATERIALS`; raises UsageError
    where one is broken, or where the package is not installed. Judging never raises.

    Source: Hutto and Gilbert (2014), VADER, ICWSM 8.
    """

    task = "sentiment"
    name = "vader"

    def __init__(self, words_toml: str, name_toml: str) -> None:
        self._text = StoryText(words_toml, name_toml)
        try:
            self._package = f"{PACKAGE} {version(PACKAGE)}"
        except PackageNotFoundError:
            raise UsageError(
                f"the judge vader of sentiment needs the package {PACKAGE}, which is not installed",
                hint=f"pip install {PACKAGE}",
            ) from None

    @property
    def configuration(self) -> Mapping[str, JSON]:
        """Version of the rules, the package with its lexicon, and the word lists as data."""
        return {
            "judge": "sentiment.vader",
            "version": _VERSION,
            "package": self._package,
            **self._text.described,
        }

    def judge(self, text: str) -> Verdict:
        """The verdict on one story."""
        story = self._text.read(text)
        if isinstance(story, Verdict):
            return story
        compound = float(self._analyzer.polarity_scores(story)["compound"])
        return Verdict(True, round(compound, _DIGITS))

    @cached_property
    def _analyzer(self) -> Any:
        from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

        return SentimentIntensityAnalyzer()
