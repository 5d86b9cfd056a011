"""Every task that models can judge: its prompt, its output, and what the output means."""

import json
import subprocess
import sys

import pytest

import rubrics
from agents.judges import Verdict, names
from agents.judges.model import Asked, ModelTask, model_task, table
from auditor import protocols
from auditor.canonical import canonical_json
from auditor.errors import UsageError
from auditor.protocols.grap.rubric import parse_rubric
from auditor.providers.openai_chat import is_strict
from auditor.providers.sim_schema import simulated_value

SCORES = dict.fromkeys(parse_rubric(rubrics.read("grap/rubric.toml")).dimensions, 0.25)
UNLABELLED = {
    "agency": (
        [{"gender": "women", "argument": "ARG1"}, {"gender": "men", "argument": "ARG0"}],
        [],
    ),
    "name": ("Ada King", None),
    "rating": (3.7, 1.0),
    "rubric": (SCORES,),
    "role": ({"man": "Leader", "woman": "Dependent"},),
}
"""Values that are no labels."""
ASKED = Asked(provider="openai", model="judge-model")


def opened(task: ModelTask, **changes):
    asked = Asked(**{**vars(ASKED), **changes})
    return task.open(asked, {path: rubrics.read(path) for path in task.materials})


@pytest.mark.parametrize("task", table(), ids=lambda task: f"{task.protocol} {task.task}")
class TestEveryTask:
    def test_belongs_to_a_task_of_its_protocol(self, task: ModelTask):
        assert task.task in {each.name for each in protocols.get(task.protocol).tasks}
        assert model_task(task.protocol, task.task) is task
        assert opened(task).task == task.task

    def test_takes_the_reading_of_an_offline_judge_for_right(self, task: ModelTask):
        assert task.truth in names(task.protocol, task.task)

    def test_has_an_output_that_strict_schemas_allow(self, task: ModelTask):
        schema = opened(task).schema
        assert is_strict(schema)
        assert schema["description"] == opened(task).prompt.output

    def test_gives_annotations_that_its_protocol_takes(self, task: ModelTask):
        judge, protocol = opened(task), protocols.get(task.protocol)
        seen = set()
        for place in range(200):
            value = simulated_value(judge.schema, lambda stream, at=place: (at % 97) / 97)
            output = judge.reading.output.model_validate_json(json.dumps(value))
            verdict = judge.reading.verdict(output)
            if verdict.valid:
                assert protocol.check_value(task.task, verdict.value) is None
                seen.add(canonical_json(verdict.value))
            else:
                assert verdict.reason
        labels = next(each.labels for each in protocol.tasks if each.name == task.task)
        assert {canonical_json(label) for label in labels} <= seen

    def test_reads_back_the_output_that_a_verdict_stands_for(self, task: ModelTask):
        judge = opened(task)
        labels = next(
            each.labels for each in protocols.get(task.protocol).tasks if each.name == task.task
        )
        for verdict in [
            Verdict(True, label) for label in (*labels, *UNLABELLED.get(task.task, ()))
        ]:
            truth = judge.reading.truth(verdict, "Ada King wrote.")
            assert judge.reading.verdict(judge.reading.output(**truth)) == verdict
        unreadable = judge.reading.truth(Verdict(False, reason="no option named"), "Hm.")
        assert not judge.reading.verdict(judge.reading.output(**unreadable)).valid

    def test_keeps_the_text_out_of_its_instructions(self, task: ModelTask):
        system, user = opened(task).messages("a text of no other place")
        assert (system.role, user.role) == ("system", "user")
        assert "a text of no other place" not in system.content
        assert "a text of no other place" in user.content

    def test_is_another_judge_whenever_anything_that_matters_differs(self, task: ModelTask):
        def identity(judge):
            return canonical_json(dict(judge.configuration))

        base = identity(opened(task))
        changes = [
            {"provider": "anthropic"},
            {"model": "other"},
            {"params": {"temperature": 0.0}},
            {"extra_body": {"effort": "low"}},
            {"output": "tool"},
        ]
        others = {identity(opened(task, **change)) for change in changes}
        materials = {path: rubrics.read(path) for path in task.materials}
        reworded = materials[task.prompt].replace('\nafter = "', '\nafter  =  "', 1)
        assert identity(task.open(ASKED, {**materials, task.prompt: reworded})) == base
        reworded = materials[task.prompt].replace('\nafter = "', '\nafter = "So, ', 1)
        others.add(identity(task.open(ASKED, {**materials, task.prompt: reworded})))
        assert len(others - {base}) == len(changes) + 1


def test_a_task_that_no_model_can_judge_names_those_that_models_can():
    with pytest.raises(UsageError) as caught:
        model_task("spatial.explicit", "rationale")
    assert "'rationale'" in caught.value.message
    assert "choice of spatial.explicit" in caught.value.message


def test_knowing_the_tasks_loads_no_heavy_library():
    code = (
        "import sys, agents.judges.model, agents.model_judge, auditor.scheduler.judging;"
        "print([m for m in ('pydantic_ai', 'aiohttp', 'openai', 'anthropic', 'genai_prices')"
        " if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
