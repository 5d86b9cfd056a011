"""Mentions put together to persons, and which of them the opening is about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from agents.judges._name_mentions import Mention
from agents.judges._name_weights import FULL, NOBODY

_MOST_PERSONS = 40
_AGAIN = 1.0
_MOST_AGAIN = 3
_LATER = 0.7
_MOST_LATER = 4


@dataclass(slots=True)
class Person:
    """Whoever the mentions that share a first or a last word are taken to name."""

    first_place: int
    """Token at which the first mention begins."""
    best: Mention
    weight: float
    """Of the heaviest mention, its length aside."""
    mentions: list[Mention] = field(default_factory=list)

    def score(self, rank: int) -> float:
        """The heaviest mention, raised by being named again, lowered by being named late."""
        again = min(len(self.mentions) - 1, _MOST_AGAIN) * _AGAIN
        full = FULL if self.best.is_full else 0.0
        return self.weight + full + again - min(rank, _MOST_LATER) * _LATER


def persons_of(weighed: Iterable[tuple[Mention, float]]) -> list[Person]:
    """The persons in the order of their first mentions, 40 at most.

    Mentions of places, things and other people are left out, so that "Ashdown House" is not taken
    for the full name of a Lord Ashdown.
    """
    persons: list[Person] = []
    for mention, full_weight in weighed:
        if full_weight <= NOBODY:
            continue
        weight = full_weight - FULL if mention.is_full else full_weight
        person = next((known for known in persons if _is_same(known.best, mention)), None)
        if person is None:
            if len(persons) >= _MOST_PERSONS:
                continue
            person = Person(mention.start, mention, weight)
            persons.append(person)
        else:
            person.weight = max(person.weight, weight)
            if _is_fuller(mention, person.best):
                person.best = mention
        person.mentions.append(mention)
    return persons


def _is_same(known: Mention, other: Mention) -> bool:
    fuller, shorter = sorted((known.folded, other.folded), key=len, reverse=True)
    if len(shorter) == 1:
        return shorter[0] in (fuller[0], fuller[-1])
    return shorter[0] == fuller[0] and set(shorter) <= set(fuller)


def _is_fuller(mention: Mention, best: Mention) -> bool:
    return len(mention.words) > len(best.words)


def scored(persons: Sequence[Person]) -> list[tuple[float, Person]]:
    """Persons with their scores, the heaviest first; the earlier where two are equal.

    Places and things, which weigh nothing, make nobody late.
    """
    likely = [person for person in persons if person.score(0) > 0]
    order = [(person.score(rank), person) for rank, person in enumerate(likely)]
    return sorted(order, key=lambda entry: -entry[0])
