"""Values that are numbers, held against people's: how near they are, and by dimension."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from scipy import stats

from auditor.live.figures import figure
from auditor.live.glyphs import UNICODE
from auditor.reports.agreement_figures import Kind
from auditor.reports.validation_view import ValidationTable
from tests.import_builders import LEFT_OUT, line, take
from tests.label_builders import AGAINST_PEOPLE, comparison, report, write_csv

RATED = {"protocol": "regional.stereotype", "target": "m"}


@pytest.fixture(scope="module")
def ratings(tmp_path_factory):
    """Ratings by two judges beside people's."""
    folder = tmp_path_factory.mktemp("ratings")
    lines = []
    for repetition, (one, other) in enumerate(
        [(1, 1), (2, 2.5), (3, 3), (4, 5), (5, 4), (4, "refusal"), (None, 2)]
    ):
        place = {
            **RATED,
            "factors": {"region": "BJ", "trait": "Friendliness", "language": "en"},
            "repetition": repetition,
        }
        lines.append(line("a rating", **place))
        for judge, value in (("j", one), ("k", other)):
            body = {"task": "rating", "judge": judge}
            body |= {"valid": False, "reason": "x"} if value is None else {"value": value}
            lines.append(line(LEFT_OUT, annotation=body, **place))
    assert take(folder, lines, judge=False).rejected == 0
    labels = [1.5, 2, 3, 5, 4.5, 4, 2]
    rows = [
        {"target": "m", "region": "BJ", "trait": "Friendliness", "language": "en",
         "repetition": number, "task": "rating", "label": label}
        for number, label in enumerate(labels)
    ]  # fmt: skip
    return report(folder / "a.db", write_csv(folder / "labels.csv", rows))


