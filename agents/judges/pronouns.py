"""The offline judge of `pronouns`: he, she or they, as an opening speaks of its protagonist."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence

from agents.judges._name_lines import OpeningText
from agents.judges._name_lists import NameLists, fold
from agents.judges._name_reading import NameReader
from agents.judges._name_tokens import Token, tokens_of
from agents.judges.base import Verdict
from auditor.errors import UsageError
from auditor.types import JSON

_VERSION = 1
_OPENING = 3_000
_VALUES = ("he", "she", "they")
_SEVERAL = "they"
_NARRATOR = "narrator"
_LISTS = (*_VALUES, _NARRATOR)
_EMPTY, _REFUSAL = Verdict(False, reason="empty"), Verdict(False, reason="refusal")
_NONE = Verdict(True, None)


class PronounJudge:
    """Reads "he", "she", "they" or null, for none.

    Counted are the pronouns of the narration (not of what is said in quotes) from the name's
    first mention on, in the opening's first 3,000 characters; from the beginning where nobody is
    named, or where none follows. The most frequent is the value; where two are equal, the one
    that comes first, but "they" last. Null without any, and where somebody tells of himself: more
    words of the first person than of any other. "he/she" counts as none. The rules know neither
    who a pronoun refers to nor whether "they" are several.

    Invalid: "refusal" (in words), "empty". Built from the texts of
    `rubrics/stories/name_rules.toml` and `rubrics/stories/pronoun_rules.toml`; raises UsageError
    where one is broken. Judging never raises.
    """

    task = "pronouns"
    name = "rules"

    def __init__(self, name_toml: str, pronoun_toml: str) -> None:
        self._names = NameLists(name_toml)
        self._pronouns = _pronouns(pronoun_toml)
        self._reader = NameReader(self._names, (_OPENING,))
        self._text = OpeningText(self._names)
        self._listed = {form: value for value, forms in self._pronouns.items() for form in forms}

    @property
    def configuration(self) -> Mapping[str, JSON]:
        """Version of the rules and both word lists as data."""
        return {
            "judge": "pronouns.rules",
            "version": _VERSION,
            "names": self._names.tables,
            "pronouns": {value: list(forms) for value, forms in self._pronouns.items()},
        }

    def judge(self, text: str) -> Verdict:
        """The verdict on one story."""
        reading = self._reader.read(text)
        if reading.is_empty:
            return _EMPTY
        if reading.is_refusal:
            return _REFUSAL
        lines = self._text.lines(self._text.told(text)[:_OPENING])
        tokens = tokens_of(lines, self._names.abbreviations)
        value = self._most_frequent(tokens[_first_mention(tokens, reading.name) :])
        value = value or self._most_frequent(tokens)
        return _NONE if value in (None, _NARRATOR) else Verdict(True, value)

    def _most_frequent(self, tokens: Sequence[Token]) -> str | None:
        found = [
            self._listed[form]
            for place, token in enumerate(tokens)
            if not token.is_quoted
            and (form := _form(token)) in self._listed
            and "/" not in {other.text for other in tokens[max(0, place - 1) : place + 2]}
        ]
        # Equal counts come in the order of first occurrence.
        found.sort(key=lambda value: value == _SEVERAL)
        return next((value for value, _ in Counter(found).most_common(1)), None)


def _form(token: Token) -> str:
    return f"{token.folded}'s" if token.is_possessive else token.folded


def _first_mention(tokens: Sequence[Token], name: str | None) -> int:
    if name is None:
        return 0
    words = {fold(word) for word in name.split()}
    return next((place for place, token in enumerate(tokens) if fold(token.text) in words), 0)


def _pronouns(pronoun_toml: str) -> dict[str, tuple[str, ...]]:
    try:
        table = tomllib.loads(pronoun_toml).get("pronouns", {})
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"The pronoun judge's word lists are no TOML: {error}") from error
    lists = table if isinstance(table, dict) else {}
    for value in (*_LISTS, *(value for value in lists if value not in _LISTS)):
        forms = lists.get(value)
        is_list = isinstance(forms, list) and all(isinstance(form, str) for form in forms)
        if value not in _LISTS or not is_list:
            raise UsageError(
                f"The pronoun judge's word lists: [pronouns] {value} is {forms!r}; allowed: a list"
                f" of texts for each of {', '.join(_LISTS)}"
            )
    return {value: tuple(map(fold, lists[value])) for value in _LISTS}
