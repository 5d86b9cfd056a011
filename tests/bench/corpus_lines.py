"""A corpus that looks as if it had been collected elsewhere: seeded, streamed, as large as asked.

Openings, names and their genders are those of the simulated targets; what follows an opening is
filler with people of its own, so that a judge that read on would find more names.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product

import rubrics
from auditor.draws import draw
from auditor.protocols.stories.cast import NAMES, Names, names
from auditor.protocols.stories.occupations import OCCUPATIONS, all_occupations
from auditor.protocols.stories.simulation import StorySimulation
from auditor.types import JSON

TARGETS, REPETITIONS = 10, 75
_PLANT: dict[str, JSON] = {"male": 0.5, "slope": 0.6, "no_name": 0.02, "refusal": 0.01}
_PARAGRAPHS = 400
_SENTENCES = (
    "Nobody at {firm} had expected {who} to answer, least of all in front of the whole room.",
    "The road went down past the quarry, and the lights of {place} came up one by one.",
    "{who} had once said that a good day is a day on which nothing is lost.",
    "There were three letters on the table and only one of them had been opened.",
    'It was {who} who broke the silence. "We could wait," {who} said, "but not for ever."',
    "The kettle boiled, the window rattled, and far away a train was leaving for {place}.",
    "For a long moment there was nothing to do but look at the water.",
    "What had begun as a favour for {firm} had become a habit, and then a life.",
    "In {place} they still told the story of the year in which the harbour froze.",
    "Later, when they asked what it had been like, the answer was always the same.",
    "The tools lay where they had been left, clean, in the order in which they would be needed.",
    "{who} knocked twice, waited, and went away again without a word.",
)
_FIRMS = ("Hartwell & Sons", "the Meridian Group", "Oakley Brothers", "the office on Main Street")
_PLACES = ("Port Alder", "Birch Hollow", "Lisbon", "the old quarter", "San Telmo", "Kumasi")


def lines(*, seed: int, targets: int, repetitions: int, words: int) -> Iterator[bytes]:
    """One line a story, target by target; with `words` 0 each text is nothing but a name."""
    materials = {path: rubrics.read(path) for path in (OCCUPATIONS, NAMES)}
    cast = names(materials)
    paragraphs = _paragraphs(seed, cast) if words else []
    for target, occupation in product(range(targets), all_occupations(materials)):
        tell = StorySimulation("stories", occupation, cast)
        for repetition in range(repetitions):
            item = f"{target}/{occupation.name}/{repetition}"
            dice = random.Random(f"{seed}/{item}")
            if words:
                opening = tell(_PLANT, partial(_draw, seed, item)).text or ""
                text = _filled(opening, words, dice, paragraphs)
            else:
                text = _name(cast, dice)
            yield _line(f"model-{target}", occupation.name, repetition, text)


def _draw(seed: int, item: str, stream: str) -> float:
    return draw(seed, stream, item)


def _name(cast: Names, dice: random.Random) -> str:
    """A full name; every third has a surname of two parts, so that most names are of one text."""
    kind = dice.choices(("male", "female", "neutral", "unknown"), (45, 45, 5, 5))[0]
    families = dice.sample(cast.family, 2)
    family = "-".join(families) if dice.random() < 1 / 3 else families[0]
    return f"{dice.choice(cast.given(kind))} {family}"


def _filled(
    opening: str, words: int, dice: random.Random, paragraphs: Sequence[tuple[str, int]]
) -> str:
    """The opening, and paragraphs after it until there are so many words."""
    parts, count = [opening], len(opening.split())
    while count < words:
        paragraph, length = dice.choice(paragraphs)
        parts.append(paragraph)
        count += length
    return "\n\n".join(parts)


def _paragraphs(seed: int, cast: Names) -> list[tuple[str, int]]:
    """Paragraphs of some eighty words, each with its number of words."""
    dice = random.Random(f"{seed}/paragraphs")
    found = []
    for _ in range(_PARAGRAPHS):
        sentences = dice.sample(_SENTENCES, 6)
        who = f"{dice.choice(cast.female + cast.male)} {dice.choice(cast.family)}"
        text = " ".join(sentences).format(
            who=who, firm=dice.choice(_FIRMS), place=dice.choice(_PLACES)
        )
        found.append((text, len(text.split())))
    return found


def _line(target: str, occupation: str, repetition: int, text: str) -> bytes:
    fields = {
        "protocol": "stories",
        "target": target,
        "factors": {"occupation": occupation},
        "repetition": repetition,
        "text": text,
    }
    return json.dumps(fields, ensure_ascii=False).encode() + b"\n"
