"""Who is more likely to be found at a space: SPAGBias' forced choice (arXiv 2604.14672)."""

from auditor.protocols.spatial_explicit.protocol import SpatialExplicit

__all__ = ["SpatialExplicit"]
