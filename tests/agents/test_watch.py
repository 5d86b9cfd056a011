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
