"""Judges that are language models, one small file a task, by (protocol, task).

Nothing here loads pydantic-ai; `agents.judges.model.asking` does, and a run loads that only for a
spec that names a model as a judge.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module

from agents.judges.model.judge import Asked, ModelJudge
from agents.judges.model.prompt import JudgePrompt, parse_prompt
from agents.judges.model.reading import AnyReading
from auditor.errors import UsageError

__all__ = ["Asked", "JudgePrompt", "ModelJudge", "ModelTask", "model_task", "table"]


@dataclass(frozen=True, kw_only=True)
class ModelTask:
    """A task that models can judge: where its reading is to be found and what it goes by."""

    protocol: str
    task: str
    place: str
    """Module and class of its `Reading`, as entry points spell it."""
    prompt: str
    """Rubric file of its prompt."""
    truth: str
    """Name of the offline judge whose reading a simulated judge takes for right."""

    def open(self, asked: Asked, materials: Mapping[str, str]) -> ModelJudge:
        """The judge that asks this model, going by these texts."""
        module, class_name = self.place.split(":")
        reading: AnyReading = getattr(import_module(module), class_name)()
        return ModelJudge(
            protocol=self.protocol,
            asked=asked,
            prompt=parse_prompt(materials[self.prompt], self.prompt),
            reading=reading,
        )


_TASKS = (
    ModelTask(
        protocol="spatial.explicit",
        task="choice",
        place="agents.judges.model.choice:ChoiceReading",
        prompt="spatial/choice_judge.toml",
        truth="rules",
    ),
)


def table() -> tuple[ModelTask, ...]:
    """All tasks that models can judge."""
    return _TASKS


def model_task(protocol: str, task: str) -> ModelTask:
    """How models judge a task. Raises UsageError where they cannot."""
    for found in _TASKS:
        if (found.protocol, found.task) == (protocol, task):
            return found
    allowed = ", ".join(f"{found.task} of {found.protocol}" for found in _TASKS)
    raise UsageError(f"no model can judge the task {task!r} of {protocol}; allowed: {allowed}")
