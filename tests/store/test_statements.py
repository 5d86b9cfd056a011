"""A statement for many rows carries out every row, once and in order, however many there are."""

import sqlite3

import pytest

from auditor.store.statements import ManyRows, insert


@pytest.fixture
def database():
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT)")
    yield connection
    connection.close()


@pytest.mark.parametrize("count", [0, 1, 2, 3, 7, 63, 64, 65, 191, 192, 193, 500])
def test_every_row_goes_in(database, count):
    rows = [(number, str(number)) for number in range(count)]
    insert("t", 2)(database, rows)
    assert database.execute("SELECT * FROM t ORDER BY id").fetchall() == rows


@pytest.mark.parametrize("count", [1, 2, 5, 64, 100])
def test_a_later_row_wins_over_an_earlier_one(database, count):
    replace = insert("t", 2, way="INSERT OR REPLACE")
    replace(database, [(1, str(number)) for number in range(count)])
    assert database.execute("SELECT * FROM t").fetchall() == [(1, str(count - 1))]


def test_rows_are_added_up_where_the_tail_says_so(database):
    add = insert("t", 2, tail="ON CONFLICT DO UPDATE SET x = x || excluded.x")
    add(database, [(1, "a"), (2, "b"), (1, "c")])
    assert database.execute("SELECT * FROM t ORDER BY id").fetchall() == [(1, "ac"), (2, "b")]


@pytest.mark.parametrize("count", [1, 6, 70])
def test_rows_of_a_list_of_values_are_all_met(database, count):
    insert("t", 2)(database, [(number, "x") for number in range(100)])
    delete = ManyRows("DELETE FROM t WHERE id IN (", "?", ")")
    delete(database, [(number,) for number in range(count)])
    left = [number for (number,) in database.execute("SELECT id FROM t ORDER BY id")]
    assert left == list(range(count, 100))


def test_what_fills_a_statement_up_leaves_no_trace(database):
    database.execute("CREATE TABLE loose (a, b DEFAULT 7)")
    insert("loose", 2)(database, [(1, None), (0, None), ("", None)])
    assert database.execute("SELECT * FROM loose").fetchall() == [(1, None), (0, None), ("", None)]


def test_a_row_may_hold_values_that_are_always_the_same(database):
    insert("t", 2, row="(?, 'same')")(database, [(number,) for number in range(5)])
    assert database.execute("SELECT DISTINCT x FROM t").fetchall() == [("same",)]


@pytest.mark.parametrize("count", [1, 3, 300])
def test_a_question_about_many_keys_gives_all_that_are_there(database, count):
    insert("t", 2)(database, [(number, "x") for number in range(count)])
    ask = ManyRows("SELECT id FROM t WHERE id IN (", "?", ")")
    found = ask(database, [(number,) for number in range(-2, count + 2)])
    assert sorted(found) == [(number,) for number in range(count)]


def test_no_statement_passes_the_least_limit_of_variables_that_builds_of_sqlite_have(database):
    database.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 999)
    database.execute(f"CREATE TABLE wide ({', '.join(f'c{n}' for n in range(15))})")
    insert("wide", 15)(database, [tuple(range(15))] * 200)
    assert database.execute("SELECT count(*) FROM wide").fetchone() == (200,)
