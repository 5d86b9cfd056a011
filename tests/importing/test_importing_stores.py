import gzip
import hashlib
import io
import json
import sqlite3
from pathlib import Path

import pytest

from auditor.errors import StoreLocked, StoreMismatch, UsageError
from auditor.importing import import_file, import_files
from auditor.importing.run import ImportRun, default_spec
from auditor.scheduler.launch import stored_plan
from auditor.spec import load_spec, parse_spec
from auditor.spec.added import with_block
from auditor.store.verification import verify
from auditor.types import Cell, Message, Prompt, TargetRequest, trial_key
from tests import builders
from tests.cli.driving import auditor
from tests.import_builders import (
    LEFT_OUT,
    figure,
    judged,
    line,
    reading,
    rows,
    statistics,
    status,
    take,
    write,
)

SPEC = """
name = "mine"
seed = 7
[protocols."spatial.explicit"]
null_level = 0.05
"""


def kitchen_answers(men: int, women: int) -> list[dict]:
    texts = ["Men"] * men + ["Women"] * women
    return [line(text, repetition=n) for n, text in enumerate(texts)]


def everything(folder: Path) -> list[tuple]:
    """Every row that an import could have added or changed."""
    tables = ("events", "cells", "trials", "_responses", "_annotations", "_statistics", "plans")
    return [row for table in tables for row in rows(folder, f"SELECT * FROM {table}")]


# -- a store is made, lines are taken, judges and statistics run ------------------------------


def test_import_creates_the_store_if_there_is_none_and_runs_to_the_end(tmp_path: Path) -> None:
    report = take(tmp_path, kitchen_answers(7, 3))
    assert (report.taken, report.exit_code) == (10, 0)
    found = status(tmp_path / "a.db")
    assert found["state"] == "complete"
    assert (found["planned"], found["responses"]) == (10, 10)
    assert found["annotations"]["choice"] == {
        "done": 10,
        "invalid": 0,
        "failed": 0,
        "planned": 10,
    }
    share = figure(tmp_path / "a.db", "men_share", space="kitchen", prompt="1", temperature=1.0)
    assert (share["value"], share["n"]) == (0.7, 10)
    assert [
        wrong for _, wrong in reading(tmp_path / "a.db", lambda c: list(verify(c))) if wrong
    ] == []


def test_no_judge_leaves_judging_and_statistics_for_later(tmp_path: Path) -> None:
    take(tmp_path, kitchen_answers(2, 1), judge=False)
    assert rows(tmp_path, "SELECT count(*) FROM _annotations") == [(0,)]
    assert statistics(tmp_path / "a.db") == []
    assert take(tmp_path, kitchen_answers(2, 1)).taken == 0
    assert rows(tmp_path, "SELECT count(*) FROM _annotations") == [(3,)]
    assert statistics(tmp_path / "a.db")


@pytest.mark.parametrize("by", ["import", "resume"])
def test_a_judge_that_could_say_nothing_is_succeeded_by_its_present_configuration(
    tmp_path: Path, by: str
) -> None:
    """As one is that lacked the model of a parser: installed, it is another configuration."""
    take(tmp_path, kitchen_answers(2, 1))
    store = tmp_path / "a.db"
    with sqlite3.connect(store) as connection:
        connection.execute("DELETE FROM _annotations")
        connection.execute("DELETE FROM tallies WHERE judge_id <> 0")
        connection.execute("UPDATE judges SET hash = zeroblob(16), configuration = '{}'")
    connection.close()
    assert status(store)["annotations"]["choice"]["done"] == 0
    if by == "import":
        assert take(tmp_path, kitchen_answers(2, 1)).taken == 0
    else:
        assert auditor("resume", store).code == 0
    counts = status(store)["annotations"]["choice"]
    assert (counts["done"], counts["planned"]) == (3, 3)
    assert rows(tmp_path, "SELECT DISTINCT judge FROM annotations") == [("rules",)]
    assert status(store)["state"] == "complete"


def test_a_judge_that_has_judged_is_not_succeeded(tmp_path: Path) -> None:
    take(tmp_path, kitchen_answers(2, 1))
    store = tmp_path / "a.db"
    with sqlite3.connect(store) as connection:
        connection.execute("UPDATE judges SET hash = zeroblob(16), configuration = '{}'")
    connection.close()
    take(tmp_path, [line(target="n")], name="later")
    assert rows(
        tmp_path,
        "SELECT DISTINCT hash FROM judges JOIN planned_judges ON id = judge_id"
        " WHERE origin = 'imported' AND hash = zeroblob(16)",
    ) == [(bytes(16),)]


