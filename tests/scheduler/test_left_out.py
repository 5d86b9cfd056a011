"""Which targets the plan passes over, and what a reader is told of it."""

import pytest

from auditor.errors import UsageError
from auditor.scheduler.left_out import said_once
from auditor.scheduler.plan import make_plan
from auditor.spec import parse_spec

TARGETS = {
    "gpt": 'model = "openai:gpt"',
    "claude": 'model = "anthropic:claude"',
    "reward": 'model = "sim:reward"\napi = "reward"\nextra_body = {reward_noise = 0.1}',
    "sim": 'model = "sim:sim"',
}


def plan(targets, protocols):
    blocks = [f'[[targets]]\nname = "{name}"\n{TARGETS[name]}' for name in targets]
    blocks += [f'[protocols."spatial.{name}"]' for name in protocols]
    return make_plan(parse_spec("\n".join(['name = "s"', *blocks]), "s.toml"))


def asked(made):
    return {(target, name.partition(".")[2]) for name, target, _, _ in made.counts}


def test_scores_are_asked_of_those_that_give_them_and_answers_of_no_reward_model():
    made = plan(TARGETS, ["explicit", "probability", "tracing"])
    assert asked(made) == {
        *((target, "explicit") for target in ("gpt", "claude", "sim")),
        *((target, "probability") for target in ("gpt", "sim")),
        *((target, "tracing") for target in ("reward", "sim")),
    }
    assert {(cell.target, cell.protocol) for cell in made.all_cells()} == {
        (target, f"spatial.{name}") for target, name in asked(made)
    }


def test_each_reason_is_told_once_a_target():
    said = said_once(plan(TARGETS, ["explicit", "probability", "tracing"]).left_out)
    assert said == [
        "target gpt is left out of spatial.tracing:"
        " provider openai scores no answers that are given",
        "target claude is left out of spatial.probability:"
        " provider anthropic gives no log-probabilities",
        "target claude is left out of spatial.tracing:"
        " provider anthropic scores no answers that are given",
        "target reward is left out of spatial.explicit, spatial.probability:"
        " a reward model scores answers and gives none",
    ]


@pytest.mark.parametrize(
    ("targets", "protocols", "said"),
    [
        (["gpt"], ["tracing"], "provider openai scores no answers"),
        (["claude"], ["probability", "tracing"], "gives no log-probabilities; target claude"),
        (["reward"], ["explicit"], "a reward model scores answers and gives none"),
    ],
)
def test_a_plan_that_asks_nobody_is_refused_with_every_reason(targets, protocols, said):
    with pytest.raises(UsageError, match=said) as caught:
        plan(targets, protocols)
    assert caught.value.message.startswith("s.toml: nothing is left to ask; target")
    assert "spatial.tracing for scores" in caught.value.hint
