"""A fault that is brought about on purpose, and what came of it."""

from __future__ import annotations

import random
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Ground:
    """Where a scenario takes place, and how far it goes."""

    folder: Path
    seed: int
    kills: int
    is_long: bool

    def draw(self, name: str) -> random.Random:
        """Random numbers of one scenario."""
        return random.Random(f"{self.seed}.{name}")


@dataclass(kw_only=True)
class Found:
    """What came of a fault."""

    happened: str = ""
    codes: list[int] = field(default_factory=list)
    """Exit codes of the commands that met the fault, in their order."""
    lost: int = 0
    """Things that were committed before the fault and are not, or not the same, at the end."""
    repeated: int = 0
    """Calls beyond the first for a trial or a judgement, by the server's own count."""
    left: str = "nothing"
    """What the fault leaves behind for a person to do."""
    wrong: list[str] = field(default_factory=list)
    """Promises that did not hold."""

    def expect(self, holds: bool, otherwise: str) -> None:
        """Note a promise that did not hold."""
        if not holds:
            self.wrong.append(otherwise)


class Skipped(Exception):
    """This machine does not allow the fault."""


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """A fault by its name."""

    name: str
    fault: str
    play: Callable[[Ground], Found]


SCENARIOS: dict[str, Scenario] = {}


def scenario(fault: str) -> Callable[[Callable[[Ground], Found]], Callable[[Ground], Found]]:
    """Register a function as the scenario of its name."""

    def register(play: Callable[[Ground], Found]) -> Callable[[Ground], Found]:
        name = play.__name__.replace("_", "-")
        SCENARIOS[name] = Scenario(name=name, fault=fault, play=play)
        return play

    return register


HEADINGS = ("scenario", "fault", "what happened", "exit", "lost", "repeated", "left")
_WIDTHS = (22, 34, 52, 9, 4, 8, 26)


def line(cells: Sequence[object]) -> str:
    """One row of the table, as many lines as its longest cell."""
    columns = [
        textwrap.wrap(str(cell), width) or [""] for cell, width in zip(cells, _WIDTHS, strict=True)
    ]
    height = max(map(len, columns))
    return "\n".join(
        "  ".join(
            (column[i] if i < len(column) else "").ljust(width)
            for column, width in zip(columns, _WIDTHS, strict=True)
        ).rstrip()
        for i in range(height)
    )


def row(played: Scenario, found: Found) -> str:
    """A scenario's row, with the promises that did not hold under it."""
    codes = ",".join(map(str, dict.fromkeys(found.codes))) or "-"
    cells = (played.name, played.fault, found.happened, codes, found.lost, found.repeated)
    broken = [f"    BROKEN: {sentence}" for sentence in dict.fromkeys(found.wrong)]
    return "\n".join([line((*cells, found.left)), *broken])
