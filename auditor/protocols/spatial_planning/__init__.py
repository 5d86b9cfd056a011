"""Which of two facilities a planner recommends to a community of men or of women (SPAGBias)."""

from __future__ import annotations

from auditor.protocols.spatial_planning.protocol import SpatialPlanning

__all__ = ["SpatialPlanning"]
