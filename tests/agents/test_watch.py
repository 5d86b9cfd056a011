"""What is noticed while answers come in."""

import pytest

from agents.watch import Watch
from auditor.types import Reply, Usage


def said_of(counts):
    said = []
    watch = Watch("target llama", said.append)
    for count in counts:
        watch.look(Reply(choices=(), usage=Usage(input_tokens=count)))
    return said


@pytest.mark.parametrize("context", [2048, 4096, 131072])
def test_prompts_that_all_end_at_a_context_are_said_to_be_cut_once(context):
    (sentence,) = said_of([context, 30, context, context, context])
    assert sentence.startswith("target llama: ")
    assert f"{context} tokens" in sentence
    assert "num_ctx" in sentence


@pytest.mark.parametrize(
    "counts", [[2048, 2048], [2048, 4096, 8192], [2047, 2049, 3000, None], [1024] * 9], ids=str
)
def test_counts_that_happen_to_be_a_power_of_two_are_not(counts):
    assert said_of(counts) == []


def told(*replies, before=()):
    """What is said of replies from (model, fingerprint) each."""
    said = []
    watch = Watch("target gpt", said.append, before)
    for model, fingerprint in replies:
        watch.look(Reply(choices=(), model=model, fingerprint=fingerprint))
    return [sentence.removeprefix("target gpt: ") for sentence in said]


def test_a_model_that_changed_between_two_processes_is_said():
    before = [("gpt-2026-08", "fp_1"), ("gpt-2026-05", "fp_0")]
    assert told(("gpt-2026-08", "fp_1"), before=before) == []
    assert told(("gpt-2026-11", "fp_1"), ("gpt-2026-11", "fp_1"), before=before) == [
        "the served model changed from gpt-2026-08 to gpt-2026-11"
    ]
    assert told(("gpt-2026-08", None), before=[(None, "fp_9")]) == []


@pytest.mark.parametrize("model", ["llama", None])
def test_another_fingerprint_of_the_same_model_is_said_once(model):
    (sentence,) = told((model, "fp_1"), (model, "fp_1"), (model, "fp_2"), (model, "fp_3"))
    assert sentence.startswith(
        f"the fingerprint of {model or 'the model'} changed from fp_1 to fp_2"
    )
    assert told((model, "fp_2"), before=[(model, "fp_1")])[0].endswith("another system")


def test_fingerprints_that_alternate_as_they_did_before_are_no_change():
    before = [("gpt", "fp_2"), ("gpt", "fp_1")]
    assert told(("gpt", "fp_1"), ("gpt", "fp_2"), ("gpt", None), before=before) == []


def test_each_model_has_fingerprints_of_its_own():
    assert told(("a", "fp_1"), ("b", "fp_2")) == ["the served model changed from a to b"]


def test_a_server_that_names_ever_other_models_does_not_fill_the_alarms():
    said = told(*((f"m{number}", f"fp_{number}") for number in range(1000)))
    assert len(said) == 11
    assert said[-1].startswith("the served model goes on changing")
