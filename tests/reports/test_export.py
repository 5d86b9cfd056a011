import csv
import json
import sqlite3
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from auditor.errors import AuditorError, StoreMismatch, UsageError
from auditor.importing import import_files
from auditor.reports.export import export
from auditor.scheduler.launch import launch
from auditor.scheduler.plan import make_plan
from auditor.spec import parse_spec
from tests.import_builders import LEFT_OUT, judged, line, rows, statistics, take

TRIAL = {"trial", "protocol", "target", "factors", "repetition"}
TABLES = ("trials", "responses", "annotations", "statistics", "calls")
SPEC = """
name = "run"
seed = 1
[[targets]]
name = "planned"
model = "sim:planned"
extra_body = {men = 0.5, refusal = 0.2, noise = 0.1}
[protocols."spatial.explicit"]
repetitions = 4
spaces = ["kitchen", "mall", "garage"]
"""
HOSTILE = (
    *(
        "=1+1",
        "+1",
        "-1",
        "@SUM(A1)",
        "\tx",
        "\rx",
        "lone \ud800",
        "nul \0",
        'quo"te',
        "a,b",
        "a\nb",
    ),
    *("\u202egnirts", "\u2028", "", "plain"),
)


def run(folder: Path) -> Path:
    launch(make_plan(parse_spec(SPEC, "spec.toml")), folder / "run.db", say=lambda _: None)
    return folder / "run.db"


def jsonl(file: Path) -> list[dict[str, Any]]:
    return [json.loads(text) for text in file.read_text("utf-8").split("\n") if text]


def cells(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened))


def parquet(file: Path) -> list[dict[str, Any]]:
    return pyarrow.parquet.read_table(file).to_pylist()


def flat(folder: Path, query: str) -> list[dict[str, Any]]:
    connection = sqlite3.connect(folder / "sqlite/export.sqlite")
    connection.row_factory = sqlite3.Row
    try:
        return [dict(row) for row in connection.execute(query)]
    finally:
        connection.close()


def test_every_table_carries_its_trial(tmp_path: Path) -> None:
    counts = export(run(tmp_path), tmp_path / "out")
    assert counts == {
        "trials": 12,
        "responses": 12,
        "annotations": counts["annotations"],
        "statistics": counts["statistics"],
        "calls": 12,
    }
    keys = {row["trial"] for row in jsonl(tmp_path / "out/trials.jsonl")}
    assert len(keys) == 12
    for table in ("trials", "responses", "annotations", "calls"):
        found = jsonl(tmp_path / f"out/{table}.jsonl")
        assert len(found) == counts[table]
        assert all(row.keys() >= TRIAL for row in found)
        assert {row["trial"] for row in found} <= keys
        assert all(row["factors"].keys() == {"space", "prompt", "temperature"} for row in found)


def test_columns_of_annotations_responses_and_statistics(tmp_path: Path) -> None:
    export(run(tmp_path), tmp_path / "out")
    annotation = jsonl(tmp_path / "out/annotations.jsonl")[0]
    wanted = {"task", "judge", "source", "setting", "repeat", "valid", "value", "reason"}
    assert annotation.keys() >= wanted
    assert (annotation["task"], annotation["judge"], annotation["source"]) == (
        "choice",
        "rules",
        "response",
    )
    response = jsonl(tmp_path / "out/responses.jsonl")[0]
    assert response.keys() >= {"text", "outcome", "model", "at", "origin", "in_plan", "simulated"}
    assert (response["origin"], response["in_plan"], response["simulated"]) == (
        "planned",
        True,
        True,
    )
    names = ("protocol", "statistic", "target", "group", "value", "ci_low", "ci_high", "p_value")
    stored = statistics(tmp_path / "run.db")
    found = jsonl(tmp_path / "out/statistics.jsonl")
    assert [{name: row[name] for name in (*names, "n")} for row in found] == [
        {name: row[name] for name in (*names, "n")} for row in stored
    ]


