"""How well a probe would do if the labels meant nothing: they are swapped within pairs.

This module loads numpy.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from auditor.statistics.discrimination import auc_of_labels
from auditor.statistics.logistic import ManyFits, fit_many
from auditor.statistics.probe import Floats, Places, chances_of, responses, spread

_MOST_CELLS = 4_000_000
"""Labels held at once: 32 MB."""


def permuted_aucs(
    scores: Floats, folds: Places, swaps: NDArray[np.bool_], *, intercept: bool = True
) -> Floats:
    """Cross-validated AUC under every permutation of the labels, (permutations,).

    `swaps` is (permutations, pairs): True exchanges the two labels of a pair. Each permutation
    is fitted and predicted fold by fold, exactly as `cross_validated` does with true labels.
    """
    rows, _ = responses(scores)
    at_once = max(1, _MOST_CELLS // len(rows))
    found = []
    for begin in range(0, len(swaps), at_once):
        swapped = swaps[begin : begin + at_once]
        labels = np.concatenate([~swapped, swapped], axis=1).astype(np.float64)
        found.append(auc_of_labels(_predicted(rows, labels, np.tile(folds, 2), intercept), labels))
    return np.concatenate(found) if found else np.empty(0)


def permutation_p(observed: float, permuted: Floats) -> float:
    """Share of values at least as large as the observed one, itself counted among them.

    One-sided: the probe tells the sides apart better than chance. At least 1 / (permutations
    + 1). Values that differ by rounding only are equal.

    Source: Phipson and Smyth (2010), Statistical Applications in Genetics and Molecular
    Biology 9: with the observed one counted, the p is exact.
    """
    as_large = int((permuted >= observed - 1e-12).sum())
    return (as_large + 1) / (len(permuted) + 1)


def _predicted(rows: Floats, labels: Floats, folds: Places, intercept: bool) -> Floats:
    chances = np.empty(labels.shape)
    for fold in np.unique(folds):
        is_test = folds == fold
        means, deviations = spread(rows[~is_test])
        slopes = np.divide(1.0, deviations, out=np.zeros_like(deviations), where=deviations > 0)
        standard = (rows - means) * slopes
        coefficients, constants = fit_many(
            ManyFits(
                design=np.column_stack([np.ones(int((~is_test).sum())), standard[~is_test]]),
                labels=labels[:, ~is_test],
                weights=None,
                means=np.zeros((1, rows.shape[1])),
                deviations=(deviations > 0).astype(np.float64)[None, :],
                intercept=intercept,
            )
        )
        chances[:, is_test] = chances_of(coefficients @ standard[is_test].T + constants[:, None])
    return chances
