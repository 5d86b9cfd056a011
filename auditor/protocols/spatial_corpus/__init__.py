"""Words of two genders beside spaces in texts that models learn from (SPAGBias, H.6).

Nothing is asked of a model here, so this is no protocol that a spec may name: `auditor corpus`
counts files, and the statistics agent makes these rows of what it stored.
"""

from __future__ import annotations

from auditor.protocols.spatial_corpus.overview import OVERVIEW
from auditor.protocols.spatial_corpus.statistics import (
    NAME,
    GenderFigures,
    figures,
    statistics,
    top,
)

__all__ = [
    "NAME",
    "OVERVIEW",
    "GenderFigures",
    "figures",
    "statistics",
    "top",
]