def test_what_was_asked_and_what_a_call_took_is_there(tmp_path: Path) -> None:
    export(run(tmp_path), tmp_path / "out")
    asked = jsonl(tmp_path / "out/trials.jsonl")[0]["messages"]
    assert asked[0]["role"] == "user"
    assert "kitchen" in asked[0]["content"]
    call = jsonl(tmp_path / "out/calls.jsonl")[0]
    assert (call["state"], call["trials"], call["attempt"]) == ("ok", 1, 1)
    answered = {row["call"] for row in jsonl(tmp_path / "out/responses.jsonl")}
    assert call["call"] in answered


def test_the_same_columns_and_rows_in_every_format(tmp_path: Path) -> None:
    store = run(tmp_path)
    for form in ("jsonl", "csv", "parquet"):
        export(store, tmp_path / form, format=form)
    for table in TABLES:
        plain = jsonl(tmp_path / f"jsonl/{table}.jsonl")
        assert len(cells(tmp_path / f"csv/{table}.csv")) == len(plain)
        columnar = parquet(tmp_path / f"parquet/{table}.parquet")
        assert [row.keys() for row in columnar] == [row.keys() for row in plain]
    responses = zip(
        jsonl(tmp_path / "jsonl/responses.jsonl"),
        cells(tmp_path / "csv/responses.csv"),
        parquet(tmp_path / "parquet/responses.parquet"),
        strict=True,
    )
    for plain, cell, columnar in responses:
        assert columnar["factors"] == plain["factors"]
        assert {name: cell[name] for name in ("space", "prompt")} == {
            name: plain["factors"][name] for name in ("space", "prompt")
        }
        assert float(cell["temperature"]) == plain["factors"]["temperature"]
        assert "factors" not in cell
        assert columnar["text"] == plain["text"]
        assert (cell["text"] or None) == plain["text"]


def test_sqlite_holds_every_table_in_one_file_with_a_column_for_each_factor(
    tmp_path: Path,
) -> None:
    store = run(tmp_path)
    counts = export(store, tmp_path / "sqlite", format="sqlite")
    export(store, tmp_path / "csv", format="csv")
    assert [path.name for path in (tmp_path / "sqlite").iterdir()] == ["export.sqlite"]
    for table in TABLES:
        found = flat(tmp_path, f"SELECT * FROM [{table}]")
        assert len(found) == counts[table]
        assert list(found[0]) == list(cells(tmp_path / f"csv/{table}.csv")[0])
    shares = "SELECT space, sum(value = '\"men\"') AS men FROM annotations GROUP BY space"
    assert {row["space"] for row in flat(tmp_path, shares)} == {"kitchen", "mall", "garage"}


def test_answers_in_sqlite_are_searched_by_their_words(tmp_path: Path) -> None:
    take(tmp_path, [line("Women, surely."), line("Men.", repetition=1)])
    export(tmp_path / "a.db", tmp_path / "sqlite", format="sqlite")
    found = flat(
        tmp_path,
        "SELECT text FROM responses WHERE rowid IN"
        " (SELECT rowid FROM responses_fts WHERE responses_fts MATCH 'women')",
    )
    assert found == [{"text": "Women, surely."}]


def test_sqlite_keeps_hostile_texts_as_they_came(tmp_path: Path) -> None:
    hostile(tmp_path)
    export(tmp_path / "a.db", tmp_path / "sqlite", format="sqlite")
    found = [row["text"] for row in flat(tmp_path, "SELECT text FROM responses ORDER BY rowid")]
    assert found[6] == "lone \\ud800"
    assert found[:6] + found[7:] == list(HOSTILE[:6] + HOSTILE[7:])


def test_an_empty_store_of_lines_has_empty_tables(tmp_path: Path) -> None:
    take(tmp_path, [line()], judge=False)
    for form in ("jsonl", "csv", "parquet", "sqlite"):
        counts = export(tmp_path / "a.db", tmp_path / form, format=form)
        assert (counts["statistics"], counts["calls"], counts["annotations"]) == (0, 0, 0)
    assert parquet(tmp_path / "parquet/calls.parquet") == []


