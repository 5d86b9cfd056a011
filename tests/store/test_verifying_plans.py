"""What `verify` sees of rows and definitions that change with the plan, which no digest covers."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TypeVar

import pytest

from auditor.errors import UsageError
from auditor.importing.run import import_run
from auditor.scheduler.kept_plan import kept_plan, kept_spec
from auditor.spec import parse_spec
from auditor.store import schema
from auditor.store.connection import connect, transaction
from auditor.store.plan_verification import KeptPlan, plan_problems
from auditor.store.schema_verification import schema_problems
from auditor.store.tables import SCHEMA_VERSION
from auditor.store.verification import verify
from auditor.store.views import VIEWS, create_views
from tests.cli.driving import auditor, simulated

T = TypeVar("T")
TWO_TARGETS = "".join(
    f'[[targets]]\nname = "{name}"\nmodel = "sim:{name}"\nextra_body = {{men = {men}}}\n'
    for name, men in (("one", 0.5), ("two", 0.9))
)
LINE = {
    "protocol": "spatial.explicit",
    "target": "theirs",
    "factors": {"space": "kitchen"},
    "repetition": 0,
    "text": "Women.",
    "annotation": {"task": "choice", "judge": "ann", "value": "women"},
}


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A finished run of two targets, with imported answers beside it."""
    folder = tmp_path_factory.mktemp("verified")
    spec = simulated(folder / "s.toml", repetitions=2, targets=TWO_TARGETS)
    assert auditor("run", spec).code == 0
    lines = folder / "lines.jsonl"
    lines.write_text(json.dumps(LINE) + "\n")
    ran = auditor("import", lines, "--store", spec.with_suffix(".db"))
    assert ran.code == 0, ran.err
    return spec.with_suffix(".db")


@pytest.fixture(scope="module")
def kept(path):
    made = kept_plan(path)
    return replace(made, cells=list(made.cells))


@pytest.fixture(scope="module")
def connection(path):
    opened = sqlite3.connect(path, isolation_level=None)
    yield opened
    opened.close()


Check = Callable[[sqlite3.Connection], T]


def after(connection, check: Check[T], *statements: str) -> T:
    """What a check finds after these statements, which are taken back."""
    connection.execute("BEGIN")
    try:
        connection.execute("PRAGMA defer_foreign_keys = ON")
        connection.execute("PRAGMA writable_schema = ON")
        for statement in statements:
            connection.execute(statement)
        return check(connection)
    finally:
        connection.execute("ROLLBACK")
        connection.execute("PRAGMA writable_schema = OFF")


def wrong_in(connection: sqlite3.Connection, kept: KeptPlan | None = None) -> dict[str, list[str]]:
    return {name: wrong for name, wrong in verify(connection, kept) if wrong}


def test_nothing_is_wrong_with_a_store_that_nobody_altered(connection, kept):
    assert wrong_in(connection, kept) == {}
    assert wrong_in(connection) == {}


def test_the_plan_of_the_spec_is_made_again_also_after_an_import(kept):
    assert len(kept.cells) == 6
    assert [name for _, name, *_ in kept.counts] == ["one", "two"]


def _changed(old: str, new: str) -> str:
    return f"UPDATE sqlite_schema SET sql = replace(sql, '{old}', '{new}')"


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("DROP VIEW failures", "view failures is missing"),
        ("DROP INDEX cells_by_factors", "index cells_by_factors is missing"),
        ("DROP TABLE planned_judges", "table planned_judges is missing"),
        ("CREATE VIEW mine AS SELECT 1", "view mine is none of a store"),
        (
            "CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM texts; END",
            "trigger t is none of a store",
        ),
        ("ALTER TABLE cells ADD COLUMN more TEXT", "table cells is not made as"),
        (_changed("CHECK (repetition >= 0)", ""), "table trials is not made as"),
        (_changed("WHERE superseded = 0", "WHERE superseded = 1"), "index cells_by_factors is not"),
        (_changed("AS in_plan", "AS in_plam"), "view responses is not made as"),
        ("UPDATE event_kinds SET kind = 'anser' WHERE kind = 'response'", "event_kinds, row 4"),
    ],
)
def test_another_schema_is_named(statement, said, connection):
    wrong = after(connection, schema_problems, statement)
    assert any(said in each for each in wrong), wrong


