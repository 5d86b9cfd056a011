from pathlib import Path

import pytest

from auditor.errors import UsageError
from auditor.scheduler.launch import launch, stored_plan
from auditor.scheduler.plan import make_plan
from auditor.spec import parse_spec
from tests.import_builders import judged, line, rows, statistics, status, take

SPEC = """
name = "run"
seed = 1
[[targets]]
name = "planned"
model = "sim:planned"
extra_body = {men = 0.5}
[protocols."spatial.explicit"]
repetitions = REPETITIONS
spaces = ["kitchen", "mall"]
"""
PLANNED_ROWS = (
    "SELECT name, request, settings FROM targets WHERE origin = 'planned'",
    "SELECT * FROM cells WHERE origin = 'planned'",
    "SELECT * FROM planned_judges WHERE origin = 'planned'",
    "SELECT p.* FROM plans p JOIN targets t ON t.id = target_id WHERE t.origin = 'planned'",
    "SELECT name, seed, spec, plan FROM runs",
)


def run(folder: Path, repetitions: int = 3) -> None:
    spec = parse_spec(SPEC.replace("REPETITIONS", str(repetitions)), "spec.toml")
    launch(make_plan(spec), folder / "a.db", say=lambda _: None)


def test_the_plan_of_a_run_stays_as_it_is(tmp_path: Path) -> None:
    run(tmp_path)
    before = [rows(tmp_path, query) for query in PLANNED_ROWS]
    take(tmp_path, [line(), judged("women", repetition=1)])
    assert [rows(tmp_path, query) for query in PLANNED_ROWS] == before
    found = status(tmp_path / "a.db")
    assert (found["planned"], found["responses"]) == (8, 8)
    assert found["state"] == "complete"


@pytest.mark.parametrize("strict", [False, True])
def test_a_target_name_that_the_spec_plans_may_not_be_imported(
    tmp_path: Path, strict: bool
) -> None:
    run(tmp_path)
    before = rows(tmp_path, "SELECT * FROM events")
    lines = [line(repetition=n) for n in range(1200)] + [line(target="planned")]
    with pytest.raises(UsageError, match=r'lines\.jsonl:1201: target: value "planned"') as caught:
        take(tmp_path, lines, strict=strict)
    assert caught.value.exit_code == 2
    assert rows(tmp_path, "SELECT * FROM events") == before


def test_statistics_keep_imported_and_planned_answers_apart_by_target(tmp_path: Path) -> None:
    run(tmp_path)
    before = [row for row in statistics(tmp_path / "a.db") if row["target"] == "planned"]
    take(tmp_path, [line("Men", repetition=n) for n in range(4)])
    after = statistics(tmp_path / "a.db")
    own = [row for row in after if row["target"] == "planned" and "other" not in row["group"]]
    assert own == before
    assert {row["target"] for row in after} >= {"planned", "m"}


def test_judges_of_an_import_do_not_read_planned_answers(tmp_path: Path) -> None:
    run(tmp_path)
    take(tmp_path, [judged("men")])
    found = {(row["target"], row["group"].get("judge")) for row in statistics(tmp_path / "a.db")}
    assert ("planned", "rules") in found
    assert ("m", "human") in found
    assert ("planned", "human") not in found
    assert ("m", "rules") not in found


def test_a_resumed_run_leaves_imported_answers_and_judges_alone(tmp_path: Path) -> None:
    run(tmp_path)
    lines = [line("Men") | judged("women"), line("Men", repetition=1)]
    take(tmp_path, lines)
    before = [row for row in statistics(tmp_path / "a.db") if row["target"] == "m"]
    judgements = rows(tmp_path, "SELECT * FROM annotations WHERE target = 'm'")
    run(tmp_path, repetitions=5)
    assert rows(tmp_path, "SELECT * FROM annotations WHERE target = 'm'") == judgements
    assert [row for row in statistics(tmp_path / "a.db") if row["target"] == "m"] == before
    assert status(tmp_path / "a.db")["planned"] == 12


def test_a_run_whose_spec_names_an_imported_target_is_refused(tmp_path: Path) -> None:
    take(tmp_path, [line(target="planned")], name="run")
    with pytest.raises(UsageError, match="'planned' has imported answers"):
        run(tmp_path)
    assert stored_plan(tmp_path / "a.db").plan.spec.targets == ()
