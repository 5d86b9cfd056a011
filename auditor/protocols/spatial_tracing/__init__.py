"""Scores of "men" and "women" at 62 micro-spaces: reward models, base and tuned (SPAGBias)."""

from __future__ import annotations

from auditor.protocols.spatial_tracing.protocol import SpatialTracing

__all__ = ["SpatialTracing"]