def test_what_cannot_be_checked_without_a_table_is_said(connection):
    wrong = after(connection, wrong_in, "DROP TABLE tallies")
    assert wrong["schema"] == ["table tallies is missing"]
    assert wrong["tallies"] == ["cannot be checked: no such table: tallies"]


def test_a_remark_in_the_schema_may_differ(connection):
    remark = _changed("-- JSON: usd, calls, tokens", "-- three")
    assert after(connection, schema_problems, remark) == []


OF_CELLS = [
    ("UPDATE cells SET place = 9 WHERE id = 2", "cells, row 2: place is 9, and 1 by the spec"),
    (
        "UPDATE cells SET place = 1 - place WHERE place < 2 AND target_id = 1",
        "cells, row 1: place is 1, and 0 by the spec",
    ),
    (
        "UPDATE cells SET repetitions = 3 WHERE id = 2",
        "cells, row 2: repetitions is 3, and 2 by the spec",
    ),
    (
        "UPDATE cells SET superseded = 1 WHERE id = 2",
        "cells, row 2: place 1, repetitions 2 and superseded 1 are none",
    ),
    (
        "UPDATE cells SET repetitions = 5 WHERE origin = 'imported'",
        "repetitions 5 and superseded 0 are none that a cell of origin imported has",
    ),
    (
        "UPDATE cells SET factors = replace(factors, 'temperature', 'temperaturf') WHERE id = 3",
        "cells, row 3: its key does not fit its target, factors and prompt",
    ),
    ("UPDATE cells SET params = '{' WHERE id = 3", "cells, row 3: what it holds cannot be read"),
    (
        "UPDATE cells SET target_id = 2, superseded = 1 WHERE id = 1",
        "cells, row 1: its key does not fit",
    ),
    (
        "UPDATE cells SET origin = 'planned' WHERE origin = 'imported'",
        "it is planned, its target imported",
    ),
]
OF_THE_PLAN = [
    ("UPDATE targets SET name = 'ona' WHERE name = 'one'", "with the name 'ona'"),
    ("UPDATE targets SET name = 'others' WHERE name = 'theirs'", "its key does not fit its target"),
    (
        "UPDATE targets SET settings = replace(settings, '0.5', '0.6')",
        "the settings of target 'one' do not fit their hash",
    ),
    (
        """UPDATE targets SET settings = replace(settings, '"system"', '"sysdem"')""",
        "the settings of target 'one' (targets, row 1) are not in the form",
    ),
    ("UPDATE targets SET settings = '[]' WHERE id = 1", "the settings of target 'one'"),
    ("UPDATE targets SET model = 'sim:o' WHERE id = 1", "targets, row 1: model is 'sim:o'"),
    ("UPDATE targets SET simulated = 0 WHERE id = 1", "targets, row 1: simulated is 0"),
    ("UPDATE targets SET model = 'x' WHERE name = 'theirs'", "an imported target has no request"),
    ("UPDATE agents SET name = 'generator:oni' WHERE name = 'generator:one'", "no agent has ever"),
    ("UPDATE judges SET name = 'rulez' WHERE name = 'rules'", "the task and name choice/rulez"),
    ("UPDATE judges SET name = 'anm' WHERE name = 'ann'", "judge choice/anm does not fit its name"),
    ("UPDATE runs SET seed = seed + 1", "runs, row 1: seed is"),
    ("UPDATE runs SET name = 'tinz'", "runs, row 1: name is 'tinz', and 'tiny' in the spec"),
    ("UPDATE runs SET budget = '{\"calls\":1}'", "runs, row 1: budget is"),
    ("UPDATE runs SET max_failure_rate = 1", "runs, row 1: max_failure_rate is 1.0"),
    ("UPDATE runs SET created_at = created_at + 1", "runs, row 1: created_at is not"),
    ("UPDATE runs SET versions = '{}'", "runs, row 1: versions are not"),
    ("UPDATE runs SET simulated = 0", "and its target 'one' is simulated"),
    ("UPDATE endpoints SET client = 'hdtp'", "endpoints, 'sim': (provider, base_url, client)"),
    (
        "UPDATE plans SET trials = trials + 1 WHERE target_id = 1",
        "plans, spatial.explicit of 'one': (cells, trials) (3, 7), by the spec [3, 6]",
    ),
    (
        "UPDATE plans SET cells = 2 WHERE target_id = 3",
        "plans, spatial.explicit of 'theirs': (cells, trials) [2, 1], counted [1, 1]",
    ),
    ("DELETE FROM plans WHERE target_id = 2", "plans, spatial.explicit of 'two'"),
]


