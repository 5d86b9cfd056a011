"""What a spec may say of `spatial.tracing`. A field's description is what it allows."""

from __future__ import annotations

from pydantic import Field

from auditor.protocols.base import ProtocolParams
from auditor.protocols.spatial_explicit.params import MAX_REPETITIONS, Prompts, Spaces


class SpatialTracingParams(ProtocolParams):
    """The `[protocols."spatial.tracing"]` table."""

    repetitions: int = Field(
        default=1, ge=1, le=MAX_REPETITIONS, description="a whole number from 1"
    )
    """One is enough: a score is computed, not sampled. Several show how far it varies."""
    prompt: Prompts = Field(
        default=("1",), description='a list of prompts "0" to "5", in quotes, none twice'
    )
    spaces: Spaces | None = Field(
        default=None,
        description='"public", "private", or a list of these and of spaces, none twice',
    )
    """None: all spaces."""
