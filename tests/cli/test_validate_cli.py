"""`sample` and `validate` from the command line."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from tests.cli.driving import auditor, contents
from tests.import_builders import LEFT_OUT, line, take

SPACES = ("kitchen", "garage", "mall", "bar", "cinema")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Thirty answers, and what two judges say of them: one of them takes every fifth wrong."""
    folder = tmp_path_factory.mktemp("store")
    lines = []
    for number in range(30):
        place = {"factors": {"space": SPACES[number % 5]}, "repetition": number // 5}
        right, wrong = ("men", "women") if number % 2 else ("women", "men")
        lines.append(line(right.title(), **place))
        for judge, value in (("good", right), ("bad", right if number % 5 else wrong)):
            annotation = {"task": "choice", "judge": judge, "value": value}
            lines.append(line(LEFT_OUT, annotation=annotation, **place))
    assert take(folder, lines, judge=False).rejected == 0
    return folder / "a.db"


def fill(folder: Path, name: str) -> Path:
    """Label a sheet by its texts."""
    path = folder / name
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        out = csv.DictWriter(file, list(rows[0]))
        out.writeheader()
        out.writerows({**row, "label": row["text"].lower()} for row in rows)
    return path


@pytest.fixture
def labels(store, tmp_path):
    assert auditor("sample", store, "--task", "choice", "-n", 30, "-o", tmp_path / "s").code == 0
    return fill(tmp_path / "s", "annotator-1.csv")


def test_a_sample_says_what_was_drawn(store, tmp_path):
    out = tmp_path / "s"
    ran = auditor(
        *("sample", store, "--task", "choice", "--n", 8, "--stratify", "domain,space"),
        *("--oversample", "men=1", "--annotators", 3, "-o", out, "--json"),
    )
    assert ran.code == 0
    assert sorted(path.name for path in out.iterdir()) == [
        *(f"annotator-{number}.csv" for number in (1, 2, 3)),
        *("guide.txt", "reconcile.csv"),
    ]
    assert sorted(ran.data["files"]) == sorted(str(path) for path in out.iterdir())
    assert (ran.data["task"], ran.data["n"], ran.data["simulated"]) == ("choice", 8, False)
    assert sum(stratum["taken"] for stratum in ran.data["strata"]) == 8
    assert ran.data["strata"][0]["levels"] == {"domain": "private", "space": "garage"}
    assert "8 answers in each of 4 sheets" in ran.err


def test_a_sample_goes_beside_its_store_unless_told_otherwise(store, tmp_path):
    copy = tmp_path / "audit.db"
    copy.write_bytes(store.read_bytes())
    assert auditor("sample", copy, "--task", "choice").code == 0
    assert (tmp_path / "audit-choice-sample" / "reconcile.csv").exists()


def test_a_sample_changes_nothing_in_its_store(store, tmp_path):
    before = store.read_bytes()
    assert auditor("sample", store, "--task", "choice", "-o", tmp_path / "s").code == 0
    assert store.read_bytes() == before


def test_more_of_the_same_seed_keep_the_first(store, tmp_path):
    drawn = []
    for n in (5, 12):
        out = tmp_path / str(n)
        assert auditor("sample", store, "--task", "choice", "-n", n, "-o", out).code == 0
        with (out / "reconcile.csv").open(encoding="utf-8-sig") as file:
            drawn.append([row["trial"] for row in csv.DictReader(file)])
    assert drawn[0] == drawn[1][:5]


def test_too_small_a_stratum_is_said(store, tmp_path):
    sizes = tmp_path / "sizes.csv"
    sizes.write_text("space,n\nkitchen,9\nbar,2\n")
    ran = auditor("sample", store, "--task", "choice", "--sizes", sizes, "-o", tmp_path / "s")
    assert ran.code == 0
    assert "kitchen: 6 of 9 asked for; the store has no more" in ran.err


def test_how_many_answers_there_are_is_said_where_more_are_asked_for(store, tmp_path):
    ran = auditor("sample", store, "--task", "choice", "-n", 1_000_000, "-o", tmp_path / "s")
    assert ran.code == 0
    assert "30 of 1,000,000 answers asked for; the store has no more\n" in ran.err
    rare = ("--stratify", "space", "--oversample", "men=5", "--annotators", 1)
    ran = auditor("sample", store, "--task", "choice", "-n", 5, *rare, "-o", tmp_path / "r")
    assert "kitchen: men 1 of 5; this stratum has no more, or no more room\n" in ran.err
    assert "5 answers in each of 2 sheets" in ran.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--task", "chioce"], "task: value 'chioce'; allowed: choice"),
        (["--task", "choice", "--oversample", "men"], "oversample: value 'men'; allowed: CLASS=N"),
        (["--task", "choice", "--oversample", "men=0"], "oversample: value 'men=0'"),
        (["--task", "choice", "--oversample", "boys=2"], "oversample: value 'boys'; allowed"),
        (["--task", "choice", "--stratify", "room"], "stratify: value 'room'; allowed: space"),
        (["--task", "choice", "--sizes", "none.csv"], "none.csv: No such file"),
        (["--task", "choice", "--sizes", "none.csv", "--n", "3"], "one of --n and --sizes"),
        (["--task", "choice", "--n", "0"], "greater than or equal to 1"),
        ([], "Missing option '--task'"),
    ],
)
def test_a_wrong_sample_is_refused_and_writes_nothing(store, tmp_path, arguments, message):
    ran = auditor("sample", store, "-o", tmp_path / "s", *arguments)
    assert ran.code == 2
    assert message in ran.err
    assert not (tmp_path / "s").exists()


