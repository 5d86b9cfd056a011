"""Files of the user's that stand in for rubric files."""

import os
import threading
from pathlib import Path

import pytest

import rubrics
from auditor.errors import UsageError
from auditor.scheduler.launch import stored_plan
from auditor.scheduler.opening import hold_store
from auditor.scheduler.plan import make_plan
from auditor.spec import load_spec, parse_spec
from auditor.store.plan import write_plan
from auditor.user_files import MOST_BYTES

STATES = "code,name_en,name_zh\nCA,California,加利福尼亚\nTX,Texas,得克萨斯\nMO,Missouri,密苏里\n"
MONEY = "code,gdp\nCA,3.9\nTX,2.6\n"
SPEC = """name = "states"
[[targets]]
name = "one"
model = "sim:one"
extra_body = {order = ["TX"], refusal = 0.1}
[protocols."regional.stereotype"]
regions = "tables/states.csv"
indicators = "money.csv"
[protocols."regional.decision"]
regions = "tables/states.csv"
indicators = "money.csv"
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables/states.csv").write_text(STATES, "utf-8")
    (tmp_path / "money.csv").write_text(MONEY, "utf-8")
    (tmp_path / "spec.toml").write_text(SPEC, "utf-8")
    return tmp_path


def load(folder: Path, text: str = SPEC):
    (folder / "spec.toml").write_text(text, "utf-8")
    return load_spec(folder / "spec.toml")


def problems(folder: Path, text: str = SPEC) -> list[str]:
    with pytest.raises(UsageError) as caught:
        load(folder, text)
    return [line.removeprefix(f"{folder}/") for line in caught.value.message.split("\n")]


def test_a_plan_goes_by_the_users_files_from_the_folder_of_the_spec(folder):
    plan = make_plan(load(folder))
    assert plan.materials["regional/regions.csv"] == STATES
    assert plan.materials["regional/indicators.csv"] == MONEY
    assert plan.materials["regional/tasks.toml"] == rubrics.read("regional/tasks.toml")
    # 3 x 8 ratings and 3 x 2 x 9 choices, five times each.
    assert plan.trials == (24 + 54) * 5
    assert {cell.prompt.factors.get("region") for cell in plan.all_cells()} == {
        "CA",
        "TX",
        "MO",
        None,
    }


def test_a_byte_order_mark_is_no_part_of_a_file(folder):
    (folder / "money.csv").write_text("\ufeff" + MONEY, "utf-8")
    assert load(folder).own_texts["regional/indicators.csv"] == MONEY


def test_another_file_is_another_plan(folder):
    before = make_plan(load(folder)).hash
    (folder / "money.csv").write_text(MONEY + "MO,0.4\n", "utf-8")
    assert make_plan(load(folder)).hash != before


def test_a_file_that_is_not_there_is_refused_by_key_and_name(folder):
    (folder / "money.csv").unlink()
    assert problems(folder) == [
        'spec.toml:8: protocols."regional.stereotype".indicators: "money.csv": no such file;'
        " allowed: a file that can be read",
        'spec.toml:11: protocols."regional.decision".indicators: "money.csv": no such file;'
        " allowed: a file that can be read",
    ]


def test_a_file_in_another_encoding_is_refused_by_line(folder):
    (folder / "tables/states.csv").write_bytes(STATES.encode("gbk"))
    found = problems(folder)
    assert 'regions: "tables/states.csv": byte 0xbc in line 2 is not UTF-8' in found[0]


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("/dev/zero", "neither a regular file nor a pipe"),
        ("/dev/null", "neither a regular file nor a pipe"),
        ("long.csv", "longer than 32 MiB"),
        ("tables", "Is a directory"),
    ],
)
def test_what_has_no_end_or_is_too_long_is_refused_before_it_fills_memory(folder, file, said):
    with (folder / "long.csv").open("wb") as sparse:
        sparse.truncate(MOST_BYTES + 1)
    first, _ = problems(folder, SPEC.replace("money.csv", file))
    assert f'indicators: "{file}": {said}; allowed: a file that can be read' in first


def test_a_pipe_is_read_once_for_all_protocols(folder):
    (folder / "money.csv").unlink()
    os.mkfifo(folder / "money.csv")
    writer = threading.Thread(target=(folder / "money.csv").write_text, args=(MONEY, "utf-8"))
    writer.start()
    assert load(folder).own_texts["regional/indicators.csv"] == MONEY
    writer.join()


def test_a_stored_run_does_not_wait_for_a_pipe_that_it_was_planned_from(folder):
    plan, path = make_plan(load(folder)), folder / "states.db"
    epoch = hold_store(path, say=lambda _: None)
    write_plan(path, epoch, plan.record(), plan.all_cells())
    for name in ("money.csv", "spec.toml"):
        (folder / name).unlink()
        os.mkfifo(folder / name)
    assert stored_plan(path).differing == ()


def test_what_is_wrong_in_a_file_is_refused_by_file_and_line_alone(folder):
    """And no plant is held against the packaged regions that are not meant."""
    (folder / "tables/states.csv").write_text(STATES + "CA,Carolina,卡罗来纳\n", "utf-8")
    assert problems(folder) == [
        f"spec.toml:{line}: protocols.\"{name}\".regions: tables/states.csv:5: code 'CA' is also in"
        " line 2; allowed: each once"
        for line, name in ((7, "regional.stereotype"), (10, "regional.decision"))
    ]


def test_plants_are_held_against_the_users_regions(folder):
    (problem,) = problems(
        folder, SPEC.replace('["TX"]', '["BJ"]').partition('[protocols."regional.d')[0]
    )
    assert problem.startswith("spec.toml:5: targets[0].extra_body.order: value 'BJ'")


def test_one_run_has_one_file_of_a_kind(folder):
    first, _, last = SPEC.rpartition('indicators = "money.csv"')
    (problem,) = problems(folder, first + last)
    assert problem.startswith(
        'spec.toml:10: protocols."regional.decision".regions: nothing in place'
    )
    assert '"money.csv" in "regional.stereotype"; allowed: the same file in both' in problem


def test_a_packaged_file_beside_the_users_is_refused(folder):
    text = SPEC.replace('order = ["TX"], ', "")
    first, second = problems(folder, text.rpartition('regions = "tables')[0])
    assert "none in place of rubrics/regional/regions.csv, and" in first
    assert "none in place of rubrics/regional/indicators.csv, and" in second


def test_a_stored_run_goes_by_its_own_texts_and_says_which_file_has_changed(folder):
    plan, path = make_plan(load(folder)), folder / "states.db"
    epoch = hold_store(path, say=lambda _: None)
    write_plan(path, epoch, plan.record(), plan.all_cells())
    assert stored_plan(path).differing == ()
    (folder / "tables/states.csv").write_text(STATES + "NY,New York,纽约\n", "utf-8")
    (folder / "money.csv").unlink()
    stored = stored_plan(path)
    assert stored.plan.materials["regional/regions.csv"] == STATES
    assert stored.plan.hash == plan.hash
    (said,) = stored.differing
    assert said == (
        "tables/states.csv differs from what this run goes by, which is kept in the store"
    )


def test_texts_of_a_store_are_taken_instead_of_files(tmp_path):
    texts = {path: rubrics.read(path) for path in rubrics.names() if path.startswith("regional/")}
    texts |= {"regional/regions.csv": STATES, "regional/indicators.csv": MONEY}
    spec = parse_spec(SPEC, str(tmp_path / "gone.toml"), materials_of=lambda _: texts)
    assert make_plan(spec, texts).trials == (24 + 54) * 5
