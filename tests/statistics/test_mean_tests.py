import pytest
from scipy import stats

from auditor.statistics import combined, sample_mean
from auditor.statistics.mean_tests import t_test_p

FIRST, SECOND = [1.0, 2.0, 4.0, 3.5, 2.5], [0.5, 0.0, 1.5, 2.0, -3.0, 0.25]


def test_of_one_mean_it_is_students_test():
    assert t_test_p(sample_mean(SECOND)) == pytest.approx(stats.ttest_1samp(SECOND, 0).pvalue)


def test_of_a_difference_it_is_welchs():
    difference = combined([sample_mean(FIRST), sample_mean(SECOND)], [1, -1])
    expected = stats.ttest_ind(FIRST, SECOND, equal_var=False).pvalue
    assert t_test_p(difference) == pytest.approx(expected)


@pytest.mark.parametrize("values", [[2.0], [2.0, 2.0, 2.0]])
def test_without_an_error_there_is_no_test(values):
    assert t_test_p(sample_mean(values)) is None
