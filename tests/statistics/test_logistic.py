"""Many fits at once give what scikit-learn gives one by one."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from auditor.errors import StatisticsError
from auditor.statistics.logistic import ManyFits, fit_many, fit_one

RNG = np.random.default_rng(11)
ROWS = RNG.normal(size=(80, 3)) * [1.0, 5.0, 0.1] + [0.0, 40.0, 3.0]
LABELS = (RNG.random(80) < 1 / (1 + np.exp(-ROWS[:, 0]))).astype(float)


def by_sklearn(rows, labels, weights, *, intercept):
    """The fit to rows repeated as often as their weights say."""
    scaler = StandardScaler().fit(rows, sample_weight=weights)
    model = LogisticRegression(
        C=1.0, fit_intercept=intercept, solver="lbfgs", tol=1e-12, max_iter=10_000
    )
    model.fit(scaler.transform(rows), labels, sample_weight=weights)
    return model.coef_[0], model.intercept_[0] if intercept else 0.0


def many(**changes):
    """Unweighted problems in the rows' own scale, unless changed."""
    usual = {
        "design": np.column_stack([np.ones(len(ROWS)), ROWS]),
        "labels": LABELS,
        "weights": None,
        "means": ROWS.mean(axis=0)[None],
        "deviations": ROWS.std(axis=0)[None],
        "intercept": True,
    }
    return ManyFits(**{**usual, **changes})


def weighted(weights):
    means = weights @ ROWS / weights.sum(axis=1, keepdims=True)
    squares = weights @ ROWS**2 / weights.sum(axis=1, keepdims=True)
    return {"weights": weights, "means": means, "deviations": np.sqrt(squares - means**2)}


@pytest.mark.parametrize("intercept", [True, False])
def test_one_fit_is_scikit_learns_to_the_sixth_digit(intercept):
    standard = (ROWS - ROWS.mean(axis=0)) / ROWS.std(axis=0)
    expected = by_sklearn(ROWS, LABELS, np.ones(80), intercept=intercept)
    coefficients, constant = fit_one(standard, LABELS, intercept=intercept)
    assert coefficients == pytest.approx(expected[0], abs=1e-6)
    assert constant == pytest.approx(expected[1], abs=1e-6)


@pytest.mark.parametrize(("pairs", "dimensions", "seed"), [(11, 8, 2), (11, 20, 5), (24, 20, 5)])
def test_equal_sides_have_no_coefficients(pairs, dimensions, seed):
    """Sums over equal rows may differ in their last digit: no way down is no failure."""
    side = np.random.default_rng(seed).random((pairs, dimensions))
    rows = np.concatenate([side, side])
    standard = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    coefficients, constant = fit_one(standard, np.repeat([1.0, 0.0], pairs), intercept=True)
    assert coefficients == pytest.approx(np.zeros(dimensions), abs=1e-9)
    assert constant == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("intercept", [True, False])
def test_every_resample_is_scikit_learns_fit_to_the_sixth_digit(intercept):
    weights = np.random.default_rng(1).integers(0, 4, size=(6, 80)).astype(float)
    coefficients, constants = fit_many(many(**weighted(weights), intercept=intercept))
    for row, coefficient, constant in zip(weights, coefficients, constants, strict=True):
        expected = by_sklearn(ROWS, LABELS, row, intercept=intercept)
        assert coefficient == pytest.approx(expected[0], abs=1e-6)
        assert constant == pytest.approx(expected[1], abs=1e-6)


def test_every_labelling_is_scikit_learns_fit_to_the_sixth_digit():
    labels = np.random.default_rng(2).integers(0, 2, size=(5, 80)).astype(float)
    coefficients, constants = fit_many(many(labels=labels))
    for row, coefficient, constant in zip(labels, coefficients, constants, strict=True):
        expected = by_sklearn(ROWS, row, np.ones(80), intercept=True)
        assert coefficient == pytest.approx(expected[0], abs=1e-6)
        assert constant == pytest.approx(expected[1], abs=1e-6)


def test_where_it_starts_does_not_matter():
    weights = np.random.default_rng(3).integers(0, 3, size=(3, 80)).astype(float)
    near, _ = fit_many(many(**weighted(weights)))
    for start in ([0.1, 1.0, 0.0, 0.2], [0.0, 9.0, -4.0, 0.0], [5.0, -30.0, 30.0, 8.0]):
        begun, _ = fit_many(many(**weighted(weights), start=np.array(start)))
        assert begun == pytest.approx(near, abs=1e-7)


def test_a_dimension_without_spread_has_no_coefficient_and_changes_no_other():
    deviations = ROWS.std(axis=0)[None] * [1.0, 0.0, 1.0]
    coefficients, constants = fit_many(many(deviations=deviations))
    expected, constant = by_sklearn(ROWS[:, [0, 2]], LABELS, np.ones(80), intercept=True)
    assert coefficients[0] == pytest.approx([expected[0], 0.0, expected[1]], abs=1e-6)
    assert constants[0] == pytest.approx(constant, abs=1e-6)


def test_separated_labels_give_the_penalised_fit():
    labels = (ROWS[:, 0] > 0).astype(float)
    coefficients, _ = fit_many(many(labels=labels))
    expected, _ = by_sklearn(ROWS, labels, np.ones(80), intercept=True)
    assert coefficients[0] == pytest.approx(expected, abs=1e-6)


def test_many_problems_in_several_parts_are_the_same_as_each_alone():
    weights = np.random.default_rng(4).integers(0, 3, size=(7, 80)).astype(float)
    parts = list(many(**weighted(np.tile(weights, (450, 1)))).parts())
    assert len(parts) > 1
    assert sum(part.problems for part in parts) == 3150
    together, _ = fit_many(many(**weighted(np.tile(weights, (450, 1)))))
    alone, _ = fit_many(many(**weighted(weights)))
    assert together == pytest.approx(np.tile(alone, (450, 1)), abs=1e-9)


def test_scores_that_are_no_numbers_do_not_converge():
    design = np.column_stack([np.ones(80), ROWS])
    design[0, 1] = np.nan
    with pytest.raises(StatisticsError, match="does not converge"):
        fit_many(many(design=design))