def test_judges_of_one_task_and_name_keep_to_their_own_protocols(tmp_path: Path) -> None:
    regions = {"region_a": "BJ", "region_b": "HE", "task": "S1"}
    take(
        tmp_path,
        [line("Men"), line("B", protocol="regional.decision", factors=regions)],
    )
    assert rows(
        tmp_path,
        "SELECT c.protocol, a.value FROM cells c JOIN trials t ON t.cell_id = c.id"
        " JOIN _annotations a ON a.trial_id = t.id AND a.valid ORDER BY c.id",
    ) == [("spatial.explicit", '"men"'), ("regional.decision", '"B"')]


def test_an_imported_judge_takes_nothing_over(tmp_path: Path) -> None:
    """It has said what it says, and would leave other answers to nobody."""
    take(tmp_path, kitchen_answers(2, 1))
    with sqlite3.connect(tmp_path / "a.db") as connection:
        connection.execute("DELETE FROM _annotations")
    connection.close()
    take(tmp_path, [judged(judge="rules", repetition=0)], name="later", judge=False)
    assert rows(
        tmp_path,
        "SELECT name FROM judges JOIN planned_judges ON id = judge_id WHERE origin = 'imported'",
    ) == [("rules",), ("rules",)]


def test_statistics_are_those_of_the_same_counts_by_hand(tmp_path: Path) -> None:
    """9 of 10 men: two-sided exact p = 2 * (1 + 10) / 2**10."""
    refusals = [line("I cannot answer that.", repetition=n) for n in (10, 11)]
    take(tmp_path, [*kitchen_answers(9, 1), *refusals, line("???", repetition=12)])
    group = {"space": "kitchen", "prompt": "1", "temperature": 1.0}
    store = tmp_path / "a.db"
    assert figure(store, "binomial_p", **group)["value"] == pytest.approx(22 / 1024)
    assert figure(store, "refusal_rate", **group)["value"] == pytest.approx(2 / 13)
    assert figure(store, "invalid_rate", **group)["value"] == pytest.approx(1 / 13)


def test_planned_is_the_number_of_lines_taken_by_protocol_and_target(tmp_path: Path) -> None:
    take(tmp_path, [line(), line(target="n"), line(target="n", repetition=5)])
    query = "SELECT name, cells, trials FROM plans p JOIN targets t ON t.id = p.target_id"
    assert rows(tmp_path, query) == [("m", 1, 1), ("n", 1, 2)]


def test_an_imported_key_is_a_hash_that_no_planned_trial_has(tmp_path: Path) -> None:
    take(tmp_path, [line(repetition=3)])
    levels = {"prompt": "1", "space": "kitchen", "temperature": 1}
    canonical = json.dumps(
        ["imported", "spatial.explicit", "m", levels, 3], sort_keys=True, separators=(",", ":")
    )
    wanted = hashlib.blake2b(canonical.encode(), digest_size=16).hexdigest()
    assert rows(tmp_path, "SELECT trial, origin FROM responses") == [(wanted, "imported")]
    planned = Cell(
        protocol="spatial.explicit",
        target="m",
        request=TargetRequest(provider="sim", model="m"),
        prompt=Prompt(factors=levels, messages=(Message("user", "?"),)),
        repetitions=4,
    )
    assert trial_key(planned.key, 3).hex() != wanted


def test_the_run_of_such_a_store_has_the_defaults_as_its_spec(tmp_path: Path) -> None:
    take(tmp_path, [line()], name="a file (1)")
    spec = stored_plan(tmp_path / "a.db").plan.spec
    assert spec.name == "a-file-1"
    assert spec.targets == ()
    params = spec.protocols["spatial.explicit"]
    assert params == type(params)()


def test_judges_alike_that_a_store_keeps_stand_in_its_way_no_more_than_elsewhere() -> None:
    """A version that took such names has added them; on disk they are refused."""
    names = ["Ren\u00e9", "Rene\u0301"]
    judges = [
        {"task": "choice", "name": name, "model": f"sim:{place}"}
        for place, name in enumerate(names)
    ]
    text = with_block(default_spec("a", ["spatial.explicit"]), judges, {})
    run = ImportRun(
        name="a",
        spec=None,
        default_protocols=("spatial.explicit",),
        is_stored=True,
        has_imports=True,
        planned_targets=frozenset(),
        stored_materials={},
        added=parse_spec(text, "a", needs_targets=False, is_kept=True),
    )
    grown = run.spec_of(["spatial.explicit", "stories"])
    assert [judge.name for judge in grown.judges] == names
    assert list(grown.protocols) == ["spatial.explicit", "stories"]


