"""What is seen of local models without loading one; the libraries need not be installed."""

from __future__ import annotations

import json
import math

import pytest

from auditor.endpoints import Prices
from auditor.errors import RejectedError, UsageError
from auditor.providers import known_provider
from auditor.providers.local import library
from auditor.providers.local.fingerprint import folder_fingerprint
from auditor.providers.local.folder import check_folder, folder_of
from auditor.providers.local.settings import LocalSettings, settings_of
from auditor.scheduler.opening import open_endpoint
from auditor.types import EndpointConfig, Usage

LANGUAGE = {"architectures": ["LlamaForCausalLM"]}
REWARD = {"architectures": ["LlamaForSequenceClassification"], "id2label": {"0": "LABEL_0"}}


@pytest.fixture
def folder(tmp_path):
    """A folder that looks like a model of this configuration."""

    def made(config=LANGUAGE, *, without=(), template=True):
        files = {
            "config.json": json.dumps(config),
            "model.safetensors": "weights",
            "tokenizer.json": "{}",
            "tokenizer_config.json": json.dumps({"chat_template": "{{ x }}"} if template else {}),
        }
        for name, text in files.items():
            if name not in without:
                (tmp_path / name).write_text(text)
        return str(tmp_path)

    return made


@pytest.mark.parametrize(
    ("config", "api"),
    [(LANGUAGE, "chat"), (LANGUAGE, "completions"), (REWARD, "reward"), ({}, "chat")],
)
def test_a_whole_folder_is_taken(folder, config, api):
    check_folder(folder(config), api=api)


def test_a_chat_template_may_stand_in_a_file_of_its_own(folder, tmp_path):
    name = folder(template=False)
    (tmp_path / "chat_template.jinja").write_text("{{ x }}")
    check_folder(name, api="chat")


@pytest.mark.parametrize(
    ("settings", "api", "said"),
    [
        ({"without": ["config.json"]}, "chat", "no config.json in this folder"),
        ({"without": ["model.safetensors"]}, "chat", "no weights in this folder"),
        ({"without": ["tokenizer.json"]}, "chat", "no tokenizer in this folder"),
        ({"template": False}, "chat", "its tokenizer has no chat template"),
        ({"config": REWARD}, "chat", "no language model (LlamaForSequenceClassification)"),
        ({}, "reward", "no sequence classification head (LlamaForCausalLM)"),
        (
            {"config": {**REWARD, "id2label": {"0": "a", "1": "b", "2": "c"}}},
            "reward",
            "a sequence classification head with 3 outputs; a reward model has one",
        ),
        # transformers leaves labels out where there are two.
        (
            {"config": {"architectures": REWARD["architectures"]}},
            "reward",
            "a sequence classification head with 2 outputs; a reward model has one",
        ),
        ({"config": [1]}, "chat", "config.json holds no JSON object"),
    ],
)
def test_what_a_folder_lacks_is_one_sentence(folder, settings, api, said):
    name = folder(**settings)
    with pytest.raises(UsageError) as caught:
        check_folder(name, api=api)
    assert caught.value.message == f"local model {name}: {said}"


@pytest.mark.parametrize("damage", [b"{", b"\xff\xfe", b"[" * 100_000])
def test_a_damaged_configuration_is_named(folder, tmp_path, damage):
    name = folder()
    (tmp_path / "config.json").write_bytes(damage)
    with pytest.raises(UsageError, match=r"config\.json cannot be read"):
        check_folder(name, api="chat")


def test_a_name_is_a_folder_that_is_there_or_one_on_the_hub(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models" / "tiny").mkdir(parents=True)
    assert folder_of("models/tiny").samefile(tmp_path / "models" / "tiny")
    assert folder_of("organisation/model-1.5") is None
    for absent in ("./models/none", "/nowhere/at/all", "~/none-of-this", "a/b/c"):
        with pytest.raises(UsageError, match="there is no such folder"):
            folder_of(absent)
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="a file"):
        folder_of("file")


def test_a_fingerprint_changes_with_the_weights_and_with_nothing_around_them(folder, tmp_path):
    folder()
    first = folder_fingerprint(tmp_path)
    (tmp_path / "README.md").write_text("about it")
    assert folder_fingerprint(tmp_path) == first
    (tmp_path / "model.safetensors").write_text("Weights")
    assert folder_fingerprint(tmp_path) != first


def test_a_fingerprint_sees_training_that_left_both_ends_of_a_file_alone(folder, tmp_path):
    folder()
    weights = bytearray(8 << 20)
    found = set()
    for part in (slice(0, 0), slice(3_000_000, 3_100_000), slice(5_000_000, 5_100_000)):
        weights[part] = b"\x01" * len(weights[part])
        (tmp_path / "model.safetensors").write_bytes(weights)
        found.add(folder_fingerprint(tmp_path))
    assert len(found) == 3


def test_without_the_libraries_one_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setattr(library, "find_spec", lambda name: None)
    with pytest.raises(UsageError) as caught:
        open_endpoint(
            EndpointConfig(name="disk", provider="local"), seed=1, environ={}, connection=None
        )
    assert caught.value.message.endswith("torch and transformers are not installed")
    assert caught.value.hint == "pip install 'bias-auditor[local]'"


def test_a_local_model_costs_nothing_unless_the_spec_says_so():
    config = EndpointConfig(name="disk", provider="local")
    assert Prices(config).cost_usd("m", Usage(input_tokens=9, output_tokens=9)) == 0.0
    assert known_provider("local").scores


def test_settings_are_read_and_others_refused():
    body = {"device": "cuda:1", "dtype": "bfloat16", "chat_template_kwargs": {"enable": False}}
    assert settings_of(body) == LocalSettings(device="cuda:1", dtype="bfloat16")
    assert settings_of(body).template == {"enable": False}
    with pytest.raises(RejectedError, match="trust_remote_code is no setting"):
        settings_of({"trust_remote_code": True})
    # An answer that is scored would have another turn's beginning behind it.
    with pytest.raises(RejectedError) as caught:
        settings_of({"chat_template_kwargs": {"add_generation_prompt": True}})
    assert "without add_generation_prompt" in caught.value.hint


def test_no_time_out_ends_a_call_to_a_model_of_this_process():
    def longest(provider):
        return EndpointConfig(name="e", provider=provider, timeout_seconds=9).longest_seconds

    assert [longest(name) for name in ("local", "sim", "openai")] == [math.inf, 9, 9]
