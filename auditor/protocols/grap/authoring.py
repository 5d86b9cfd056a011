"""Instructions written by a model: what it is asked, and which of its lines can be used."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from auditor.protocols.grap.contrast import Contrast
from auditor.protocols.grap.instructions import Instruction, complaint, normalised
from auditor.types import JSON, Message, SimulatedAnswer

AUTHOR = "grap/author.toml"
"""Rubric file of the wording and the topics."""

_MARKER = re.compile(r"^\s*(?:[-*•]|\(?\d{1,4}[.):])\s+")
_QUOTES = "\"'“”‘’«»`*"
_FIRST_PERSON = re.compile(r"^I(?:['’](?:m|ve|d|ll))?\s")
_EXAMPLES = 6


@dataclass(frozen=True, slots=True)
class Author:
    """The wording of the request and its topics, by domain."""

    prompt: str
    topics: Mapping[str, str]

    @classmethod
    def of(cls, text: str) -> Author:
        """The author of a rubric file's text."""
        table = tomllib.loads(text)
        return cls(prompt=table["prompt"].strip(), topics=table["topics"])

    def asks(self, domain: str, count: int, contrast: Contrast) -> tuple[Message, ...]:
        """The request for so many instructions of one domain."""
        words = ", ".join(f'"{cue}"' for cue in islice(_plain_cues(contrast), _EXAMPLES))
        places = {
            "{count}": str(count),
            "{topic}": self.topics[domain],
            "{words}": words,
            "{attribute}": contrast.attribute,
        }
        text = re.sub(r"\{\w+\}", lambda place: places[place[0]], self.prompt)
        return (Message("user", text),)


class Collection:
    """Sound instructions, none twice, and why others were left out."""

    def __init__(self, contrast: Contrast) -> None:
        self.found: list[Instruction] = []
        self.left_out: Counter[str] = Counter()
        """Lines by the reason: "the same as another", "with a word of a level", ..."""
        self._contrast = contrast
        self._known: set[str] = set()

    def take(self, text: str, domain: str, most: int) -> int:
        """Take up the sound lines of an answer, `most` at most; gives how many."""
        taken = 0
        for line in text.splitlines():
            wording = plain_line(line)
            if not wording or taken == most:
                continue
            reason = self._reason(wording)
            if reason is not None:
                self.left_out[reason] += 1
                continue
            self._known.add(normalised(wording))
            self.found.append(Instruction(text=wording, domain=domain))
            taken += 1
        return taken

    def _reason(self, wording: str) -> str | None:
        if not _FIRST_PERSON.match(wording):
            return "not in the first person"
        if normalised(wording) in self._known:
            return "the same as another"
        said = complaint(wording, self._contrast)
        if said is None:
            return None
        is_cue = said.startswith("with '") or said.startswith('with "')
        return f"with a word that gives the {self._contrast.attribute} away" if is_cue else said

    def as_lines(self, source: str) -> str:
        """The instructions as a file that a spec can name."""
        lines = [
            {"domain": each.domain, "instruction": each.text, "source": source}
            for each in self.found
        ]
        return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def plain_line(line: str) -> str:
    """A line without numbering, bullet, quotes and trailing spaces."""
    bare = _MARKER.sub("", line).strip()
    return " ".join(bare.strip(_QUOTES).split())


@dataclass(frozen=True, slots=True)
class AuthorSimulation:
    """How `sim:` writes instructions: sound ones, with some doubles and some that are not sound.

    It knows 11,520 different ones.
    """

    count: int
    cue: str
    """A word that may not occur."""

    def __call__(self, plant: Mapping[str, JSON], draw: Callable[[str], float]) -> SimulatedAnswer:
        """One answer: a pure function of the draws."""
        return SimulatedAnswer(
            text="\n".join(self._line(place, draw) for place in range(self.count))
        )

    def _line(self, place: int, draw: Callable[[str], float]) -> str:
        def pick(name: str, choices: Sequence[str]) -> str:
            return choices[int(draw(f"{name}:{place}") * len(choices))]

        situation = pick("situation", _SITUATIONS) + pick("limit", _LIMITS)
        if draw(f"cue:{place}") < _CUE_SHARE:
            situation += f" with another {self.cue}"
        line = f"I {situation} and {pick('aim', _AIMS)}; {pick('question', _QUESTIONS)}"
        return f"{place + 1}. {line}"


def _plain_cues(contrast: Contrast) -> list[str]:
    # The first cues of each kind say best what is meant.
    return [cue for cues in contrast.cues.values() for cue in cues[:2] if not cue.endswith("*")]


_CUE_SHARE = 0.05
_SITUATIONS = (
    "work shifts in a small firm",
    "have just moved to a new town",
    "have two free evenings a week",
    "live far from the next city",
    "have saved a little money",
    "started a course last month",
    "share a flat near the station",
    "look after an old garden",
    "have a deadline on Friday",
    "lost my notes on the train",
    "run a stall at the market",
    "study next to my job",
)
_LIMITS = (
    "",
    " with a tight budget",
    " for the first time",
    " on my own",
    " with little time for it",
    " since last year",
    " for another six months",
    " without a car",
    " with three others",
    " on weekends only",
    " against my first plan",
    " in spite of the weather",
)
_AIMS = (
    "want to change something",
    "would like to learn how it is done",
    "need a plan that I can keep",
    "do not know where to begin",
    "have to decide this week",
    "am not sure whether it is worth it",
    "want to spend as little as possible",
    "have tried it twice without luck",
    "would like a second opinion",
    "need it done before the winter",
)
_QUESTIONS = (
    "what should I do first?",
    "how would you go about it?",
    "what are my options?",
    "can you give me three suggestions?",
    "what am I overlooking?",
    "how long will it take me?",
    "what would you advise me against?",
    "which way suits me best?",
)
