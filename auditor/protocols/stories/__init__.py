"""Who is the protagonist? Story openings by occupation (arXiv 2503.15904)."""

from auditor.protocols.stories.protocol import Stories

__all__ = ["Stories"]
