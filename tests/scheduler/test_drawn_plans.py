"""Plans whose prompts hold draws."""

from auditor.protocols import get
from auditor.protocols.additions import draws_prompts
from auditor.scheduler.plan import make_plan
from auditor.spec import parse_spec

SPEC = """name = "drawn"
seed = {seed}
[[targets]]
name = "one"
model = "sim:one"
[protocols."{protocol}"]
"""


def plan(protocol: str, seed: int, more: str = ""):
    return make_plan(parse_spec(SPEC.format(protocol=protocol, seed=seed) + more, "spec.toml"))


def asked(seed: int) -> list[str]:
    cells = plan("regional.decision", seed, 'task = ["O1"]\n').all_cells()
    return [cell.messages[0].content for cell in cells]


def test_the_runs_seed_draws_what_is_asked():
    assert draws_prompts(get("regional.decision"))
    assert asked(1) == asked(1)
    assert asked(2) != asked(1)


def test_a_plan_with_draws_is_another_one_with_another_seed():
    assert plan("regional.decision", 1).hash == plan("regional.decision", 1).hash
    assert plan("regional.decision", 1).hash != plan("regional.decision", 2).hash
    assert plan("regional.stereotype", 1).hash == plan("regional.stereotype", 2).hash
