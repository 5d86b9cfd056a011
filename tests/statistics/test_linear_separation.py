"""Separation: found where it is, and nowhere else."""

import numpy as np
import pytest

from auditor.statistics.linear_separation import is_separated


def pairs(seed, n=40, dimensions=3):
    return np.random.default_rng(seed).normal(size=(n, 2, dimensions))


def test_sides_apart_along_an_oblique_line_are_separated():
    scores = pairs(1)
    direction = np.array([1.0, -2.0, 0.5])
    along = scores @ direction
    scores[:, 0] += np.outer(np.abs(along[:, 0]) - along[:, 0] + 0.1, direction) / 5.25
    scores[:, 1] -= np.outer(np.abs(along[:, 1]) + along[:, 1] + 0.1, direction) / 5.25
    assert is_separated(scores)


@pytest.mark.parametrize("intercept", [True, False])
def test_mixed_sides_are_not(intercept):
    assert not is_separated(pairs(2), intercept=intercept)


def test_one_answer_across_the_line_ends_it():
    scores = pairs(3, dimensions=1) * 0.1
    scores[:, 0] += 1.0
    assert is_separated(scores)
    scores[0, 1] = 3.0
    assert not is_separated(scores)


def test_a_score_that_only_one_side_ever_gets_separates_but_for_ties():
    """The coefficient of such a dimension grows without end, whatever the others do."""
    scores = pairs(4)
    scores[:, :, 2] = 0.0
    scores[5, 0, 2] = 1.0
    assert is_separated(scores)
    scores[6, 1, 2] = 1.0
    assert not is_separated(scores)


def test_without_an_intercept_the_line_goes_through_the_mean():
    scores = np.zeros((4, 2, 1))
    scores[:, 0, 0] = 1.0
    scores[:, 1, 0] = [0.9, 0.9, 0.9, -9.0]
    assert is_separated(scores)
    assert not is_separated(scores, intercept=False)


def test_constant_scores_separate_nothing():
    assert not is_separated(np.full((5, 2, 2), 0.5))
    assert not is_separated(np.full((5, 2, 2), 0.5), intercept=False)