def test_a_spec_gives_name_and_parameters_and_plans_nothing(tmp_path: Path) -> None:
    file = tmp_path / "spec.toml"
    file.write_text(SPEC + '[[targets]]\nname = "other"\nmodel = "sim:other"\n')
    take(tmp_path, kitchen_answers(10, 0), spec=load_spec(file, needs_targets=False))
    assert status(tmp_path / "a.db")["planned"] == 10
    assert rows(tmp_path, "SELECT name, seed FROM runs") == [("mine", 7)]
    biased = figure(tmp_path / "a.db", "biased_spaces", prompt="1", temperature=1.0)
    assert "0.05" in biased["note"]


# -- tasks that the file brings ---------------------------------------------------------------


def test_a_task_that_the_file_brings_is_not_judged_by_a_default_judge(tmp_path: Path) -> None:
    take(tmp_path, [line("Men") | judged("women"), line("Men", repetition=1)])
    assert rows(tmp_path, "SELECT judge, value FROM annotations") == [("human", '"women"')]
    assert rows(tmp_path, "SELECT name FROM judges") == [("human",)]
    found = status(tmp_path / "a.db")
    assert found["annotations"]["choice"]["planned"] == 1
    assert found["state"] == "complete"


def test_statistics_read_imported_annotations(tmp_path: Path) -> None:
    take(tmp_path, [judged(value, repetition=n) for n, value in enumerate(["men", "men", "women"])])
    group = {"space": "kitchen", "prompt": "1", "temperature": 1.0}
    share = figure(tmp_path / "a.db", "men_share", **group)
    assert (share["value"], share["n"]) == (pytest.approx(2 / 3), 3)


def test_an_imported_judge_is_known_by_task_and_name(tmp_path: Path) -> None:
    take(tmp_path, [judged("men"), judged("men", target="n"), judged("men", judge="other")])
    hashes = rows(tmp_path, "SELECT name, lower(hex(hash)) FROM judges ORDER BY name")
    wanted = [
        hashlib.blake2b(f'["imported","choice","{name}"]'.encode(), digest_size=16).hexdigest()
        for name in ("human", "other")
    ]
    assert hashes == list(zip(("human", "other"), wanted, strict=True))


def test_two_judges_of_one_task_have_rows_of_their_own(tmp_path: Path) -> None:
    take(tmp_path, [judged("men"), judged("women", judge="other")])
    shares = {
        row["group"]["judge"]: row["value"]
        for row in statistics(tmp_path / "a.db")
        if row["statistic"] == "men_share"
    }
    assert shares == {"human": 1.0, "other": 0.0}


def test_an_answer_that_came_with_a_judgement_is_not_judged_by_a_later_import(
    tmp_path: Path,
) -> None:
    take(tmp_path, [line("Men") | judged("women")], name="first")
    take(tmp_path, [line("Men", repetition=1)], name="second")
    assert rows(tmp_path, "SELECT repetition, judge FROM annotations ORDER BY repetition") == [
        (0, "human"),
        (1, "rules"),
    ]
    assert status(tmp_path / "a.db")["state"] == "complete"


def test_a_truncated_answer_without_text_keeps_no_judge_waiting(tmp_path: Path) -> None:
    take(tmp_path, [line(), line(LEFT_OUT, repetition=1, outcome="truncated")])
    found = status(tmp_path / "a.db")
    assert found["state"] == "complete"
    assert found["annotations"]["choice"]["planned"] == 1


# -- again ------------------------------------------------------------------------------------


def test_importing_twice_adds_nothing(tmp_path: Path) -> None:
    lines = [*kitchen_answers(5, 5), judged("men", target="n", model="m-1")]
    take(tmp_path, lines)
    before = everything(tmp_path)
    report = take(tmp_path, lines)
    assert (report.taken, report.known, report.exit_code) == (0, 11, 0)
    assert everything(tmp_path) == before


def test_the_same_trial_with_another_task_is_added_to(tmp_path: Path) -> None:
    take(tmp_path, [line("Men")], judge=False)
    report = take(tmp_path, [judged("women"), judged("men", judge="other")])
    assert (report.taken, report.rejected) == (2, 0)
    assert rows(tmp_path, "SELECT count(*) FROM _responses") == [(1,)]
    assert rows(tmp_path, "SELECT judge, value FROM annotations ORDER BY judge") == [
        ("human", '"women"'),
        ("other", '"men"'),
    ]


