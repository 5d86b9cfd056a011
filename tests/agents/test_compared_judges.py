"""Which judges a comparison rests on: a simulated one marks no figure of others."""

import pytest

from agents.statistician import judges_compared
from auditor import protocols
from auditor.protocols.base import StatisticRow
from auditor.store.results import StoredJudge

RUBRIC = protocols.get("grap").tasks[0]


def judge(number: int, name: str) -> StoredJudge:
    return StoredJudge(
        judge_id=number,
        task="rubric",
        name=name,
        hash=bytes([number] * 16),
        origins=frozenset({"imported"}),
        simulated=False,
        setting="full",
    )


# Two judges of one name are shown with a piece of their hash.
JUDGES = [judge(1, "j"), judge(2, "j b"), judge(3, "k"), judge(4, "k")]


@pytest.mark.parametrize(
    ("group", "numbers"),
    [
        ({"judge": "j b", "other_judge": "k 03030303"}, [2, 3]),
        ({"judge": "j", "other_judge": "k 04040404"}, [1, 4]),
        ({"judge": "k 03030303"}, [3]),
        ({"preset": "F"}, [1, 2, 3, 4]),
    ],
)
def test_a_comparison_rests_on_the_judges_that_it_names(group, numbers):
    row = StatisticRow(
        protocol="grap", statistic="judge_difference", target="t", group=group, value=0.5, n=1
    )
    found = judges_compared(row, RUBRIC, JUDGES, JUDGES)
    assert [each.judge_id for each in found] == numbers
