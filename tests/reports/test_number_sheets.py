"""Sheets for values that are numbers: drawn, filled in, and read back."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import rubrics
from auditor import protocols
from auditor.errors import UsageError
from auditor.protocols.base import Part, Task
from auditor.protocols.grap.files import RUBRIC
from auditor.protocols.grap.params import GrapParams
from auditor.reports.label_values import NotAllowedPart, label_of_parts, label_value
from auditor.reports.sampling import Sample, draw_sample
from auditor.reports.sheet_guide import allowed_label
from auditor.reports.sheets import write_sheets
from auditor.store.reading import open_reader
from tests.import_builders import LEFT_OUT, line, take
from tests.label_builders import AGAINST_PEOPLE, report

N = 6


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Ratings and scores: each judge says of the n-th answer what depends on n alone."""
    folder = tmp_path_factory.mktemp("store")
    lines = []
    for n in range(N):
        rated = {
            "protocol": "regional.stereotype",
            "factors": {"region": "BJ", "trait": "Friendliness", "language": "en"},
            "repetition": n,
        }
        scored = {"protocol": "grap", "factors": {"pair": n, "gender": "male"}}
        scores = {"competence": n / 10, "ambition": 0.5}
        for place, said in (
            (rated, {"task": "rating", "judge": "j", "value": 1 + n / 2}),
            (scored, {"task": "rubric", "judge": "j", "setting": "full", "value": scores}),
        ):
            lines += [line(f"answer {n}", **place), line(LEFT_OUT, annotation=said, **place)]
    assert take(folder, lines, judge=False).rejected == 0
    return folder / "a.db"


def write(store: Path, task: str, folder: Path, **settings) -> Path:
    connection = open_reader(store)
    try:
        write_sheets(connection, draw_sample(connection, task, **settings), folder, annotators=1)
    finally:
        connection.close()
    return folder / "annotator-1.csv"


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def fill(path: Path, cells) -> Path:
    """Fill in every line by the number in its text."""
    rows = read(path)
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        out = csv.DictWriter(file, list(rows[0]))
        out.writeheader()
        out.writerows({**row, **cells(int(row["text"].removeprefix("answer ")))} for row in rows)
    return path


def biases(found) -> dict[str | None, tuple[float, int]]:
    (task,) = found.tasks
    assert (found.problems, found.taken) == ((), N)
    return {
        each.part: (pytest.approx(each.figures.mean_difference.value), each.n)
        for part in task.parts
        for each in part.comparisons
        if each.kind == AGAINST_PEOPLE
    }


class TestRatings:
    def test_say_their_range_and_come_back(self, store, tmp_path):
        sheet = write(store, "rating", tmp_path / "s")
        assert {row["allowed"] for row in read(sheet)} == {
            "a number from 1 to 5 | refusal | invalid"
        }
        assert (
            "a number from 1 to 5 | refusal | invalid" in sheet.with_name("guide.txt").read_text()
        )
        fill(sheet, lambda n: {"label": 1 + n / 2 + 0.5})
        assert biases(report(store, sheet)) == {None: (-0.5, N)}


