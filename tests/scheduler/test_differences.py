"""What a resume says of files on disk that are no longer like what its run goes by."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from auditor.scheduler.launch import stored_plan
from auditor.scheduler.opening import hold_store
from auditor.scheduler.plan import make_plan
from auditor.spec import load_spec
from auditor.store.plan import write_plan
from auditor.user_files import MOST_BYTES

SPEC = """name = "s"
seed = 1
[[targets]]
name = "m"
model = "sim:m"
[protocols.grap]
pairs = 2
instructions = "own.jsonl"
"""
OWN = "".join(
    f'{{"instruction": "I have {number} keys; which one do I need?", "domain": "repair"}}\n'
    for number in range(2, 9)
)


@pytest.fixture(scope="module")
def planned(tmp_path_factory) -> Path:
    """A store that holds a plan, its spec and the file that this names; nothing was sent."""
    folder = tmp_path_factory.mktemp("planned")
    (folder / "s.toml").write_text(SPEC)
    (folder / "own.jsonl").write_text(OWN)
    plan, store = make_plan(load_spec(folder / "s.toml")), folder / "s.db"
    epoch = hold_store(store, say=lambda _: None)
    write_plan(store, epoch, replace(plan.record(), spec_path="s.toml"), plan.all_cells())
    return folder


@pytest.fixture
def folder(planned, tmp_path, monkeypatch) -> Path:
    """A copy of it, which is the current folder."""
    shutil.copytree(planned, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(store: str = "s.db") -> list[str]:
    return list(stored_plan(Path(store)).differing)


def of_spec(text: str) -> str:
    """What is said where this is the spec on disk."""
    Path("s.toml").write_text(text)
    (sentence,) = said()
    assert "\n" not in sentence
    return sentence


@pytest.mark.usefixtures("folder")
def test_nothing_is_said_of_what_is_as_it_was():
    assert said() == []


def a_folder(file: Path) -> None:
    file.mkdir()


def a_link_to_itself(file: Path) -> None:
    file.symlink_to(file)


def too_long(file: Path) -> None:
    with file.open("wb") as sparse:
        sparse.truncate(MOST_BYTES + 1)


@pytest.mark.parametrize(
    ("name", "make", "reason"),
    [
        ("s.toml", a_folder, "Is a directory"),
        ("s.toml", a_link_to_itself, "Too many levels of symbolic links"),
        ("s.toml", too_long, "longer than 32 MiB"),
        ("own.jsonl", a_folder, "Is a directory"),
        ("own.jsonl", a_link_to_itself, "Too many levels of symbolic links"),
    ],
)
def test_a_file_that_cannot_be_read_is_said_with_what_the_run_goes_by(folder, name, make, reason):
    (folder / name).unlink()
    make(folder / name)
    (sentence,) = said()
    kept = "the spec" if name == "s.toml" else f"the text of {name}"
    assert sentence == (
        f"this run goes by {kept} that its store keeps; the one on disk cannot be read:"
        f" {name}: {reason}"
    )


@pytest.mark.parametrize("name", ["s.toml", "own.jsonl"])
@pytest.mark.parametrize("fate", ["gone", "a pipe"])
def test_nothing_is_said_of_a_file_that_is_gone_or_gave_its_text_once(folder, name, fate):
    (folder / name).unlink()
    if fate == "a pipe":
        os.mkfifo(folder / name)
    assert said() == []


@pytest.mark.usefixtures("folder")
def test_changes_that_a_run_takes_are_named_with_the_command():
    assert of_spec(SPEC.replace("pairs = 2", "pairs = 3")) == (
        "s.toml differs from the spec of this run, which is kept in the store, in"
        " protocols.grap.pairs; `auditor run s.toml` takes the changes"
    )


def test_the_command_names_a_store_that_is_not_beside_the_spec(folder):
    (folder / "s.toml").write_text(SPEC.replace("pairs = 2", "pairs = 3"))
    (folder / "s.db").rename(folder / "other.db")
    (sentence,) = said("other.db")
    assert sentence.endswith("; `auditor run s.toml --store other.db` takes the changes")


@pytest.mark.usefixtures("folder")
def test_another_request_under_an_old_name_is_said_to_need_its_option():
    sentence = of_spec(SPEC.replace("[protocols", "params = {temperature = 0.5}\n[protocols"))
    assert "in targets.m.params; `auditor run s.toml` takes the changes, with --supersede" in (
        sentence
    )


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        (
            SPEC.replace("seed = 1", "seeds = 1"),
            "s.toml:2: seeds: unknown key, close to seed; allowed: name, seed",
        ),
        (SPEC.replace("sim:m", "simm:m"), "s.toml:5: targets[0].model: "),
        (
            SPEC.replace("own.jsonl", "none.jsonl"),
            's.toml:8: protocols.grap.instructions: "none.jsonl": no such file',
        ),
        (
            'judges = [{task = "rubric", judge = "nobody"}]\n' + SPEC,
            "s.toml:1: judges[0]",
        ),
    ],
    ids=["a key", "a value", "a file", "a judge"],
)
@pytest.mark.usefixtures("folder")
def test_a_spec_that_a_run_would_refuse_is_said_to_be_refused(text, refusal):
    sentence = of_spec(text)
    assert f"; `auditor run s.toml` refuses it: {refusal}" in sentence
    assert "takes the changes" not in sentence


@pytest.mark.usefixtures("folder")
def test_of_several_problems_the_first_is_said_and_the_others_are_counted():
    sentence = of_spec(SPEC.replace("seed = 1", "a = 1\nb = 2\nc = 3"))
    assert "refuses it: s.toml:2: a: unknown key" in sentence
    assert sentence.endswith("; and 2 more problems")


@pytest.mark.usefixtures("folder")
def test_the_spec_of_another_run_is_not_said_to_change_this_one():
    sentence = of_spec(SPEC.replace('"s"', '"t"'))
    assert sentence.endswith("in name; it is the spec of another run, 't'")


def test_a_changed_spec_that_names_a_pipe_is_not_waited_for(folder):
    (folder / "own.jsonl").unlink()
    os.mkfifo(folder / "own.jsonl")
    assert "`auditor run s.toml`" in of_spec(SPEC.replace("pairs = 2", "pairs = 3"))
