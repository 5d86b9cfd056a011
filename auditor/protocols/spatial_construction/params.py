"""What a spec may say of `spatial.construction`. A field's description is what it allows."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from auditor.protocols.base import ProtocolParams
from auditor.protocols.spatial_explicit.params import MAX_REPETITIONS, Spaces

LEAST_FREQUENCY = 5
"""The default of `least_frequency`."""
SALIENT_WORDS = 5
"""The default of `salient_words`."""


def _unlike(kinds: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(kinds)) < len(kinds):
        raise ValueError("a kind is named twice")
    return kinds


Stories = Annotated[
    tuple[Literal["solo_man", "solo_woman", "co_present"], ...],
    Field(strict=False, min_length=1),
    AfterValidator(_unlike),
]


class SpatialConstructionParams(ProtocolParams):
    """The `[protocols."spatial.construction"]` table."""

    repetitions: int = Field(
        default=30, ge=1, le=MAX_REPETITIONS, description="a whole number from 1"
    )
    stories: Stories = Field(
        default=("solo_man", "solo_woman", "co_present"),
        description='a list of "solo_man", "solo_woman" and "co_present", none twice',
    )
    spaces: Spaces | None = Field(
        default=None,
        description='"public", "private", or a list of these and of spaces, none twice',
    )
    """None: all spaces."""
    least_frequency: int = Field(
        default=LEAST_FREQUENCY, ge=1, le=MAX_REPETITIONS, description="a whole number from 1"
    )
    """An adjective that a domain's solo stories have less often is ranked in no top 10."""
    salient_words: int = Field(
        default=SALIENT_WORDS, ge=0, le=100, description="a whole number from 0 to 100"
    )
    """Salient words that are given for each space and gender."""