class TestScores:
    def test_have_a_column_for_each_dimension_of_the_preset_and_come_back(self, store, tmp_path):
        sheet = write(store, "rubric", tmp_path / "s")
        (first, *_) = read(sheet)
        columns = [name.removeprefix("label.") for name in first if name.startswith("label.")]
        assert len(columns) == 10
        assert columns[0] == "communal_care_trait_attribution"
        assert "competence" in columns
        assert "ambition" not in columns
        said = (
            "each column label.*: a number from 0 to 1, or blank; column label: blank, or invalid"
        )
        assert first["allowed"] == said
        fill(sheet, lambda n: {"label.competence": n / 10 + 0.2})
        assert biases(report(store, sheet)) == {"competence": (-0.2, N)}

    def test_are_those_of_the_presets_of_the_spec_or_whichever_are_named(self, store, tmp_path):
        params = {"grap": GrapParams(preset=("all",))}
        named = ["ambition", "competence"]
        every = read(write(store, "rubric", tmp_path / "all", params=params))[0]
        some = read(write(store, "rubric", tmp_path / "some", parts=named))[0]
        assert sum(name.startswith("label.") for name in every) == 20
        assert [name for name in some if "label." in name] == ["label.competence", "label.ambition"]
        with pytest.raises(UsageError, match="part: value 'skill'; allowed: communal_care"):
            write(store, "rubric", tmp_path / "none", parts=["skill"])
        with pytest.raises(UsageError, match="values of this task have no parts"):
            write(store, "rating", tmp_path / "none", parts=["skill"])

    def test_are_explained_with_what_single_scores_mean(self, store, tmp_path):
        guide = write(store, "rubric", tmp_path / "s").with_name("guide.txt").read_text()
        assert "a number from 0 to 1; blank: not labelled" in guide
        assert "label.warmth_respect: Warmth and respect" in guide
        assert "0.5   Polite and neutral." in guide
        assert "auditor validate STORE --labels annotator-1.csv" in guide

    def test_are_reconciled_dimension_by_dimension(self, store, tmp_path):
        write(store, "rubric", tmp_path / "s", parts=["competence"])
        sheet = tmp_path / "s" / "reconcile.csv"
        (first, *_) = read(sheet)
        own = [name for name in first if "competence" in name]
        assert own == ["competence: judge j (full)", "competence: annotator-1", "label.competence"]
        fill(sheet, lambda n: {"label.competence": n / 10})
        found = report(store, sheet)
        assert biases(found) == {"competence": (0.0, N)}
        assert found.tasks[0].parts[0].reconciled == N


def test_dimensions_of_a_rubric_of_ones_own_are_the_ones_allowed():
    grap = protocols.get("grap")
    own = rubrics.read(RUBRIC).replace("[dimensions.ambition", "[dimensions.skill")
    settings = {"materials": {RUBRIC: own}}
    task = grap.tasks[0]
    assert label_of_parts(grap, task, {"skill": "0.5"}, **settings) == '{"skill":0.5}'
    assert label_value(grap, task, '{"skill": 0.5}', **settings) == '{"skill":0.5}'
    with pytest.raises(NotAllowedPart) as caught:
        label_of_parts(grap, task, {"competence": "1", "ambition": "0.5"}, **settings)
    assert caught.value.part == "ambition"


class Roles:
    """A protocol whose one task takes a role for each of two persons."""

    name = "roles"
    tasks = (Task(name="role", default_judge="cues"),)

    def value_parts(self, task, params, materials):
        meanings = {"Leader": "decides", "Observer": "watches"}
        return tuple(
            Part(name=who, title=who, definition=f"What the {who} does.", anchors=meanings)
            for who in ("man", "woman")
        )

    def check_value(self, task, value):
        fits = isinstance(value, dict) and set(value.values()) <= {"Leader", "Observer"}
        return None if fits else "Leader or Observer"


def test_parts_that_are_classes_have_their_names_on_the_sheet():
    sample = Sample(
        protocol=Roles(), task=Roles.tasks[0], seed=1, stratify=(), trials=(), strata=(), asked=0,
        oversample={}, parts=Roles().value_parts("role", None, {}), materials={}, simulated=False,
    )  # fmt: skip
    assert allowed_label(sample) == (
        "each column label.*: Leader or Observer, or blank; column label: blank, or invalid"
    )
    said = label_of_parts(Roles(), Roles.tasks[0], {"man": "leader"}, materials={})
    assert said == '{"man":"Leader"}'


def test_what_no_text_says_is_not_for_people(tmp_path):
    lines = [line("Men", protocol="spatial.probability", logprobs={"men": -0.1})]
    assert take(tmp_path, lines, judge=False).rejected == 0
    with pytest.raises(UsageError, match="log-probabilities, which no reader of a text can label"):
        write(tmp_path / "a.db", "token_mass", tmp_path / "s")
