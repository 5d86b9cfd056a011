"""A store whose files are taken away while it is written: it is saved, and the writer stops."""

import shutil
from pathlib import Path

import pytest

from auditor.errors import StoreError
from auditor.store.connection import connect
from auditor.store.store import Store
from auditor.store.verification import verify
from tests import builders


def replace(path: Path) -> None:
    shutil.copy(path, path.with_name("other"))
    path.with_name("other").replace(path)


WAYS = {
    "it was removed or moved away": Path.unlink,
    "another file was put in its place": replace,
    "its log (-wal) was removed": lambda path: path.with_name(f"{path.name}-wal").unlink(),
}


@pytest.mark.parametrize("said", WAYS)
async def test_what_was_stored_is_saved_beside_a_store_that_is_taken_away(
    said: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.db"
    planned = builders.cells()
    builders.write(path, planned)
    store = Store(path, builders.take_lock(path))
    trials = builders.trials_of(planned)
    await builders.dispatch(store, trials)
    await store.append(builders.answer(store, trials[0], "before"))
    WAYS[said](path)
    with pytest.raises(StoreError) as caught:
        await store.append(builders.answer(store, trials[1], "paid for"))
    saved = tmp_path / "a.rescued.db"
    assert said in caught.value.message
    assert str(saved) in caught.value.message
    with pytest.raises(StoreError, match="rescued"):
        await store.close("incomplete")
    connection = connect(saved, read_only=True)
    assert {text for (text,) in connection.execute("SELECT text FROM responses")} == {
        "before",
        "paid for",
    }
    assert all(not found for _, found in verify(connection))
    connection.close()
    assert not path.with_name("a.db-wal").exists()


async def test_a_store_that_goes_away_at_the_very_end_is_saved_too(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    planned = builders.cells()
    builders.write(path, planned)
    store = Store(path, builders.take_lock(path))
    await builders.dispatch(store, builders.trials_of(planned))
    path.unlink()
    with pytest.raises(StoreError, match="rescued"):
        await store.close("complete")
    assert (tmp_path / "a.rescued.db").exists()
