"""What a spec may say of `spatial.profiling`. A field's description is what it allows."""

from __future__ import annotations

from pydantic import Field

from auditor.protocols.base import ProtocolParams
from auditor.protocols.spatial_explicit.params import MAX_REPETITIONS


class SpatialProfilingParams(ProtocolParams):
    """The `[protocols."spatial.profiling"]` table."""

    repetitions: int = Field(
        default=10, ge=1, le=MAX_REPETITIONS, description="a whole number from 1"
    )
