"""Choices of one target, collected cell by cell into arrays of pairs and repetitions."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from auditor.errors import StatisticsError
from auditor.protocols.base import CellRecord
from auditor.protocols.regional._stat_labels import Tally, choice_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]
    Codes = NDArray[np.int8]

ABSENT, NOBODY, FIRST, SECOND = -1, 0, 1, 2
"""What a comparison gave: nothing (yet), no winner, the one shown first, the one shown second."""
_CODES = {"A": FIRST, "B": SECOND}


@dataclass(slots=True)
class Comparisons:
    """Comparisons of one (language, task), as columns: a row each."""

    first: array[int] = field(default_factory=lambda: array("q"))
    """Number of the region shown first."""
    second: array[int] = field(default_factory=lambda: array("q"))
    repetition: array[int] = field(default_factory=lambda: array("q"))
    code: array[int] = field(default_factory=lambda: array("b"))

    def take(self, first: int, second: int, repetition: int, code: int) -> None:
        """Add one comparison."""
        self.first.append(first)
        self.second.append(second)
        self.repetition.append(repetition)
        self.code.append(code)


@dataclass(slots=True)
class Choices:
    """Everything that one target chose."""

    by_setting: dict[tuple[str, str], Comparisons] = field(default_factory=dict)
    """By (language, task)."""
    numbers: dict[str, int] = field(default_factory=dict)
    """Regions that were met, numbered in the order in which they came."""
    tally: Tally = field(default_factory=Tally)


@dataclass(frozen=True, slots=True)
class Pairs:
    """Unordered pairs with their repetitions; swap partners of one repetition share a slot."""

    low: Integers
    """(pairs,): place of the region with the lower place."""
    high: Integers
    sizes: Integers
    """(pairs,): slots in use: repetitions of which at least one order was answered."""
    codes: Codes
    """(pairs, slots, 2): what each repetition gave with `low` first, and with `high` first."""

    def part(self, chosen: slice) -> Pairs:
        """Some of the pairs."""
        return Pairs(
            low=self.low[chosen],
            high=self.high[chosen],
            sizes=self.sizes[chosen],
            codes=self.codes[chosen],
        )


def collect_choices(cells: Iterable[CellRecord]) -> Choices:
    """All choices of one target; passes over the cells once and keeps 25 bytes a trial.

    Raises StatisticsError for a region compared with itself.
    """
    found = Choices()
    for cell in cells:
        a, b, task, language = (
            cell.factors[name] for name in ("region_a", "region_b", "task", "language")
        )
        if a == b:
            raise StatisticsError(f"region {a!r} is compared with itself in task {task}")
        first = found.numbers.setdefault(a, len(found.numbers))
        second = found.numbers.setdefault(b, len(found.numbers))
        answers = [choice_of(trial) for trial in cell.trials]
        found.tally.take(_margins(a, b, task, language), cell.trials, answers)
        comparisons = found.by_setting.setdefault((language, task), Comparisons())
        for trial, answer in zip(cell.trials, answers, strict=True):
            if answer is not None:
                code = _CODES.get(answer, NOBODY)
                comparisons.take(first, second, trial.repetition, code)
    return found


def paired(comparisons: Comparisons, places: Sequence[int]) -> Pairs:
    """The comparisons of one setting by pair and repetition.

    `places` gives each region's place by its number. Two answers to the same order in the same
    repetition take two slots.
    """
    import numpy as np

    of_number = np.asarray(places, dtype=np.int64)
    first = of_number[np.asarray(comparisons.first, dtype=np.int64)]
    second = of_number[np.asarray(comparisons.second, dtype=np.int64)]
    repetition = np.asarray(comparisons.repetition, dtype=np.int64)
    code = np.asarray(comparisons.code, dtype=np.int8)
    swapped = (first > second).astype(np.int64)
    ends, pair = _numbered(np.minimum(first, second) * len(of_number) + np.maximum(first, second))
    _, turn = _numbered(repetition)
    order_shown = (pair * (turn.max(initial=0) + 1) + turn) * 2 + swapped
    twin = _occurrence(order_shown)
    blocks, block = _numbered((order_shown // 2) * (twin.max(initial=0) + 1) + twin)
    # Blocks are sorted by pair: a block's slot is its distance from the pair's first one.
    pair_of_block = np.empty(len(blocks), dtype=np.int64)
    pair_of_block[block] = pair
    _, starts, sizes = np.unique(pair_of_block, return_index=True, return_counts=True)
    slot = np.arange(len(blocks)) - starts[pair_of_block]
    codes = np.full((len(ends), int(sizes.max(initial=0)), 2), ABSENT, dtype=np.int8)
    codes[pair, slot[block], swapped] = code
    return Pairs(
        low=ends // len(of_number),
        high=ends % len(of_number),
        sizes=sizes.astype(np.int64),
        codes=codes,
    )


def _numbered(keys: Integers) -> tuple[Integers, Integers]:
    """The distinct keys in order, and each key's place among them."""
    import numpy as np

    distinct, places = np.unique(keys, return_inverse=True)
    return distinct, places.astype(np.int64)


def _occurrence(keys: Integers) -> Integers:
    """How many equal keys stand before each one."""
    import numpy as np

    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    places = np.arange(len(order))
    is_start = np.ones(len(order), dtype=bool)
    is_start[1:] = ordered[1:] != ordered[:-1]
    found = np.empty(len(order), dtype=np.int64)
    found[order] = places - np.maximum.accumulate(np.where(is_start, places, 0))
    return found


def _margins(a: str, b: str, task: str, language: str) -> Iterator[tuple[tuple[str, str], ...]]:
    spoken = ("language", language)
    yield ()
    yield (spoken,)
    yield (("task", task),)
    yield ("task", task), spoken
    yield ("region", a), spoken
    yield ("region", b), spoken
