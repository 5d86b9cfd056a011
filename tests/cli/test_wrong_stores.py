"""A file that is not the store of this run: said, and left as it was, byte for byte."""

from __future__ import annotations

import sqlite3

import pytest

from auditor.scheduler.launch import stored_plan
from auditor.scheduler.refresh import compute_statistics
from tests.cli.driving import auditor, contents, simulated

LOOKING = ("resume", "status", "watch", "stats", "verify")


@pytest.fixture
def spec(tmp_path):
    (tmp_path / "specs").mkdir()
    return simulated(tmp_path / "specs" / "s.toml")


@pytest.fixture
def store(tmp_path, spec):
    """A finished store in a folder of its own."""
    (tmp_path / "stores").mkdir()
    path = tmp_path / "stores" / "s.db"
    assert auditor("run", spec, "--store", path).code == 0
    return path


def refused(*arguments: object, code: int = 2, folder) -> str:
    """What a command says that must fail and leave a folder alone."""
    before = contents(folder)
    ran = auditor(*arguments)
    assert ran.code == code, ran.err
    assert ran.out == ""
    assert "Traceback" not in ran.err
    assert contents(folder) == before
    return ran.err


def test_another_runs_store_is_not_touched(spec, store):
    spec.write_text(spec.read_text().replace('"tiny"', '"other"'))
    for command in ("run", "doctor"):
        said = refused(command, spec, "--store", store, folder=store.parent)
        assert f"{store} holds the run 'tiny', not 'other'" in said


def test_a_newer_schema_is_not_touched(spec, store):
    connection = sqlite3.connect(store)
    connection.execute("PRAGMA user_version = 999")
    connection.close()
    assert "newer" in refused("run", spec, "--store", store, folder=store.parent)
    for command in LOOKING:
        assert "newer" in refused(command, store, folder=store.parent)


def other_database(path):
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE holders (epoch INTEGER)")
    connection.commit()
    connection.close()


MAKERS = {
    "a text": lambda path: path.write_text("name = 'tiny'\n" * 300),
    "a foreign database": other_database,
    "zeros": lambda path: path.write_bytes(bytes(8192)),
}


@pytest.mark.parametrize("kind", MAKERS)
def test_what_is_no_store_is_not_touched(kind, spec, tmp_path):
    folder = tmp_path / "stores"
    folder.mkdir()
    path = folder / "s.db"
    MAKERS[kind](path)
    assert "not a store" in refused("run", spec, "--store", path, folder=folder)
    assert "not a store" in refused("doctor", spec, "--store", path, folder=folder)
    for command in LOOKING:
        assert "not a store" in refused(command, path, folder=folder)


def test_an_empty_file_is_no_store_to_look_at_but_one_to_begin(spec, tmp_path):
    """What `mktemp` makes; a run may fill it."""
    path = tmp_path / "s.db"
    path.touch()
    for command in LOOKING:
        assert "not a store" in refused(command, path, folder=tmp_path)
    assert auditor("run", spec, "--store", path).code == 0


def test_a_folder_is_no_store(spec, tmp_path):
    folder = tmp_path / "folder.db"
    folder.mkdir()
    for command in LOOKING:
        assert "is a folder" in refused(command, folder, folder=tmp_path)
    assert "is a folder" in refused("run", spec, "--store", folder, folder=tmp_path)


def test_a_folder_that_is_not_there_is_said(spec, tmp_path):
    path = tmp_path / "nowhere" / "s.db"
    said = refused("run", spec, "--store", path, folder=tmp_path)
    assert f"{path}: there is no folder {path.parent}" in said
    assert not path.parent.exists()


def test_a_spec_in_the_place_of_a_store_is_recognised(spec):
    for command in LOOKING:
        said = refused(command, spec, folder=spec.parent)
        assert f"{spec} is not a store" in said


@pytest.mark.parametrize("kept", [0.05, 0.5, 0.9])
def test_a_store_that_was_cut_off_is_said_to_be_damaged(kept, spec, store):
    whole = store.read_bytes()
    (spec.parent / "copy").mkdir()
    store = spec.parent / "copy" / "s.db"
    store.write_bytes(whole[: int(len(whole) * kept)])
    for command in LOOKING:
        before = contents(store.parent)
        ran = auditor(command, store)
        assert ran.code in (1, 2), (command, ran.err)
        assert "damaged" in ran.err + ran.out, command
        assert "Traceback" not in ran.err
        assert contents(store.parent) == before
    before = contents(store.parent)
    ran = auditor("run", spec, "--store", store)
    assert ran.code in (1, 2)
    assert "damaged" in ran.err
    assert contents(store.parent) == before


