"""Short stories about men and women in a space: words, feeling, agency, roles (SPAGBias)."""

from __future__ import annotations

from auditor.protocols.spatial_construction.protocol import SpatialConstruction

__all__ = ["SpatialConstruction"]
