"""How well predicted probabilities tell two sides apart: three measures, once and resampled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from auditor.protocols.grap._stat_scores import Floats, Places
from auditor.statistics import discrimination


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure of probabilities (pairs, 2)."""

    of: Callable[[Floats], float]
    resampled: Callable[[Floats, Places], Floats]


MEASURES: Mapping[str, Measure] = {
    "auc": Measure(discrimination.auc, discrimination.resampled_auc),
    "accuracy": Measure(discrimination.accuracy, discrimination.resampled_accuracy),
    "cross_entropy": Measure(discrimination.cross_entropy, discrimination.resampled_cross_entropy),
}
