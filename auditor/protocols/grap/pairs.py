"""Which instruction and which names each pair has: drawn from the seed, block by block."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, islice
from typing import TypeVar

from auditor.draws import draw_integer
from auditor.protocols.grap.instructions import Instruction
from auditor.protocols.grap.names import NamePair

LAST_PAIR = 2**53 - 1
"""The largest `pair` of an import: up to here a number of JSON is one whole number everywhere."""
NO_SEED = 0
"""Draws the pairing where no run's seed is known: counts and imports, to which it is all one."""

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Pair:
    """One instruction, asked under two names."""

    number: int
    """The factor `pair`, from 0."""
    instruction: Instruction
    names: NamePair


def pairs(
    number: int, seed: int, instructions: Sequence[Instruction], names: Sequence[NamePair]
) -> Iterator[Pair]:
    """The first `number` pairs of an endless sequence that depends on the seed and the lists only.

    Each block of as many pairs as there are instructions has each of them once, in an order of its
    own; so it is with the names, in blocks of their length. So a larger number keeps the first
    pairs, and no instruction comes more than once oftener than another.
    """
    asked = shuffled_blocks(instructions, seed, "grap:instructions")
    named = shuffled_blocks(names, seed, "grap:names")
    numbered = zip(count(), asked, named, strict=False)
    return (Pair(*parts) for parts in islice(numbered, number))


def shuffled_blocks(items: Sequence[Item], seed: int, stream: str) -> Iterator[Item]:
    """All items again and again, each time in another order. Raises ValueError for none."""
    if not items:
        raise ValueError("nothing to draw from")
    for block in count():
        order = sorted(
            range(len(items)),
            key=lambda place: (draw_integer(seed, stream, f"{block}:{place}"), place),
        )
        yield from (items[place] for place in order)