@pytest.mark.parametrize("apart", [0, 1200])
def test_a_line_may_add_to_the_trial_of_a_line_before(tmp_path: Path, apart: int) -> None:
    between = [line("Women", repetition=n + 1) for n in range(apart)]
    report = take(tmp_path, [line("Men"), *between, judged("men")], judge=False)
    assert (report.taken, report.rejected) == (apart + 2, 0)
    assert rows(tmp_path, "SELECT count(*) FROM _annotations") == [(1,)]


DIFFERENT = [
    (line("Men"), line("Women"), "text"),
    (line("Men"), line(""), "text"),
    (line("Men"), line("Men", outcome="truncated"), "outcome"),
    (line(LEFT_OUT, outcome="refused"), line(LEFT_OUT, outcome="filtered"), "outcome"),
    (judged("men"), line("Men"), "text"),
    (judged("men"), judged("women"), "annotation.value"),
    (
        judged("men"),
        line(LEFT_OUT, annotation={"task": "choice", "judge": "human", "valid": False}),
        "annotation.value",
    ),
]
"""Two lines of one trial, and the field in which they are at odds."""


@pytest.mark.parametrize("apart", [0, 1200])
def test_a_different_text_or_value_rejects_the_line_naming_the_first_one(
    tmp_path: Path, apart: int
) -> None:
    firsts = [{**first, "target": f"t{place}"} for place, (first, _, _) in enumerate(DIFFERENT)]
    seconds = [{**second, "target": f"t{place}"} for place, (_, second, _) in enumerate(DIFFERENT)]
    between = [line("Women", target="n", repetition=n) for n in range(apart)]
    lines = [*firsts, *between, *seconds]
    if not apart:  # each right behind its first, too
        lines = [each for pair in zip(firsts, seconds, strict=True) for each in pair]
    report = take(tmp_path, lines, judge=False)
    assert (report.taken, report.rejected) == (apart + len(DIFFERENT), len(DIFFERENT))
    for place, (found, (_, _, field)) in enumerate(zip(report.rejections, DIFFERENT, strict=True)):
        number = lines.index(seconds[place]) + 1
        first = lines.index(firsts[place]) + 1
        assert (found.number, found.field) == (number, field)
        assert found.first == f"line {first} of lines.jsonl"
    assert found.first in found.message


def test_a_line_of_an_earlier_import_is_named_with_its_file(tmp_path: Path) -> None:
    take(tmp_path, [line("Men", target="n"), line("Men"), judged("men")], name="one", judge=False)
    report = take(tmp_path, [line("Women"), judged("women")], name="two", judge=False)
    assert [found.first for found in report.rejections] == [
        "line 2 of one.jsonl, imported before",
        "line 3 of one.jsonl, imported before",
    ]


def test_a_rejected_line_leaves_nothing_behind(tmp_path: Path) -> None:
    bad = line("Women", annotation={"task": "choice", "judge": "human", "value": "men"})
    report = take(tmp_path, [line("Men"), bad, judged("women")], judge=False)
    assert (report.taken, report.rejected) == (2, 1)
    assert rows(tmp_path, "SELECT value FROM annotations") == [('"women"',)]


def test_an_import_that_was_cut_off_goes_on_where_it_stopped(tmp_path: Path) -> None:
    lines = kitchen_answers(30, 30)
    assert take(tmp_path, lines, limit=20, judge=False).taken == 20
    report = take(tmp_path, lines)
    assert (report.known, report.taken) == (20, 40)
    assert status(tmp_path / "a.db")["planned"] == 60


# -- what is taken ----------------------------------------------------------------------------


def test_strict_takes_nothing_unless_every_line_fits(tmp_path: Path) -> None:
    lines = [line(), "{", line("Women"), line(repetition=1)]
    report = take(tmp_path, lines, strict=True)
    assert (report.taken, report.rejected, report.exit_code) == (0, 2, 1)
    assert not (tmp_path / "a.db").exists()
    assert take(tmp_path, [line(), line(repetition=1)], strict=True).taken == 2


def test_strict_leaves_a_store_as_it_is(tmp_path: Path) -> None:
    take(tmp_path, [line("Men")])
    before = (tmp_path / "a.db").read_bytes()
    report = take(tmp_path, [line("Men", repetition=1), line("Women")], strict=True)
    assert report.rejections[0].first == "line 1 of lines.jsonl, imported before"
    assert (tmp_path / "a.db").read_bytes() == before


def test_only_takes_the_lines_of_a_protocol_or_target(tmp_path: Path) -> None:
    lines = [line(), line(target="n"), line(target=3)]
    report = take(tmp_path, lines, only=["n", "spatial.explicit"])
    assert (report.taken, report.left_out, report.rejected) == (1, 2, 0)
    assert rows(tmp_path, "SELECT name FROM targets") == [("n",)]


