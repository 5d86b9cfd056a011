"""A store whose own table of names is damaged, in bytes that are no UTF-8."""

import pytest

from auditor.errors import StoreError
from auditor.store.reading import open_reader
from tests import builders
from tests.cli.driving import auditor


@pytest.fixture
def damaged(tmp_path):
    path = tmp_path / "s.db"
    builders.write(path, builders.cells())
    raw = path.read_bytes()
    assert b"CREATE TABLE events" in raw
    path.write_bytes(raw.replace(b"CREATE TABLE events", b"CREATE \xa2ABLE \x80vents"))
    return path


def test_it_is_said_to_be_damaged(damaged):
    with pytest.raises(StoreError, match="the file is damaged") as caught:
        open_reader(damaged)
    assert ".recover" in caught.value.hint


@pytest.mark.parametrize("command", ["status", "stats", "verify", "show", "resume"])
def test_every_command_says_so_in_one_line(command, damaged):
    ran = auditor(command, damaged)
    assert ran.code == 1
    assert "the file is damaged" in ran.err
    assert "Traceback" not in ran.err
    assert ran.err.count("error: ") == 1