@pytest.mark.parametrize(("statement", "said"), OF_CELLS + OF_THE_PLAN)
def test_an_altered_row_is_named(statement, said, connection, kept):
    wrong = after(connection, partial(plan_problems, kept=kept), statement)
    assert any(said in each for each in wrong), wrong


def test_swapped_names_of_targets_are_named(connection, kept):
    swap = [
        f"UPDATE targets SET name = '{new}' WHERE name = '{old}'"
        for old, new in (("one", "~"), ("two", "one"), ("~", "two"))
    ]
    assert after(connection, partial(plan_problems, kept=kept), *swap) == [
        "targets: the name of 'one' in the spec is 'two' here",
        "targets: the name of 'two' in the spec is 'one' here",
    ]


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE cells SET place = 0 WHERE id = 2", "cells, row 2: place 0 is also that of row 1"),
        ("UPDATE cells SET place = 9 WHERE id = 2", "cells, row 2: place 9 of a target whose plan"),
        ("UPDATE cells SET place = -1 WHERE id = 2", "cells, row 2: place -1, repetitions 2"),
        ("UPDATE cells SET repetitions = 3 WHERE id = 2", "cells, row 2: 3 repetitions, where its"),
    ],
)
def test_cells_are_held_against_each_other_where_the_plan_cannot_be_made(
    statement, said, connection
):
    """Another version has planned it, or a package that is gone."""
    wrong = after(connection, plan_problems, statement)
    assert any(said in each for each in wrong), wrong


@pytest.mark.parametrize(
    ("statement", "column"),
    [("UPDATE spending SET retries = 1", "retries"), ("DELETE FROM spending", "calls")],
)
def test_every_sum_of_calls_is_counted_again(statement, column, connection):
    wrong = after(connection, wrong_in, statement)["sums of calls"]
    assert any(f": {column} is" in each for each in wrong)


@pytest.mark.parametrize("version", range(1, SCHEMA_VERSION + 1))
def test_a_store_of_every_version_is_good_and_stays_so_when_it_is_brought_up(version, tmp_path):
    store = tmp_path / "s.db"
    connection = connect(store)
    with transaction(connection):
        schema.create(connection, version)
        create_views(connection)
        if version == 1:  # of this version some have a view that counts repeats, too
            view = re.sub(r"\s+AND n.repeat = 0", "", VIEWS["failures"])
            connection.execute("DROP VIEW failures")
            connection.execute(f"CREATE VIEW failures AS {view}")
    assert dict(verify(connection))["schema"] == []
    schema.bring_up(connection, store)
    assert dict(verify(connection))["schema"] == []
    corrected = "SELECT name FROM sqlite_schema WHERE sql LIKE '%AND n.repeat = 0%'"
    assert connection.execute(corrected).fetchall() == [("failures",)]
    connection.close()


def test_verify_prints_what_differs(path, tmp_path):
    store = tmp_path / "copy.db"
    shutil.copy(path, store)
    altered = sqlite3.connect(store)
    altered.execute("UPDATE cells SET place = 7 WHERE id = 1")
    altered.commit()
    altered.close()
    ran = auditor("verify", store)
    assert ran.code == 1
    assert "plan: 1 problem\n  cells, row 1: place is 7, and 0 by the spec\n" in ran.out
    assert "schema: good" in ran.out


def test_a_spec_that_a_store_keeps_goes_on_though_one_on_disk_would_be_refused(path, tmp_path):
    """Names of one look, in a store of a version that took them: what is paid for is not lost."""
    store, names = tmp_path / "s.db", ["Ren\u00e9", "Rene\u0301"]
    shutil.copy(path, store)
    connection = sqlite3.connect(store)
    (text,) = connection.execute("SELECT spec FROM runs").fetchone()
    text = text.replace('name = "one"', f'name = "{names[0]}"')
    text = text.replace('name = "two"', f'name = "{names[1]}"')
    connection.execute("UPDATE runs SET spec = ?", (text,))
    connection.commit()
    connection.close()
    with pytest.raises(UsageError, match="looks like the name of the target"):
        parse_spec(text, "s.toml")
    assert [target.name for target in kept_spec(store).spec.targets] == names
    assert names[1] in import_run(store, None, store).planned_targets