def test_a_store_that_was_laid_out_and_no_more_is_said_to_hold_no_run(spec, tmp_path):
    """What a process leaves that was killed in its first second."""
    from auditor.store.plan import lay_out

    path = tmp_path / "s.db"
    lay_out(path)
    for command in ("resume", "status", "watch", "stats"):
        assert "holds no run yet" in refused(command, path, folder=tmp_path)
    assert auditor("verify", path).code == 0
    assert auditor("run", spec, "--store", path).code == 0


def test_altered_statistics_are_said_and_computed_again(store):
    before = auditor("stats", store, "--json").data
    connection = sqlite3.connect(store)
    connection.execute("UPDATE _statistics SET value = value / 2, group_levels = '{' || id")
    connection.commit()
    connection.close()
    checked = auditor("verify", store)
    assert checked.code == 1
    assert "statistics: 1 problem" in checked.out
    assert auditor("stats", store, "--json").data == before
    assert auditor("verify", store).code == 0


def test_a_damaged_store_is_named_by_whichever_command_reads_it(store):
    """Its header is sound, so that it is opened, and what lies behind is not."""
    whole = store.read_bytes()
    damaged = store.with_name("damaged.db")
    damaged.write_bytes(whole[:4096] + bytes(len(whole) - 4096))
    for command in ("status", "watch", "show"):
        ran = auditor(command, damaged)
        assert ran.code == 1
        assert f"error: {damaged}: the file is damaged" in ran.err


def test_a_damaged_json_in_a_store_is_no_traceback(store):
    connection = sqlite3.connect(store)
    connection.execute("UPDATE cells SET factors = substr(factors, 3)")
    connection.commit()
    connection.close()
    ran = auditor("show", store)
    assert ran.code == 1
    assert "Traceback" not in ran.err
    assert f"error: {store}: the file is damaged" in ran.err
    assert f"auditor verify {store}" in ran.err
    assert auditor("verify", store).code == 1


@pytest.fixture
def misspelt(store):
    """A store in which protocols do not find what they look up by name, in any cell."""
    connection = sqlite3.connect(store)
    connection.execute("UPDATE cells SET factors = replace(factors, 'temperature', 'temperaturf')")
    connection.execute("DELETE FROM snapshots")
    connection.commit()
    connection.close()
    return store


def test_statistics_that_break_off_leave_no_reading_open(misspelt):
    """It would keep the log from being ended, and the end of a run waiting for half a minute."""
    with pytest.raises(KeyError) as broken_off:
        compute_statistics(misspelt, stored_plan(misspelt).plan)
    connection = sqlite3.connect(misspelt, timeout=0.0)
    connection.execute("UPDATE runs SET created_at = created_at")
    connection.commit()
    is_busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    connection.close()
    assert not is_busy
    assert broken_off.value.__traceback__ is not None


def test_factors_that_nobody_has_written_are_no_traceback(misspelt, monkeypatch):
    """What protocols look up in a cell by name: they say so themselves, or the command does."""
    store = misspelt
    monkeypatch.setattr("auditor.live.is_drawn", lambda _: True)
    said = f"{store}: the file is damaged; cells, row 1: its key does not fit"
    for command in ("status", "watch", "stats", "report", "resume", "verify"):
        where = ("-o", store.parent / "report") if command == "report" else ()
        ran = auditor(command, store, *where)
        assert ran.code == 1, command
        assert "Traceback" not in ran.err
        if command != "verify":
            assert f"error: {said}" in ran.err, command


def test_verify_says_what_of_the_plan_was_altered(store):
    whole = store.read_bytes()
    for statement, said in (
        ("UPDATE runs SET budget = substr(budget, 2)", "budget of a row of runs is no JSON"),
        ("UPDATE runs SET spec = replace(spec, 'repetitions', 'repetitjons')", "the run's spec"),
        ("UPDATE targets SET settings = replace(settings, 'fair', 'hair')", "settings of target"),
        (
            "UPDATE judges SET configuration = replace(configuration, 'version', 'versiom')",
            "configuration of judge choice/rules",
        ),
    ):
        store.write_bytes(whole)
        connection = sqlite3.connect(store)
        connection.execute(statement)
        connection.commit()
        connection.close()
        ran = auditor("verify", store)
        assert ran.code == 1
        assert said in ran.out
