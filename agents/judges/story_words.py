"""The offline judge of `words`: how long a story is, and its content words."""

from __future__ import annotations

from collections.abc import Mapping

from agents.judges._gendered_words import GENDERS, person_tables
from agents.judges._name_lists import fold
from agents.judges._regional_text import text_list
from agents.judges._story_text import WORDS_FILE, StoryText, spoken_words, word_forms
from agents.judges.base import Verdict
from auditor.types import JSON

_VERSION = 1
_SHORTEST = 3
_POSSESSIVE = "'s"


class StoryWordsJudge:
    """Counts the words of a story and lists its content words.

    The value is {"count": words as people count them, "content": distinct words in their order}.
    Content words are lower case, of three letters or more, on no list of function words or words
    for persons. A word that the story has with a capital only is left out: most are names, some
    begin a sentence.

    Invalid: as `StoryText.read` says. Built from the texts of its `MATERIALS`; raises UsageError
    where one is broken. Judging never raises.
    """

    task = "words"
    name = "rules"

    def __init__(self, words_toml: str, name_toml: str) -> None:
        self._text = StoryText(words_toml, name_toml)
        stop = text_list(_in(self._text.tables, "stop"), WORDS_FILE, "stop.words")
        persons = person_tables(words_toml)
        nouns = (noun for gender in GENDERS for noun in persons[gender]["nouns"])
        self._left_out = {*self._text.english, *stop, *nouns}

    @property
    def configuration(self) -> Mapping[str, JSON]:
        """Version of the rules and the word lists as data: comments in the files don't count."""
        return {"judge": "words.rules", "version": _VERSION, **self._text.described}

    def judge(self, text: str) -> Verdict:
        """The verdict on one story."""
        story = self._text.read(text)
        if isinstance(story, Verdict):
            return story
        words = (fold(word) for word in word_forms(story) if word[0].islower())
        content = dict.fromkeys(
            bare
            for word in words
            if len(bare := word.removesuffix(_POSSESSIVE)) >= _SHORTEST
            and bare not in self._left_out
            and word not in self._left_out
        )
        return Verdict(True, {"count": len(spoken_words(story)), "content": list(content)})


def _in(tables: Mapping[str, JSON], name: str) -> JSON:
    table = tables.get(name)
    return table.get("words") if isinstance(table, dict) else None
