"""Judges of a spec that are models: how output is asked for, and what `sim:` may be planted."""

import pytest

from auditor.errors import UsageError
from auditor.spec.loading import parse_spec

SPEC = """
name = "judged"
judges = [{judge}]
[[targets]]
model = "sim:m"
[protocols."spatial.explicit"]
"""


def judge_of(text: str):
    return parse_spec(SPEC.format(judge=text), "spec.toml").judges[0]


@pytest.mark.parametrize("output", ["native", "tool", "prompted"])
def test_a_judge_says_how_typed_output_is_asked_for(output):
    judge = judge_of(f'{{task = "choice", model = "anthropic:m", output = "{output}"}}')
    assert judge.output == output
    assert not judge.simulated


def test_without_a_word_it_is_left_to_the_models_profile():
    assert judge_of('{task = "choice", model = "anthropic:m"}').output is None


def test_judges_that_differ_in_output_are_two():
    one = '{task = "choice", name = "a", model = "anthropic:m", output = "tool"}'
    other = '{task = "choice", name = "b", model = "anthropic:m", output = "native"}'
    assert len(parse_spec(SPEC.format(judge=f"{one}, {other}"), "spec.toml").judges) == 2


def test_a_simulated_judge_takes_the_plants_of_every_simulated_model():
    judge = judge_of(
        '{task = "choice", model = "sim:j", extra_body = {judge_error = 0.1, fault_rate = 0.2,'
        " order_preference = 0.3, latency_seconds = 0.0}}"
    )
    assert judge.simulated
    assert judge.extra_body["judge_error"] == 0.1


@pytest.mark.parametrize(
    ("judge", "said"),
    [
        (
            '{task = "choice", model = "openai:m", output = "json"}',
            'judges[0].output: value "json"; allowed: "native", "tool" or "prompted"',
        ),
        (
            '{task = "choice", judge = "rules", output = "tool"}',
            "judges[0].output: at an offline judge; allowed: only beside model",
        ),
        (
            '{task = "choice", model = "sim:j", extra_body = {judge_error = 2}}',
            "judges[0].extra_body.judge_error: value '2'; allowed: a number from 0 to 1",
        ),
        (
            '{task = "choice", model = "sim:j", extra_body = {men = 0.5}}',
            "judges[0].extra_body.men: no part of a plant; allowed: latency_seconds, ",
        ),
    ],
)
def test_a_mistake_is_named_with_what_is_allowed(judge, said):
    with pytest.raises(UsageError) as caught:
        judge_of(judge)
    assert f"spec.toml:3: {said}" in caught.value.message
