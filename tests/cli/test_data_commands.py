import json
from pathlib import Path

import pytest

from tests.cli.driving import auditor
from tests.import_builders import line, write


def test_import_takes_lines_and_says_how_many(tmp_path: Path) -> None:
    file = write(tmp_path / "answers.jsonl", [line(), line("Women", repetition=1)])
    ran = auditor("import", file)
    assert ran.code == 0
    assert "2 lines taken" in ran.err
    assert "spatial.explicit" in ran.out
    assert auditor("status", tmp_path / "answers.db", "--json").data["state"] == "complete"


def test_import_ends_with_1_and_the_count_where_lines_do_not_fit(tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", [line(), "{", line("Women"), line(target=1)])
    ran = auditor("import", file, "--store", tmp_path / "b.db", "--json")
    assert ran.code == 1
    assert (ran.data["taken"], ran.data["rejected"]) == (1, 3)
    assert [found["line"] for found in ran.data["rejections"]] == [2, 3, 4]
    assert "3 rejected" in ran.err


def test_ctrl_c_is_answered_in_a_command_that_does_not_listen_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("auditor.importing.import_files", stopped)
    ran = auditor("import", write(tmp_path / "a.jsonl", [line()]))
    assert (ran.code, ran.out, ran.err) == (130, "", "interrupted\n")


def test_import_of_a_planned_target_ends_with_2_and_an_error_object(tmp_path: Path) -> None:
    spec = tmp_path / "s.toml"
    spec.write_text(
        'name = "s"\nseed = 1\n[[targets]]\nname = "m"\nmodel = "sim:m"\n'
        '[protocols."spatial.explicit"]\n'
    )
    file = write(tmp_path / "a.jsonl", [line()])
    ran = auditor("import", file, "--spec", spec, "--json")
    assert ran.code == 2
    assert ran.problem["where"] == "a.jsonl:1"
    assert not (tmp_path / "a.db").exists()


def test_import_of_a_name_that_no_line_has_names_those_that_are_there(tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", [line(target="theirs"), "{", line("Women", target="ours")])
    ran = auditor("import", file, "--only", "nope", "--json")
    assert ran.code == 2
    assert "--only nope" in ran.problem["error"]
    assert "spatial.explicit" in ran.problem["error"]
    assert "ours, theirs" in ran.problem["error"]
    assert not (tmp_path / "a.db").exists()


def test_import_from_stdin_needs_a_store(tmp_path: Path) -> None:
    ran = auditor("import", "-")
    assert ran.code == 2
    assert "--store" in ran.err


def test_export_and_show_read_what_import_took(tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", [line(), line("Women", repetition=1)])
    store = tmp_path / "a.db"
    assert auditor("import", file, "--only", "m", "--limit", "1").code == 0
    ran = auditor("export", store, "-o", tmp_path / "out", "--format", "csv", "--json")
    assert (ran.code, ran.data["rows"]["responses"]) == (0, 1)
    assert auditor("export", store, "-o", tmp_path / "out", "--format", "csv").code == 2
    assert auditor("export", store, "-o", tmp_path / "out", "--format", "csv", "--force").code == 0
    shown = auditor("show", store, "--task", "choice", "--value", "men", "--json")
    assert [answer["text"] for answer in json.loads(shown.out)] == ["Men"]
    assert "Men" in auditor("show", store, "-n", "1").out
    assert auditor("show", store, "--target", "x").code == 2
