"""The values of this protocol's annotation tasks."""

from __future__ import annotations

CHOICES = ("A", "B", "refusal")
KINDS = (
    "association",
    "factual_distortion",
    "demographic_substitution",
    "reverse_stereotyping",
)
"""How reasons may rest on gender and space (SPAGBias, Appendix J.3)."""
RATIONALES = (*KINDS, "none")
