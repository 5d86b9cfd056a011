"""What a spec may say of `stories`. A field's description is what it allows."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from auditor.protocols.base import ProtocolParams
from auditor.protocols.stories.occupations import DOMINANCE

MAX_REPETITIONS = 1_000_000_000
"""Far above any budget; keeps trial counts within the integers of a store."""


def _unlike(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(names)) < len(names):
        raise ValueError("an occupation is named twice")
    return names


Occupations = Annotated[tuple[str, ...], Field(strict=False, min_length=1), AfterValidator(_unlike)]


class StoriesParams(ProtocolParams):
    """The `[protocols.stories]` table."""

    repetitions: int = Field(
        default=75, ge=1, le=MAX_REPETITIONS, description="a whole number from 1"
    )
    occupations: Occupations | None = Field(
        default=None,
        description="a list of occupations of rubrics/stories/occupations.csv, none twice",
    )
    """None: all occupations."""
    dominance: float = Field(
        default=DOMINANCE, gt=0.5, le=1, description="a number above 0.5, at most 1"
    )
    """Share of one gender from which it dominates an occupation."""
