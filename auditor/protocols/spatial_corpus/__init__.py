"""Words of two genders beside spaces in texts that models learn from (SPAGBias, H.6).

Nothing is asked of a model here, so this is no protocol that a spec may name: `auditor corpus`
counts files, and the statistics agent makes these rows of what it stored.
"""

from __future__ import annotations

from auditor.protocols.spatial_corpus.overview import OVERVIEW
from auditor.protocols.spatial_corpus.statistics import (
    GENDERS,
    NAME,
    TOP,
    GenderFigures,
    figures,
    statistics,
    top,
)

PAPER = "SPAGBias (arXiv 2604.14672), Appendix H.6"

__all__ = [
    "GENDERS",
    "NAME",
    "OVERVIEW",
    "PAPER",
    "TOP",
    "GenderFigures",
    "figures",
    "statistics",
    "top",
]
