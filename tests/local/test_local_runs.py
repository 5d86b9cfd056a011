import json
import shutil

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from auditor.types import Outcome
from tests.cli.driving import auditor

SPEC = """
name = "tiny"
seed = 1
budget = {{usd = 0.01}}
{targets}
{protocols}
"""
TARGET = '[[targets]]\nname = "{name}"\nmodel = "local:{folder}"\napi = "{api}"\n'
TRACING = '[protocols."spatial.tracing"]\nspaces = ["kitchen", "garage"]\n'
OTHERS = (
    '[protocols."spatial.probability"]\nspaces = ["kitchen", "garage"]\n'
    '[protocols."spatial.explicit"]\nspaces = ["kitchen", "garage"]\nrepetitions = 3\n'
)
TARGETS = (
    ("base", "base", "completions"),
    ("tuned", "chat", "chat"),
    ("reward", "reward", "reward"),
    ("other", "other_reward", "reward"),
)


def write(path, folders, targets=TARGETS, protocols=TRACING + OTHERS, **folder_of):
    tables = [
        TARGET.format(name=name, folder=folder_of.get(name) or getattr(folders, kind), api=api)
        + ('tuned_from = "base"\n' if name == "tuned" else "")
        for name, kind, api in targets
    ]
    path.write_text(SPEC.format(targets="\n".join(tables), protocols=protocols))
    return path


@pytest.fixture(scope="module")
def ran(folders, tmp_path_factory):
    """A whole run of four models, and its store."""
    folder = tmp_path_factory.mktemp("run")
    done = auditor("run", write(folder / "s.toml", folders), "--json")
    assert done.code == 0, done.err
    return done, folder / "s.db"


def shown(store, *arguments):
    return auditor("show", store, "--json", "-n", "1000", *arguments).data


def test_every_model_answers_every_protocol_that_suits_it(ran):
    done, _ = ran
    # Tracing: 2 spaces x 2 labels for 4 targets; the others for two: 2 spaces, and 2 x 3.
    assert (done.data["planned"], done.data["responses"]) == (32, 32)
    assert done.data["failures"] == 0
    assert done.data["cost_usd"] == 0
    why = "a reward model scores answers and gives none"
    for name in ("reward", "other"):
        assert f"target {name} is left out of spatial.probability" in done.err
    assert why in done.err


def test_scores_are_annotations_and_figures(ran):
    _, store = ran
    rows = auditor("stats", store, "--json").data
    traced = [row for row in rows if row["protocol"] == "spatial.tracing"]
    found = {(row["target"], row["statistic"]): row for row in traced}
    assert found["reward", "reward_agreement"]["n"] == 2
    assert found["base", "men_probability"]["value"] is not None
    assert found["tuned", "tuning_shift"]["group"]["other"] == "base"
    assert {row["value"] for row in traced if row["statistic"] == "invalid_rate"} == {0.0}


def test_log_probabilities_reach_the_judge_of_token_masses(ran):
    _, store = ran
    answers = shown(store, "--protocol", "spatial.probability")
    reasons = [note["reason"] for answer in answers for note in answer["annotations"]]
    assert len(reasons) == 4
    # Random weights may list no gender; what they list is read.
    assert set(reasons) <= {None, "no gender token listed", "no answer token"}


def test_what_was_loaded_and_used_is_in_the_store(ran, folders):
    import sqlite3

    _, store = ran
    connection = sqlite3.connect(store)
    try:
        calls = connection.execute(
            "SELECT model, fingerprint, input_tokens, output_tokens, cost_usd, sent FROM calls"
        ).fetchall()
    finally:
        connection.close()
    assert {model for model, *_ in calls} == {
        folders.base,
        folders.chat,
        folders.reward,
        folders.other_reward,
    }
    assert len({(model, fingerprint) for model, fingerprint, *_ in calls}) == 4
    for _, _, inputs, outputs, cost, sent in calls:
        assert inputs > 0
        assert outputs >= 0
        assert cost == 0
        assert json.loads(sent)["dtype"] == "float32"


def test_a_repeated_run_gives_the_same_answers(ran, folders, tmp_path):
    _, store = ran
    spec = write(tmp_path / "s.toml", folders)
    assert auditor("run", spec, "--json", "--only", "spatial.explicit").code == 0
    answers = [
        {row["trial"]: row["text"] for row in shown(path, "--protocol", "spatial.explicit")}
        for path in (store, tmp_path / "s.db")
    ]
    assert len(answers[0]) == 12
    assert answers[0] == answers[1]


def test_doctor_loads_each_model_and_says_where(folders, tmp_path):
    done = auditor("doctor", write(tmp_path / "s.toml", folders), "--json")
    assert done.code == 0, done.err
    assert [model["target"] for model in done.data["models"]] == [name for name, *_ in TARGETS]
    for model in done.data["models"]:
        assert model["findings"]["loaded"].startswith("on cpu as float32, files-")
        assert model["calls"] == 1


def test_a_model_that_cannot_be_loaded_is_said_before_anything_is_asked(folders, tmp_path):
    broken = tmp_path / "broken"
    shutil.copytree(folders.chat, broken)
    (broken / "model.safetensors").write_bytes(b"no tensors")
    spec = write(tmp_path / "s.toml", folders, tuned=broken)
    done = auditor("run", spec, "--json")
    assert done.code == 2
    assert f"local model {broken} cannot be loaded" in done.err
    assert auditor("status", tmp_path / "s.db", "--json").data["responses"] == 0


def test_a_model_whose_folder_lacks_something_is_said_before_there_is_a_store(folders, tmp_path):
    spec = write(tmp_path / "s.toml", folders, tuned=folders.base, other=tmp_path / "nowhere")
    done = auditor("run", spec, "--json")
    assert done.code == 2
    assert "its tokenizer has no chat template" in done.err
    assert f"{tmp_path / 'nowhere'}: there is no such folder" in done.err
    assert not (tmp_path / "s.db").exists()


def test_an_answer_that_has_text_is_cut_or_ended(ran):
    _, store = ran
    outcomes = {row["outcome"] for row in shown(store, "--protocol", "spatial.explicit")}
    assert outcomes <= {Outcome.ANSWERED, Outcome.TRUNCATED, Outcome.EMPTY}