def test_limit_counts_lines_that_are_taken(tmp_path: Path) -> None:
    report = take(tmp_path, ["{", line(), line(), line(repetition=1), line(repetition=2)], limit=2)
    assert (report.taken, report.known, report.rejected) == (2, 1, 1)


def test_lines_that_had_left_their_plan_are_left_out(tmp_path: Path) -> None:
    report = take(tmp_path, [line("Men"), line("Women", in_plan=False)])
    assert (report.taken, report.left_out) == (1, 1)


def test_answers_of_a_simulated_target_stay_marked(tmp_path: Path) -> None:
    take(tmp_path, [line(simulated=True), line(target="real")])
    marks = {row["target"]: row["simulated"] for row in statistics(tmp_path / "a.db")}
    assert marks["m"] is True
    assert marks["real"] is False
    assert status(tmp_path / "a.db")["simulated"] is True


def test_files_are_taken_one_after_the_other(tmp_path: Path) -> None:
    answers = write(tmp_path / "answers.jsonl", [line("Men")])
    judgements = write(tmp_path / "judgements.jsonl", ["", judged("women"), judged("men")])
    report = import_files([answers, judgements], tmp_path / "a.db")
    assert report.taken == 2
    assert report.rejections[0].message.startswith("judgements.jsonl:3: annotation.value")
    assert rows(tmp_path, "SELECT judge FROM annotations") == [("human",)]


def test_a_gzip_file_is_read_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl.gz"
    file.write_bytes(gzip.compress(json.dumps(line()).encode()))
    assert import_file(file, tmp_path / "a.db", strict=True).taken == 1


def test_standard_input_is_read_even_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(json.dumps(line()).encode()))
    monkeypatch.setattr("sys.stdin", stream)
    report = import_file(Path("-"), tmp_path / "a.db", strict=True)
    assert report.taken == 1
    assert rows(tmp_path, "SELECT name FROM runs") == [("import",)]


# -- what cannot be done ----------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"", b"\n \n"])
def test_a_file_without_lines_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(content)
    with pytest.raises(UsageError, match="no line to import"):
        import_file(file, tmp_path / "a.db")
    assert not (tmp_path / "a.db").exists()


def test_what_is_no_file_of_lines_is_refused(tmp_path: Path) -> None:
    take(tmp_path, [line()])
    broken = tmp_path / "broken.gz"
    broken.write_bytes(gzip.compress(b"x" * 1000)[:20])
    for file, said in (
        (tmp_path / "none", "no such file"),
        (tmp_path, "a folder"),
        (tmp_path / "a.db", "a store"),
        (broken, "cannot be read"),
    ):
        with pytest.raises(UsageError, match=said):
            import_file(file, tmp_path / "b.db")
    assert not (tmp_path / "b.db").exists()


def test_a_database_that_is_no_store_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "a.db").write_text("no database at all, whatever its name says")
    with pytest.raises(StoreMismatch):
        take(tmp_path, [line()])
    assert (tmp_path / "a.db").read_text().startswith("no database")


def test_a_store_that_another_process_writes_is_refused(tmp_path: Path) -> None:
    take(tmp_path, [line()])
    builders.take_lock(tmp_path / "a.db")
    with pytest.raises(StoreLocked):
        take(tmp_path, [line(repetition=1)])
    assert rows(tmp_path, "SELECT count(*) FROM trials") == [(1,)]


def test_another_spec_than_the_stores_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "spec.toml"
    file.write_text(SPEC)
    spec = load_spec(file, needs_targets=False)
    take(tmp_path, [line()], spec=spec)
    assert take(tmp_path, [line(repetition=1)], spec=spec).taken == 1
    file.write_text(SPEC.replace("0.05", "0.02"))
    with pytest.raises(UsageError, match="is not the spec"):
        take(tmp_path, [line()], spec=load_spec(file, needs_targets=False))
    file.write_text(SPEC.replace("mine", "yours"))
    with pytest.raises(StoreMismatch, match="holds the run 'mine'"):
        take(tmp_path, [line()], spec=load_spec(file, needs_targets=False))


def test_a_target_that_a_given_spec_plans_may_not_be_imported(tmp_path: Path) -> None:
    file = tmp_path / "spec.toml"
    file.write_text(SPEC + '[[targets]]\nname = "m"\nmodel = "sim:m"\n')
    with pytest.raises(UsageError, match=r'lines\.jsonl:2: target: value "m"') as caught:
        take(tmp_path, [line(target="n"), line()], spec=load_spec(file, needs_targets=False))
    assert caught.value.exit_code == 2
    assert not (tmp_path / "a.db").exists()