# -- hostile text -----------------------------------------------------------------------------


def hostile(folder: Path) -> list[dict[str, Any]]:
    lines = [line(text, repetition=n) for n, text in enumerate(HOSTILE)]
    take(folder, lines)
    return lines


def test_json_lines_give_every_text_back_as_it_came(tmp_path: Path) -> None:
    hostile(tmp_path)
    export(tmp_path / "a.db", tmp_path / "out")
    found = jsonl(tmp_path / "out/responses.jsonl")
    assert [row["text"] for row in found] == list(HOSTILE)


def test_a_text_that_a_spreadsheet_would_take_for_a_formula_is_none_in_csv(tmp_path: Path) -> None:
    hostile(tmp_path)
    export(tmp_path / "a.db", tmp_path / "out", format="csv")
    found = [row["text"] for row in cells(tmp_path / "out/responses.csv")]
    assert found[:6] == ["'=1+1", "'+1", "'-1", "'@SUM(A1)", "'\tx", "'\rx"]
    assert found[6] == "lone \\ud800"
    assert found[7:] == list(HOSTILE[7:])


def test_numbers_below_zero_are_no_formulas(tmp_path: Path) -> None:
    factors = {"space": "kitchen", "temperature": -1.5}
    take(tmp_path, [line(factors=factors), line(factors=factors, target="-m")])
    export(tmp_path / "a.db", tmp_path / "out", format="csv")
    found = cells(tmp_path / "out/trials.csv")
    assert [(row["temperature"], row["target"]) for row in found] == [
        ("-1.5", "m"),
        ("-1.5", "'-m"),
    ]


def test_parquet_escapes_what_utf_8_cannot_hold(tmp_path: Path) -> None:
    hostile(tmp_path)
    export(tmp_path / "a.db", tmp_path / "out", format="parquet")
    found = [row["text"] for row in parquet(tmp_path / "out/responses.parquet")]
    assert found[6] == "lone \\ud800"
    assert found[:6] + found[7:] == list(HOSTILE[:6] + HOSTILE[7:])


# -- files ------------------------------------------------------------------------------------


def test_files_are_overwritten_only_by_force(tmp_path: Path) -> None:
    take(tmp_path, [line()])
    export(tmp_path / "a.db", tmp_path / "out")
    before = (tmp_path / "out/responses.jsonl").read_bytes()
    take(tmp_path, [line(repetition=1)])
    with pytest.raises(UsageError, match=r"holds trials\.jsonl"):
        export(tmp_path / "a.db", tmp_path / "out")
    assert (tmp_path / "out/responses.jsonl").read_bytes() == before
    export(tmp_path / "a.db", tmp_path / "out", force=True)
    assert len(jsonl(tmp_path / "out/responses.jsonl")) == 2
    assert export(tmp_path / "a.db", tmp_path / "out", format="csv")["responses"] == 2


def test_nothing_half_written_is_left_after_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    take(tmp_path, [line()])
    (tmp_path / "kept").mkdir()

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("auditor.reports._export_formats._json_line", full)
    for folder in ("out", "kept"):
        with pytest.raises(AuditorError, match="No space left on device"):
            export(tmp_path / "a.db", tmp_path / folder)
    assert not (tmp_path / "out").exists()
    assert list((tmp_path / "kept").iterdir()) == []


