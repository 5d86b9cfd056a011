"""Answers about regions: names for codes, and pairs that are none."""

import json

import pytest

from tests.import_builders import rows, take

JUDGED = """
    SELECT c.factors, a.value FROM cells c JOIN trials t ON t.cell_id = c.id
    LEFT JOIN _annotations a ON a.trial_id = t.id ORDER BY c.id"""


def decision(a, b, text="A", **more):
    factors = {"region_a": a, "region_b": b, "task": "S1", **more}
    return {
        "protocol": "regional.decision",
        "target": "m",
        "factors": factors,
        "repetition": 0,
        "text": text,
    }


def test_codes_and_names_of_both_languages_are_one_region_and_the_judge_knows_whose(tmp_path):
    report = take(
        tmp_path,
        [
            decision("北京", "Hebei", "Hebei"),
            decision("Hebei", "北京市", "河北"),
            decision("HE", "Shaanxi", "The one from Shaanxi.", language="en"),
        ],
    )
    assert (report.taken, report.rejected) == (3, 0)
    found = [(json.loads(factors), json.loads(value)) for factors, value in rows(tmp_path, JUDGED)]
    assert [(f["region_a"], f["region_b"], f["language"], value) for f, value in found] == [
        ("BJ", "HE", "zh", "B"),
        ("HE", "BJ", "zh", "A"),
        ("HE", "SN", "en", "B"),
    ]


def test_equal_regions_are_the_same_trial_whatever_they_are_called(tmp_path):
    report = take(tmp_path, [decision("北京", "HE"), decision("Beijing", "河北省")])
    assert rows(tmp_path, "SELECT count(*) FROM cells") == [(1,)]
    assert report.rejected == 0


@pytest.mark.parametrize(
    ("bad", "field", "said", "allowed"),
    [
        (decision("HE", "Hebei"), "factors.region_b", '"HE"', "another region than region_a"),
        (decision("HE", "Hebbei"), "factors.region_b", '"Hebbei"', "close"),
        (decision("HE", "Paris"), "factors.region_b", '"Paris"', '"BJ"'),
        (decision("HE", "BJ", task="E4"), "factors.task", '"E4"', '"E1"'),
        (decision("HE", "BJ", language="fr"), "factors.language", '"fr"', '"zh", "en"'),
    ],
)
def test_a_pair_that_is_none_is_refused_by_line_and_field(tmp_path, bad, field, said, allowed):
    report = take(tmp_path, [decision("BJ", "HE"), bad])
    (found,) = report.rejections
    assert (found.number, found.field) == (2, field)
    assert said in found.said
    assert allowed in found.allowed


def test_ratings_come_with_names_and_traits_in_either_language(tmp_path):
    rating = {
        "protocol": "regional.stereotype",
        "target": "m",
        "factors": {"region": "上海", "trait": "诚实"},
        "repetition": 0,
        "text": "评分：4.2",
    }
    take(tmp_path, [rating])
    ((factors, value),) = rows(tmp_path, JUDGED)
    assert json.loads(factors) == {"region": "SH", "trait": "Honesty", "language": "zh"}
    assert json.loads(value) == 4.2
