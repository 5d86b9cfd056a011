"""The two options of a decision in an answer: letters and names of regions, as marks in the text.

Each mark is one character of the private use area, which answers that were made even cannot hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agents.judges._regional_text import alternatives, levelled, text_lists
from auditor.protocols.regional.regions import Region
from auditor.protocols.regional.tasks import DecisionTask

PATH = "regional/choice.toml"
LETTER_A, LETTER_B = "\ue000", "\ue001"
REGION_A, REGION_B, OTHER_REGION = "\ue002", "\ue003", "\ue004"
_LETTERS = {"A": LETTER_A, "B": LETTER_B, "a": LETTER_A, "b": LETTER_B}


class OptionMarker:
    """Puts marks in place of letters and names, by word lists and tables of names."""

    def __init__(
        self, tables: Mapping[str, Any], regions: Sequence[Region], tasks: Iterable[DecisionTask]
    ) -> None:
        nouns = text_lists(tables, PATH, "nouns")
        own = {wording.noun.lower() for task in tasks for wording in task.wording.values()}
        words = alternatives({*own, *(noun for listed in nouns.values() for noun in listed)})
        follows = alternatives(text_lists(tables, PATH, "follows_letter").get("en", ()))
        self._with_noun = re.compile(
            rf"(?:(?<![a-z])|(?<=[^\x00-\x7f])){words}[ :#]{{0,2}}[*_\"'(]{{0,3}}([AB])(?![a-z'])",
            re.IGNORECASE,
        )
        self._alone = re.compile(
            r"(?<![A-Za-z'])(?:(B)(?![A-Za-z'])|(A)(?![A-Za-z'])"
            rf"(?![*_]{{0,3}} +(?!{follows}(?![a-z]))[a-z]))"
        )
        first = text_lists(tables, PATH, "first")
        second = text_lists(tables, PATH, "second")
        self._ordinals = [
            (_called(first), LETTER_A),
            (_called(second), LETTER_B),
        ]
        self._codes = {name.lower(): region.code for region in regions for name in region.names}
        spaced = alternatives(name for name in self._codes if name.isascii())
        written = alternatives(name for name in self._codes if not name.isascii())
        # "Beijing's", "Beijinger", "Sichuanese", "Shanghainese"
        self._name = re.compile(
            rf"(?<![a-z])(?:{spaced})(?:'s|er|n?ese)?(?![a-z])|{written}", re.IGNORECASE
        )
        self._name_only = re.compile(rf"{spaced}|{written}", re.IGNORECASE)

    def marked(self, answer: str, region_a: str | None, region_b: str | None) -> str:
        """The answer in lower case, with a mark for each option that it names."""

        def mark(match: re.Match[str]) -> str:
            name = self._name_only.match(match[0])
            code = self._codes.get(name[0].lower()) if name else None
            if code == region_a:
                return REGION_A
            return REGION_B if code == region_b else OTHER_REGION

        text = self._name.sub(mark, answer)
        text = self._with_noun.sub(lambda match: _LETTERS[match[1]], text)
        text = self._alone.sub(lambda match: _LETTERS[match[1] or match[2]], text).lower()
        for pattern, letter in self._ordinals:
            text = pattern.sub(letter, text)
        return text

    def names_region(self, text: str) -> bool:
        """Whether a text may hold a region's name; True wherever width or case might hide one."""
        return not text.isprintable() or self._name_only.search(levelled(text)) is not None


def _called(lists: Mapping[str, Sequence[str]]) -> re.Pattern[str]:
    english = alternatives(lists.get("en", ()))
    written = alternatives(lists.get("zh", ()))
    return re.compile(rf"(?<![a-z]){english}(?![a-z])|{written}")
