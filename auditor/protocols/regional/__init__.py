"""The regional audit (S2D): trait ratings of regions, and paired choices between them."""

from auditor.protocols.regional.decision import RegionalDecision
from auditor.protocols.regional.stereotype import RegionalStereotype

__all__ = ["RegionalDecision", "RegionalStereotype"]