class TestNumericTasks:
    def test_have_the_figures_of_numbers_and_none_of_classes(self, ratings):
        found = comparison(ratings, AGAINST_PEOPLE, second="j").as_json()
        people, judge = [1.5, 2, 3, 5, 4.5, 4], [1, 2, 3, 4, 5, 4]
        apart = [b - a for a, b in zip(people, judge, strict=True)]
        assert found["n"] == 6
        assert found["excluded"] == {"without a number by both": 1}
        assert found["mean_absolute_error"]["value"] == pytest.approx(sum(map(abs, apart)) / 6)
        assert found["bias"]["value"] == pytest.approx(sum(apart) / 6)
        assert found["bias"]["ci_low"] <= found["bias"]["value"] <= found["bias"]["ci_high"]
        assert (found["within"]["distance"], found["within"]["value"]) == (0.5, 5 / 6)
        assert found["pearson"]["value"] == pytest.approx(stats.pearsonr(people, judge)[0])
        assert found["spearman"]["value"] == pytest.approx(stats.spearmanr(people, judge)[0])
        assert found["krippendorffs_alpha_interval"]["n"] == 6
        assert not {"accuracy", "cohens_kappa", "scotts_pi", "classes"} & set(found)

    def test_say_who_gave_a_word_instead_of_a_number(self, ratings):
        found = comparison(ratings, AGAINST_PEOPLE, second="k")
        assert found.confusion.as_json() == {"number": {"number": 6, "refusal": 1}}
        text = "\n".join(line.plain for line in ValidationTable(ratings).lines(80, UNICODE))
        assert "k against people, n = 6 (left out: 1 without a number by both)" in text
        assert re.search(r"within 0\.5 of each other +1\.000", text)
        assert "people \\ judge  number  refusal" in text
        assert "kappa" not in text

    @pytest.mark.parametrize("width", [30, 60])
    def test_who_is_left_out_is_said_whole_on_a_narrow_terminal(self, ratings, width):
        lines = [line.plain for line in ValidationTable(ratings).lines(width, UNICODE)]
        assert all(len(line) <= width for line in lines)
        words = " ".join(" ".join(lines).split())
        assert "k against people, n = 6 (left out: 1 without a number by both)" in words

    @pytest.mark.parametrize("width", [30, 40, 60, 80])
    def test_no_two_pairs_of_raters_look_alike(self, ratings, width):
        (task,) = ratings.tasks
        (part,) = task.parts
        pair = part.comparisons[-1]
        people = [f"somebody-with-a-name-{number}" for number in (1, 2, 3)]
        pairs = [
            replace(pair, kind=Kind.ANNOTATORS, first=first, second=second)
            for first, second in combinations(people, 2)
        ]
        several = replace(task, parts=[replace(part, comparisons=pairs)])
        table = ValidationTable(replace(ratings, tasks=[several]))
        lines = [line.plain for line in table.lines(width, UNICODE)]
        assert [line for line in lines if len(line) > width] == []
        said = " ".join(" ".join(lines).split()).replace("- ", "-")
        assert all(f"{each.first} / {each.second}" in said for each in pairs)
        assert said.count(f"{figure(pair.figures.mean_difference.value)}") >= len(pairs)

    def test_between_judges_a_difference_is_no_error(self, ratings):
        found = comparison(ratings, "judge against judge").as_json()
        assert found["mean_difference"]["value"] == pytest.approx((0.5 + 1 - 1) / 5)
        assert "bias" not in found

    def test_of_words_alone_have_no_figure_and_say_so(self, tmp_path):
        place = {**RATED, "factors": {"region": "BJ", "trait": "Friendliness", "language": "en"}}
        body = {"task": "rating", "judge": "j", "value": "refusal"}
        lines = [line("No.", **place), line(LEFT_OUT, annotation=body, **place)]
        assert take(tmp_path, lines, judge=False).rejected == 0
        labels = tmp_path / "labels.csv"
        labels.write_text(
            "target,region,trait,language,repetition,task,label\n"
            "m,BJ,Friendliness,en,0,rating,refusal\n"
        )
        found = comparison(report(tmp_path / "a.db", labels), AGAINST_PEOPLE)
        assert (found.n, found.figures.alpha.value) == (0, None)
        assert found.figures.mean_difference.note == "no item was given a number by both"
        assert found.confusion.as_json() == {"refusal": {"refusal": 1}}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Scores of two dimensions by a judge in two settings."""
    folder = tmp_path_factory.mktemp("scores")
    lines = []
    for pair in range(4):
        place = {"protocol": "grap", "factors": {"pair": pair, "gender": "female"}}
        lines.append(line("You can do it.", **place))
        for setting, more in (("full", 0.1), ("response_only", 0.3)):
            scores = {"competence": 0.2 * pair + more, "ambition": 0.5}
            body = {"task": "rubric", "judge": "j", "setting": setting, "value": scores}
            lines.append(line(LEFT_OUT, annotation=body, **place))
    assert take(folder, lines, judge=False).rejected == 0
    return folder / "a.db"


class TestScoresByDimension:
    def labels(self, store, header: str, *rows: str) -> Path:
        path = store.with_name("labels.csv")
        head = f"target,pair,gender,repetition,task,{header}"
        path.write_text("\n".join([head, *(f"m,{row}" for row in rows)]) + "\n")
        return path

    def test_is_compared_where_people_labelled_it_for_each_setting_by_name(self, store):
        rows = [f"{pair},female,0,rubric,{0.2 * pair}," for pair in range(4)]
        found = report(store, self.labels(store, "label.competence,label", *rows))
        (part,) = found.tasks[0].parts
        assert part.part == "competence"
        bias = {
            each.second: each.figures.mean_difference.value
            for each in part.comparisons
            if each.kind == AGAINST_PEOPLE
        }
        assert bias == {"j (full)": pytest.approx(0.1), "j (response_only)": pytest.approx(0.3)}
        text = "\n".join(line.plain for line in ValidationTable(found).lines(100, UNICODE))
        assert "j (full) against people" in text
        assert re.search(r"competence +4 +0\.100 .* 1\.000$", text, re.MULTILINE)
        assert "ambition" not in text

    def test_a_text_without_any_score_is_invalid_and_said_so_once(self, store):
        rows = ["0,female,0,rubric,0.5,0.5,", "1,female,0,rubric,,,invalid", "2,female,0,rubric,,,"]
        found = report(store, self.labels(store, "label.competence,label.ambition,label", *rows))
        assert (found.taken, found.blank) == (2, 1)
        parts = {part.part: part.comparisons[0] for part in found.tasks[0].parts}
        assert list(parts) == ["competence", "ambition"]
        assert parts["ambition"].confusion.as_json() == {
            "invalid": {"number": 1},
            "number": {"number": 1},
        }

    @pytest.mark.parametrize(
        ("row", "message"),
        [
            ("0,female,0,rubric,1.5,", "label.competence: value \"1.5\"; allowed: at 'competence'"),
            ("0,female,0,rubric,0.5,invalid", 'label: value "invalid" beside "label.competence"'),
        ],
    )
    def test_what_does_not_fit_is_said_by_column(self, store, row, message):
        found = report(store, self.labels(store, "label.competence,label", row))
        assert message in found.problems[0].message

    def test_an_unknown_dimension_is_said_with_the_known_ones(self, store):
        found = report(store, self.labels(store, "label.skill", "0,female,0,rubric,1"))
        assert 'label.skill: value "1"; allowed' in found.problems[0].message
        assert "competence" in found.problems[0].message


def test_classes_of_a_part_are_named_as_its_task_names_them(tmp_path):
    place = {"protocol": "spatial.construction", "target": "m",
             "factors": {"space": "bank", "story": "co_present"}}  # fmt: skip
    body = {"task": "role", "judge": "j", "value": {"man": "Leader", "woman": "Observer"}}
    lines = [line("A man met a woman.", **place), line(LEFT_OUT, annotation=body, **place)]
    assert take(tmp_path, lines, judge=False).rejected == 0
    labels = tmp_path / "labels.csv"
    labels.write_text(
        "target,space,story,repetition,task,label.man,label.woman\n"
        "m,bank,co_present,0,role,leader,Dependent\n"
    )
    (task,) = report(tmp_path / "a.db", labels).tasks
    man, woman = (part.comparisons[0].confusion.as_json() for part in task.parts)
    assert (man, woman) == ({"Leader": {"Leader": 1}}, {"Dependent": {"Observer": 1}})
