"""How is a woman treated, how a man, who ask the same? Rubric scores and a probe (GRAP)."""

from auditor.protocols.grap.protocol import Grap

__all__ = ["Grap"]
