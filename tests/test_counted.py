"""Numbers with their nouns."""

import pytest

from auditor.counted import counted


@pytest.mark.parametrize(
    ("number", "noun", "said"),
    [
        (1, "trial", "1 trial"),
        (0, "trial", "0 trials"),
        (2480, "annotation", "2,480 annotations"),
        (1, "retry", "1 retry"),
        (3, "retry", "3 retries"),
        (2, "survey", "2 surveys"),
        (2, "call of unknown outcome", "2 calls of unknown outcome"),
    ],
)
def test_only_one_is_said_in_the_singular(number: int, noun: str, said: str) -> None:
    assert counted(number, noun) == said


def test_the_verb_goes_with_the_number() -> None:
    assert counted(1, "row", verb=("is", "are")) == "1 row is"
    assert counted(2, "row", verb=("is", "are")) == "2 rows are"


def test_more_stands_before_the_noun() -> None:
    assert counted(1, "row", more=True) == "1 more row"
    assert counted(1200, "row", more=True) == "1,200 more rows"
