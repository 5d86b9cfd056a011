"""Sentences below a tile map on tiles that are not like the others."""

from __future__ import annotations

from auditor.counted import counted
from auditor.reports.figures.shapes import Tiles

TILE = "tile"
FEW = 10
"""Answers below which a tile's number stands in brackets."""


def gap_words(block: Tiles, meaning: str, where: str = "") -> list[str]:
    """What hatching means and how often it occurs; nothing where there is none."""
    whole = len(block.values) * len(block.columns)
    of = f"{block.missing} of {counted(whole, TILE)}{where}"
    return [f"Hatched: {meaning}; {of}."] if block.missing else []


def few_words(block: Tiles, unit: str) -> list[str]:
    """What brackets mean and how often they occur; nothing where there are none."""
    return (
        [f"In brackets: fewer than {FEW} {unit}; {counted(len(block.few), TILE)}."]
        if block.few
        else []
    )