def test_filled_sheets_are_safe(store, labels):
    before = contents(labels.parent)
    ran = auditor("sample", store, "--task", "choice", "-o", labels.parent)
    assert ran.code == 2
    assert "they may hold labels" in ran.err
    assert contents(labels.parent) == before


def test_a_validation_as_json(store, labels):
    ran = auditor("validate", store, "--labels", labels, "--json")
    assert ran.code == 0
    assert (ran.data["taken"], ran.data["rejections"]) == (30, [])
    (task,) = ran.data["tasks"]
    (part,) = task["parts"]
    found = {(each["kind"], each["second"]): each for each in part["comparisons"]}
    good = found["judge against people", "good"]
    bad = found["judge against people", "bad"]
    assert good["accuracy"]["value"] == 1
    assert bad["accuracy"]["value"] == pytest.approx(0.8)
    # Even numbers that five divides are 0, 10 and 20: three women's answers and three men's.
    assert bad["table"] == {"men": {"men": 12, "women": 3}, "women": {"men": 3, "women": 12}}
    assert bad["cohens_kappa"]["value"] == pytest.approx(0.6)
    assert bad["scotts_pi"]["value"] == pytest.approx(0.6)
    assert 1 - bad["krippendorffs_alpha"]["value"] == pytest.approx(0.4 * 59 / 60)
    assert bad["classes"][0]["precision"]["value"] == pytest.approx(0.8)
    assert found["judge against judge", "bad"]["n"] == 30


def test_a_validation_in_words(store, labels):
    ran = auditor("validate", store, "--labels", labels)
    assert ran.code == 0
    assert re.search(r"accuracy +0\.800 +\[0\.627, 0\.905\]", ran.out)
    assert "bad against people, n = 30" in ran.out
    assert ran.err == "30 labels taken\n"


@pytest.mark.parametrize("columns", ["60", "100", "160"])
def test_lines_keep_to_the_width_that_is_asked_for(columns, store, labels, monkeypatch):
    monkeypatch.setenv("COLUMNS", columns)
    ran = auditor("validate", store, "--labels", labels)
    assert max(map(len, ran.out.splitlines())) <= int(columns)


def test_two_sheets_are_two_annotators(store, labels):
    other = fill(labels.parent, "annotator-2.csv")
    ran = auditor("validate", store, "--labels", labels, "--labels", other, "--json")
    assert ran.data["tasks"][0]["annotators"] == {"annotator-1": 30, "annotator-2": 30}


def test_lines_that_cannot_be_taken_are_listed_and_give_1(store, labels):
    with labels.open("a", encoding="utf-8", newline="") as file:
        file.write(f"{'0' * 32},choice,,,,men,x,\n")
        file.write("zzz,choice,,,,men,x,\n")
    ran = auditor("validate", store, "--labels", labels)
    assert ran.code == 1
    assert f'{labels}:32: trial: value "{"0" * 32}" is not in this store; allowed' in ran.err
    assert f'{labels}:33: trial: value "zzz"; allowed: 32 digits' in ran.err
    assert "30 labels taken, 2 could not be taken" in ran.err
    assert "bad against people, n = 30" in ran.out
    as_json = auditor("validate", store, "--labels", labels, "--json")
    assert as_json.code == 1
    assert [each["line"] for each in as_json.data["rejections"]] == [32, 33]


def test_very_many_bad_lines_are_counted(store, tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("trial,task,label\n" + "x,choice,men\n" * 50)
    ran = auditor("validate", store, "--labels", path)
    assert ran.code == 1
    assert ran.err.count('value "x"') == 20
    assert "and 30 lines more that could not be taken" in ran.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--labels", "none.csv"], "none.csv: No such file"),
        (["--task", "choice"], "Missing option '--labels'"),
    ],
)
def test_a_wrong_validation_is_refused(store, arguments, message):
    ran = auditor("validate", store, *arguments)
    assert ran.code == 2
    assert message in ran.err


def test_an_unknown_task_is_refused_as_json(store, labels):
    ran = auditor("validate", store, "--labels", labels, "--task", "x", "--json")
    assert ran.code == 2
    assert ran.problem["error"] == "task: value 'x'; allowed: choice"
    assert ran.out == ""


@pytest.mark.parametrize("command", ["sample", "validate"])
def test_what_is_no_store_is_refused(tmp_path, command):
    (tmp_path / "labels.csv").write_text("trial,task,label\nx,choice,men\n")
    given = {"sample": ["--task", "choice"], "validate": ["--labels", tmp_path / "labels.csv"]}
    ran = auditor(command, tmp_path / "none.db", *given[command])
    assert ran.code == 2
    assert "no such file" in ran.err


def test_both_stand_in_the_help_as_judging(store):
    ran = auditor("--help")
    judging = ran.out[ran.out.index("judge") :]
    assert "sample" in judging
    assert "validate" in judging
