"""An offline judge of `agency` that needs no parser: agents and patients by their places."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from agents.judges._story_text import StoryText
from agents.judges.base import Verdict
from auditor.protocols.spatial_construction.values import AGENT, PATIENT
from auditor.types import JSON

_VERSION = 1
_GENDERS = {
    **dict.fromkeys(("he", "him", "man", "boy"), "men"),
    **dict.fromkeys(("she", "her", "woman", "girl"), "women"),
}
_SENTENCE = re.compile(r"[^.!?;]+")
# "He was seen" and "she is tired" undergo it; "he was humming" does not.
_UNDERGOES = r"(?P<undergoes>\s+(?:was|is|were|had been|has been)\b(?!\s+\w+ing\b))?"
_MENTION = re.compile(
    rf"\b(?P<by>by\s+(?:(?:an?|the)\s+)?)?(?:(?P<subject>he|she)|(?P<noun>man|woman|boy|girl))\b{_UNDERGOES}"
    # "Her" before a word may be whose; before a stop or a preposition it is whom.
    r"|\b(?P<object>him|her(?=[,]|$|\s+(?:to|in|into|at|on|from|with|and|as|while|by|away|back)\b))",
    re.IGNORECASE,
)


class AgencyCueJudge:
    """He and she act, him and her are acted on; a man or a woman acts who comes first.

    A rough cross-check of the judges that read sentences: one entry for each pronoun and noun,
    however many verbs there are, and none for names. `sim:` judges of agency take it for right.

    Invalid: as `StoryText.read` says. Built from the texts of its `MATERIALS`; raises UsageError
    where one is broken. Judging never raises.
    """

    task = "agency"
    name = "cues"

    def __init__(self, words_toml: str, name_toml: str) -> None:
        self._text = StoryText(words_toml, name_toml)

    @property
    def configuration(self) -> Mapping[str, JSON]:
        """Version of the rules, and the word lists as data."""
        return {"judge": "agency.cues", "version": _VERSION, **self._text.described}

    def judge(self, text: str) -> Verdict:
        """The verdict on one story."""
        story = self._text.read(text)
        if isinstance(story, Verdict):
            return story
        return Verdict(
            True, [entry for said in _SENTENCE.findall(story) for entry in _entries(said)]
        )


def _entries(sentence: str) -> Iterator[JSON]:
    is_first = True
    for found in _MENTION.finditer(sentence):
        word = (found["subject"] or found["noun"] or found["object"]).lower()
        is_subject = bool(found["subject"]) or (bool(found["noun"]) and is_first)
        acts = bool(found["by"]) or (is_subject and not found["undergoes"])
        yield {"gender": _GENDERS[word], "argument": AGENT if acts else PATIENT}
        is_first = False
