"""Files that are, or once were, stores."""

from __future__ import annotations

import sqlite3
import tempfile
from functools import lru_cache
from pathlib import Path

from hypothesis import strategies as st

from auditor.errors import AuditorError
from auditor.store import plan
from auditor.store.connection import sqlite_errors
from auditor.store.progress import snapshot
from auditor.store.reading import open_run
from auditor.store.verification import verify
from tests.builders import cells, write
from tests.fuzzing.parser import REFUSED, TAKEN, fuzzed
from tests.fuzzing.storable import check_error


@lru_cache(maxsize=1)
def _sound() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "s.db")
        write(path, cells())
        with sqlite3.connect(path) as connection:
            connection.execute("PRAGMA journal_mode = DELETE")
            connection.execute("PRAGMA page_size = 512")
            connection.execute("VACUUM")
        connection.close()
        return path.read_bytes()


_CHANGES = st.lists(
    st.tuples(st.floats(0, 1, exclude_max=True), st.binary(min_size=1, max_size=4)), max_size=5
)


@fuzzed(
    "store",
    st.one_of(
        st.binary(max_size=200),
        st.tuples(_CHANGES, st.floats(0, 1)),
        st.tuples(st.lists(st.tuples(st.just(0.0), st.binary(max_size=100))), st.just(1.0)),
    ),
)
def store(example: bytes | tuple[list[tuple[float, bytes]], float]) -> str:
    """A store that can be read, or one error; `verify` finds what it is not told of."""
    if isinstance(example, tuple):
        changes, share = example
        raw = bytearray(_sound())
        for where, piece in changes:
            start = int(where * len(raw))
            raw[start : start + len(piece)] = piece
        example = bytes(raw[: int(share * len(raw))]) if share < 0.9 else bytes(raw)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "s.db")
        path.write_bytes(example)
        try:
            with sqlite_errors(path):
                connection = open_run(path)
                try:
                    snapshot(connection)
                    for _ in verify(connection):
                        pass
                    plan.exists(path)
                finally:
                    connection.close()
        except AuditorError as error:
            check_error(error)
            return REFUSED
    return TAKEN