def test_what_cannot_be_done_is_said_before_anything_is_written(tmp_path: Path) -> None:
    take(tmp_path, [line()])
    with pytest.raises(UsageError, match="allowed: csv, jsonl, parquet, sqlite"):
        export(tmp_path / "a.db", tmp_path / "out", format="xlsx")
    with pytest.raises(UsageError, match="is no folder"):
        export(tmp_path / "a.db", tmp_path / "lines.jsonl")
    with pytest.raises(StoreMismatch, match="no such file"):
        export(tmp_path / "b.db", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_parquet_without_its_library_names_the_command_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    take(tmp_path, [line()])
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(UsageError) as caught:
        export(tmp_path / "a.db", tmp_path / "out", format="parquet")
    assert "bias-auditor[parquet]" in (caught.value.hint or "")


# -- there and back ---------------------------------------------------------------------------


def content(folder: Path, table: str) -> set[str]:
    """Rows of an exported table without what belongs to the store that wrote them."""
    own = {"trial", "origin", "call", "fingerprint"}
    return {
        json.dumps({name: value for name, value in row.items() if name not in own}, sort_keys=True)
        for row in jsonl(folder / f"{table}.jsonl")
    }


def assert_comes_back(store: Path, folder: Path) -> None:
    export(store, folder / "first")
    files = [folder / "first/responses.jsonl", folder / "first/annotations.jsonl"]
    report = import_files(files, folder / "again.db", strict=True)
    assert report.rejected == 0, report.rejections
    assert report.unknown_fields == {}
    export(folder / "again.db", folder / "second")
    for table in ("responses", "annotations"):
        assert content(folder / "second", table) == content(folder / "first", table)
    assert statistics(folder / "again.db") == statistics(store)


def test_what_import_took_comes_back_after_export(tmp_path: Path) -> None:
    lines = [
        *(line(text, repetition=n, model="m-1", at=n) for n, text in enumerate(HOSTILE)),
        *(line(text, target="n", repetition=n) for n, text in enumerate(("Men", "Women", "men"))),
        line(LEFT_OUT, repetition=90, outcome="refused", logprobs={"Men": -0.25}),
        line("Me", repetition=91, outcome="truncated", finish_reason="length", reasoning="so"),
    ]
    take(tmp_path, lines)
    assert_comes_back(tmp_path / "a.db", tmp_path)


def test_judgements_by_several_judges_come_back(tmp_path: Path) -> None:
    bad = {"task": "choice", "judge": "human", "valid": False, "reason": "unclear"}
    again = {"task": "choice", "judge": "human", "value": "men", "repeat": 1}
    full = {"task": "choice", "judge": "reader", "value": "women", "setting": "full"}
    lines = [
        judged("men"),
        judged("women", judge="other"),
        line("Men", repetition=1, annotation=bad),
        line("Men", repetition=1, annotation=again),
        line("Men", repetition=1, annotation=full),
    ]
    take(tmp_path, lines)
    assert_comes_back(tmp_path / "a.db", tmp_path)


def test_a_run_comes_back_with_the_same_statistics(tmp_path: Path) -> None:
    assert_comes_back(run(tmp_path), tmp_path)


def test_annotations_alone_give_the_figures_that_rest_on_them(tmp_path: Path) -> None:
    take(tmp_path, [line("Men"), line("Women", repetition=1), line("Men", repetition=2)])
    export(tmp_path / "a.db", tmp_path / "out")
    import_files([tmp_path / "out/annotations.jsonl"], tmp_path / "again.db")
    assert statistics(tmp_path / "again.db") == statistics(tmp_path / "a.db")


def test_trials_that_left_the_plan_are_marked(tmp_path: Path) -> None:
    run(tmp_path)
    fewer = SPEC.replace("repetitions = 4", "repetitions = 1")
    launch(make_plan(parse_spec(fewer, "spec.toml")), tmp_path / "run.db", say=lambda _: None)
    export(tmp_path / "run.db", tmp_path / "out")
    marks = {row["repetition"]: row["in_plan"] for row in jsonl(tmp_path / "out/responses.jsonl")}
    assert marks == {0: True, 1: False, 2: False, 3: False}
    report = import_files([tmp_path / "out/responses.jsonl"], tmp_path / "a.db")
    assert (report.taken, report.left_out) == (3, 9)
    assert rows(tmp_path, "SELECT DISTINCT repetition FROM trials") == [(0,)]
