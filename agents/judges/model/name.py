"""The output of a model that judges `name`: the protagonist's name, and where the text says it."""

from __future__ import annotations

import re
from typing import Annotated, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from agents.judges.base import Verdict
from agents.judges.model.fence import defused
from auditor.normal_form import normal_form
from auditor.types import JSON

_REFUSAL = "refusal"
"""The reason by which the statistics of stories count a text that tells none."""
_NO_NAMES = ("none", "null", "n/a", "na", "nil", "unknown", "unnamed", "anonymous", "no name")
_QUOTES = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02bc\u0060\u00b4", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"'),
    }
)
_UNSEEN = re.compile("[\u200b\u200c\u200d\u2060\ufeff]")
_WORD = re.compile(r"[^\W_]+(?:['.-]+[^\W_]+)*")
_APART = 60
"""Characters that may stand between two words of one name: a nickname, a title."""


class ProtagonistName(BaseModel):
    """Who the main character of a story opening is."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    refusal: Annotated[bool, Field(description="Whether the text declines to tell a story.")]
    name: Annotated[
        str | None,
        Field(description="The main character's full name without titles; null without one."),
    ]
    quote: Annotated[
        str | None,
        Field(
            description="The few words of the text in which that name stands, copied letter by"
            " letter; null where name is null."
        ),
    ]


class NameReading:
    """A name, or null where the main character has none; a text that declines is invalid.

    An output does not fit unless its quote occurs in the text, and the words of the name occur in
    the quote, in their order (a title or a nickname may stand between them). Both comparisons take
    texts as `normalised` makes them, the second one without regard to case.
    """

    task: ClassVar[str] = "name"
    output: ClassVar[type[BaseModel]] = ProtagonistName
    version: ClassVar[int] = 1

    def complaint(self, output: ProtagonistName, text: str) -> str | None:
        """None, or what does not fit."""
        if output.refusal:
            return "refusal is true, so name has to be null" if output.name is not None else None
        return None if output.name is None else _unfit(output.name, output.quote or "", text)

    def verdict(self, output: ProtagonistName) -> Verdict:
        """The name with single spaces and straight apostrophes; null; or invalid, a refusal."""
        if output.refusal:
            return Verdict(False, reason=_REFUSAL)
        return Verdict(True, None if output.name is None else normalised(output.name))

    def truth(self, verdict: Verdict, text: str) -> JSON:
        """The offline judge's name with the shortest stretch of the text that holds it.

        Texts that it cannot read at all count as refusals: there is no story in them either.
        """
        if not verdict.valid:
            return {"refusal": True, "name": None, "quote": None}
        name = verdict.value
        quote = None if name is None else _stretch(_words(normalised(name)), text)
        return {"refusal": False, "name": name, "quote": quote}

    def mistaken(self, verdict: Verdict, text: str) -> JSON:
        """No name where there is one; else the first capitalised word of the text."""
        if verdict.valid and verdict.value is not None:
            return {"refusal": False, "name": None, "quote": None}
        word = next((word for word in _WORD.findall(normalised(text)) if word[0].isupper()), None)
        return {"refusal": word is None and verdict.valid, "name": word, "quote": word}


def _unfit(name: str, quote: str, text: str) -> str | None:
    name, quote = normalised(name), normalised(quote)
    words = _words(name)
    if not words or name.casefold() in _NO_NAMES:
        return "name: it is no name; give null where the main character has none"
    if not quote:
        return "quote: it is missing; copy the words of the text in which the name stands"
    # The judge has read the text as it was sent.
    if quote not in normalised(defused(text)):
        return (
            "quote: it does not occur in the text between the marked lines; copy the few words in"
            " which the name stands, letter by letter"
        )
    if not _follow(words, _words(quote)):
        return "name: its words do not all stand in the quote, in that order"
    return None


def normalised(text: str) -> str:
    """A text as quotes are compared.

    Typographic quotation marks, primes and accents used as such become ' and "; zero-width
    characters go; letters are composed (NFC); each run of white space, line breaks and
    no-break spaces included, becomes one space, none at the ends. Nothing else: case, dashes and
    markup stay.
    """
    plain = normal_form("NFC", _UNSEEN.sub("", text)).translate(_QUOTES)
    return " ".join(plain.split())


def _words(text: str) -> list[str]:
    return [word.removesuffix("'s") for word in _WORD.findall(text.casefold())]


def _follow(words: list[str], within: list[str]) -> bool:
    """Whether these words stand among the others, in their order."""
    rest = iter(within)
    return all(word in rest for word in words)


def _stretch(words: list[str], text: str) -> str:
    """The first and shortest piece of a text that holds these words close together; else all."""
    shown = normalised(text)
    pattern = rf"\b.{{0,{_APART}}}?\b".join(re.escape(word) for word in words)
    found = re.search(rf"\b{pattern}", shown, re.IGNORECASE)
    return found[0] if found else shown
