"""What a spec may say of `spatial.planning`. A field's description is what it allows."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from auditor.protocols.base import ProtocolParams
from auditor.protocols.spatial_explicit.params import MAX_REPETITIONS


class SpatialPlanningParams(ProtocolParams):
    """The `[protocols."spatial.planning"]` table."""

    repetitions: int = Field(
        default=10, ge=1, le=MAX_REPETITIONS, description="a whole number from 1"
    )
    pairs: Literal["three", "nine"] = Field(
        default="three", description='"three" or "nine" (every male with every female facility)'
    )
