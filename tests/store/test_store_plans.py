import asyncio
from pathlib import Path

import pytest

from auditor.errors import StoreMismatch, UsageError
from auditor.store import plan
from auditor.store.connection import connect
from auditor.store.progress import snapshot
from auditor.store.records import Annotations, FailureRow
from auditor.store.store import Store
from auditor.store.trials import first_open_place, stored_trials
from auditor.store.verification import verify
from tests import builders


async def fill(path: Path, planned) -> None:
    """Write a plan and answer all its trials that have no response."""
    builders.write(path, planned)
    store = Store(path, builders.take_lock(path))
    open_trials = []
    for trial in builders.trials_of(planned):
        trial.cell_id, known = stored_trials(store.reader, trial.cell.key)
        if trial.repetition not in known:
            open_trials.append(trial)
    await builders.dispatch(store, open_trials)
    await asyncio.gather(*(store.append(builders.answer(store, t)) for t in open_trials))
    await store.close("complete")


def look(path: Path):
    connection = connect(path, read_only=True)
    try:
        assert all(not found for _, found in verify(connection))
        return snapshot(connection)
    finally:
        connection.close()


def place(path: Path, target: str = "fair") -> int:
    connection = connect(path, read_only=True)
    try:
        return first_open_place(connection, target)
    finally:
        connection.close()


