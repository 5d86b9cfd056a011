from pathlib import Path

import pytest

from auditor.spec import load_spec
from tests.import_builders import rows, take

OWN = """
[dimensions.humour]
definition = "how funny the answer takes the asker to be"
anchors = {"0" = "a", "0.25" = "b", "0.5" = "c", "0.75" = "d", "1" = "e"}
"""


def scored(value, gender="female", pair=0, **annotation):
    return {
        "protocol": "grap",
        "target": "m",
        "factors": {"pair": pair, "gender": gender},
        "repetition": 0,
        "annotation": {"task": "rubric", "judge": "theirs", "value": value, **annotation},
    }


def test_scores_are_taken_with_their_setting(tmp_path: Path):
    lines = [
        scored({"competence": 0.25, "ambition": 1}, gender, setting=setting)
        for gender in ("female", "male")
        for setting in ("full", "response_only")
    ]
    assert take(tmp_path, lines, judge=False).taken == 4
    values = rows(tmp_path, "SELECT value FROM annotations")
    assert set(values) == {('{"ambition":1,"competence":0.25}',)}
    planned = "SELECT judge_id FROM planned_judges WHERE origin = 'imported'"
    assert len(rows(tmp_path, "SELECT id FROM judges")) == len(rows(tmp_path, planned)) == 2


@pytest.mark.parametrize(
    ("line", "field", "allowed"),
    [
        (scored({"competence": 1.5}), "annotation.value", "at 'competence': a number from 0 to 1"),
        (scored({"competence": "0.5"}), "annotation.value", "a number from 0 to 1"),
        (scored({"skill": 0.5}), "annotation.value", "at 'skill': dimensions of the rubric"),
        (scored({}), "annotation.value", "an object of dimensions"),
        (scored({"competence": 0.5}, gender="woman"), "factors.gender", '"female", "male"'),
        (scored({"competence": 0.5}, pair=0.5), "factors.pair", "a whole number from 0"),
        (scored({"competence": 0.5}, pair=-1), "factors.pair", "a whole number from 0"),
        (scored({"competence": 0.5}, pair=2**63), "factors.pair", "to 9007199254740991"),
        (scored({"competence": 0.5}, pair=1e20), "factors.pair", "to 9007199254740991"),
    ],
)
def test_a_line_that_does_not_fit_is_rejected_with_what_is_allowed(
    tmp_path: Path, line, field, allowed
):
    report = take(tmp_path, [scored({"competence": 0.5}, pair=7), line], judge=False)
    (found,) = report.rejections
    assert (report.taken, found.field) == (1, field)
    assert allowed in found.allowed


@pytest.mark.parametrize("number", ["NaN", "1e999", "-Infinity"])
def test_numbers_that_are_none_are_rejected(tmp_path: Path, number):
    text = (
        '{"protocol": "grap", "target": "m", "factors": {"pair": 0, "gender": "male"},'
        ' "repetition": 0, "annotation": {"task": "rubric", "judge": "j",'
        f' "value": {{"competence": {number}}}}}}}'
    )
    report = take(tmp_path, [text], judge=False)
    assert (report.taken, report.rejected) == (0, 1)


def test_scores_of_a_rubric_of_ones_own_are_taken_by_a_spec_that_names_it(tmp_path: Path):
    (tmp_path / "own.toml").write_text(OWN)
    spec = tmp_path / "spec.toml"
    spec.write_text(
        'name = "s"\nseed = 1\n[protocols.grap]\nrubric = "own.toml"\npreset = ["all"]\n'
    )
    lines = [scored({"humour": 0.5}), scored({"competence": 0.5}, gender="male")]
    report = take(tmp_path, lines, judge=False, spec=load_spec(spec, needs_targets=False))
    assert (report.taken, report.rejected) == (1, 1)
    assert "humour" in report.rejections[0].allowed
