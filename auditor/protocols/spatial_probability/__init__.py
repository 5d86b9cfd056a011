"""Token probabilities of men and women at 62 micro-spaces (SPAGBias, probabilistic layer)."""

from __future__ import annotations

from auditor.protocols.spatial_probability.protocol import SpatialProbability

__all__ = ["SpatialProbability"]