async def test_an_unchanged_plan_starts_at_the_first_place_that_is_not_full(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    builders.write(path, builders.cells())
    assert place(path) == 0
    await fill(path, builders.cells()[:2])
    assert builders.write(path, builders.cells()) is False
    assert builders.write(path, builders.cells()) is True
    assert place(path) == 2


async def test_more_repetitions_open_the_cells_again(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    await fill(path, builders.cells(repetitions=2))
    builders.write(path, builders.cells(repetitions=3))
    assert place(path) == 0
    progress = look(path)
    assert (progress.planned, progress.responses) == (9, 6)


async def test_fewer_repetitions_and_levels_are_kept_but_not_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    await fill(path, builders.cells(repetitions=3))
    builders.write(path, builders.cells(spaces=("kitchen", "mall"), repetitions=1))
    progress = look(path)
    assert (progress.planned, progress.responses) == (2, 2)
    connection = connect(path, read_only=True)
    assert connection.execute("SELECT count(*), sum(in_plan) FROM responses").fetchone() == (9, 2)
    connection.close()
    builders.write(path, builders.cells(repetitions=3))
    assert look(path).responses == 9


async def test_another_request_for_the_same_factors_is_refused_naming_both(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    await fill(path, builders.cells())
    other = builders.cells(wording="Who uses {space}?")
    with pytest.raises(UsageError) as refused:
        builders.write(path, other)
    assert "messages" in refused.value.message
    assert "Who is at kitchen?" in refused.value.message
    assert "Who uses kitchen?" in refused.value.message
    assert look(path).responses == 6


async def test_a_target_that_asks_otherwise_is_refused_naming_the_field(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    await fill(path, builders.cells())
    other = builders.cells(asked=builders.request("fair", params={"top_p": 0.5}))
    with pytest.raises(UsageError, match=r'params: \{\} in the store, \{"top_p":0.5\} in the spec'):
        builders.write(path, other)


async def test_supersede_leaves_the_old_answers_out(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    await fill(path, builders.cells())
    other = builders.cells(asked=builders.request("fair", params={"top_p": 0.5}))
    builders.write(path, other, supersede=True)
    assert look(path).responses == 0
    await fill(path, other)
    progress = look(path)
    assert (progress.planned, progress.responses) == (6, 6)
    connection = connect(path, read_only=True)
    assert connection.execute("SELECT count(*) FROM responses").fetchone() == (12,)
    connection.close()


async def test_superseding_a_wording_leaves_the_old_answers_out(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    await fill(path, builders.cells())
    other = builders.cells(wording="Who uses {space}?")
    builders.write(path, other, supersede=True)
    await fill(path, other)
    assert look(path).responses == 6


async def test_a_renamed_target_keeps_its_answers(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    await fill(path, builders.cells("fair"))
    builders.write(path, builders.cells("just", asked=builders.request("fair")))
    progress = look(path)
    assert progress.responses == 6
    assert [target.target for target in progress.targets] == ["just"]


async def test_two_targets_may_swap_their_names(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    one, two = builders.request("one"), builders.request("two")
    await fill(path, builders.cells("a", asked=one) + builders.cells("b", asked=two)[:1])
    builders.write(path, builders.cells("b", asked=one) + builders.cells("a", asked=two)[:1])
    assert {t.target: t.responses for t in look(path).targets} == {"b": 6, "a": 2}


def test_no_store_another_run_and_a_newer_schema_are_told_apart(tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("no database at all, but long enough to have a header " * 4)
    with pytest.raises(StoreMismatch, match="is not a store"):
        plan.check_run(words, "test")
    path = tmp_path / "a.db"
    builders.write(path, builders.cells())
    with pytest.raises(StoreMismatch, match="holds the run 'test', not 'other'"):
        plan.check_run(path, "other")
    connection = connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreMismatch, match="schema version 99"):
        plan.check_run(path, "test")
    assert path.read_bytes() == before


async def test_a_level_that_comes_in_before_others_is_open(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    await fill(path, builders.cells(spaces=("garage", "mall")))
    builders.write(path, builders.cells(spaces=("kitchen", "garage", "mall")))
    assert place(path) == 0


async def test_a_level_that_comes_in_between_others_is_open(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    await fill(path, builders.cells(spaces=("kitchen", "mall")))
    builders.write(path, builders.cells(spaces=("kitchen", "garage", "mall")))
    assert place(path) == 1


async def test_places_left_out_at_first_are_open_later(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    planned = builders.cells()
    builders.write(path, planned)
    store = Store(path, builders.take_lock(path))
    trials = builders.trials_of(planned[2:])
    await builders.dispatch(store, trials)
    for trial in trials:
        await store.append(builders.answer(store, trial))
    await store.close("complete")
    assert place(path) == 0


async def test_a_superseded_wording_can_be_taken_up_again(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    first, second = builders.cells(), builders.cells(wording="Who uses {space}?")
    await fill(path, first)
    builders.write(path, second, supersede=True)
    await fill(path, second)
    with pytest.raises(UsageError, match="Who uses kitchen"):
        builders.write(path, first)
    builders.write(path, first, supersede=True)
    progress = look(path)
    assert (progress.planned, progress.responses) == (6, 6)


async def test_a_run_with_a_failed_annotation_is_not_complete(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    planned = builders.cells(spaces=("kitchen",), repetitions=1)
    await fill(path, planned)
    connection = connect(path)
    (judge,) = connection.execute("SELECT id FROM judges").fetchone()
    (source, trial) = connection.execute("SELECT seq, trial_id FROM _responses").fetchone()
    connection.close()
    store = Store(path, builders.take_lock(path))
    failure = FailureRow(
        trial_id=trial, kind="judge", message="broken", judge_id=judge, source=source
    )
    agent = store.agent_id("scheduler")
    await store.append(Annotations(agent_id=agent, judge_id=judge, rows=[], failures=[failure]))
    await store.close("incomplete")
    progress = look(path)
    assert progress.judges[0].failed == 1
    assert progress.state == "incomplete"


async def judged(path: Path, planned) -> None:
    """A store whose judge has settled every answer."""
    await fill(path, planned)
    connection = connect(path)
    connection.execute(
        "INSERT INTO checkpoints SELECT j.id, max(r.seq) FROM judges j, _responses r"
    )
    connection.close()


def checkpoints(path: Path) -> int:
    connection = connect(path, read_only=True)
    try:
        return int(connection.execute("SELECT count(*) FROM checkpoints").fetchone()[0])
    finally:
        connection.close()


async def test_another_plan_of_the_same_cells_counts_and_judges_nothing_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.db"
    await judged(path, builders.cells())
    recounted: list[str] = []
    monkeypatch.setattr(plan, "recount", lambda _, cells: recounted.append(cells))
    assert not builders.write(path, builders.cells(), plan_hash=b"other files, the same cells")
    assert (recounted, checkpoints(path)) == ([], 1)
    # In another order, too.
    assert not builders.write(path, builders.cells(spaces=("mall", "kitchen", "garage")))
    assert (recounted, checkpoints(path)) == ([], 1)


OTHER_WORDING = "Who uses {space}?"


@pytest.mark.parametrize(
    "changes",
    [
        {"repetitions": 1},
        {"repetitions": 3},
        {"spaces": ("kitchen", "mall")},
        {"spaces": (*builders.SPACES, "bar")},
        {"wording": OTHER_WORDING},
    ],
    ids=str,
)
async def test_a_plan_of_other_cells_has_its_answers_looked_at_again(
    changes: dict[str, object], tmp_path: Path
) -> None:
    path = tmp_path / "a.db"
    await judged(path, builders.cells())
    builders.write(path, builders.cells(**changes), supersede=True)  # type: ignore[arg-type]
    assert checkpoints(path) == 0
    look(path)


async def test_cells_that_come_back_have_their_answers_looked_at_again(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    await fill(path, builders.cells())
    builders.write(path, builders.cells(wording=OTHER_WORDING), supersede=True)
    await judged(path, builders.cells(wording=OTHER_WORDING))
    builders.write(path, builders.cells(), supersede=True)
    assert checkpoints(path) == 0
    assert look(path).responses == 6
