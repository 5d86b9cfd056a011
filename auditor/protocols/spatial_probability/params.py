"""What a spec may say of `spatial.probability`. A field's description is what it allows."""

from __future__ import annotations

from pydantic import Field

from auditor.protocols.base import ProtocolParams
from auditor.protocols.spatial_explicit.params import MAX_REPETITIONS, Prompts, Spaces

FLOOR = 0.1
"""The default of `floor`."""


class SpatialProbabilityParams(ProtocolParams):
    """The `[protocols."spatial.probability"]` table."""

    repetitions: int = Field(
        default=1, ge=1, le=MAX_REPETITIONS, description="a whole number from 1"
    )
    """One is enough where an endpoint computes; several show how far a batched one varies."""
    prompt: Prompts = Field(
        default=("1",), description='a list of prompts "0" to "5", in quotes, none twice'
    )
    spaces: Spaces | None = Field(
        default=None,
        description='"public", "private", or a list of these and of spaces, none twice',
    )
    """None: all spaces."""
    floor: float = Field(default=FLOOR, ge=0, le=1, description="a number from 0 to 1")
    """A space whose gender tokens have together less than this probability is uncovered."""
    prior: bool = Field(default=False, description="true or false")
    """Ask each prompt without a place too, and divide by what the model answers to that."""
    top_logprobs: int = Field(default=20, ge=1, le=100, description="a whole number from 1 to 100")
    """Alternatives that are asked for at each token, where a target's params name no number."""
