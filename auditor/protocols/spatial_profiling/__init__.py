"""Who works at and uses a place, in a market researcher's profile (SPAGBias)."""

from __future__ import annotations

from auditor.protocols.spatial_profiling.protocol import SpatialProfiling

__all__ = ["SpatialProfiling"]
