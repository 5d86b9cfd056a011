"""Judges that are language models, one small file a task, by (protocol, task).

Nothing here loads pydantic-ai; `agents.judges.model.asking` does, and a run loads that only for a
spec that names a model as a judge.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module

from agents.judges.model.judge import Asked, ModelJudge
from agents.judges.model.prompt import JudgePrompt, parse_prompt
from agents.judges.model.reading import AnyReading
from auditor.errors import UsageError
from auditor.types import JSON

__all__ = ["Asked", "JudgePrompt", "ModelJudge", "ModelTask", "model_task", "table"]


@dataclass(frozen=True, kw_only=True)
class ModelTask:
    """A task that models can judge: where its reading is to be found and what it goes by."""

    protocol: str
    task: str
    place: str
    """Module and class of its `Reading`, as entry points spell it; or, where it `has_options`,
    module and function that opens the judge."""
    prompt: str
    """Rubric file of its prompt."""
    truth: str
    """Name of the offline judge whose reading a simulated judge takes for right."""
    truth_params: Mapping[str, JSON] = field(default_factory=dict)
    """That judge's settings."""
    has_options: bool = False
    """Whether a spec's `options` and setting, and the run's seed, make different judges of it."""
    further_materials: tuple[str, ...] = ()
    """Rubric files that it goes by beside its prompt."""

    @property
    def materials(self) -> tuple[str, ...]:
        """Rubric files that it goes by."""
        return (self.prompt, *self.further_materials)

    def open(
        self,
        asked: Asked,
        materials: Mapping[str, str],
        *,
        options: Mapping[str, JSON] | None = None,
        setting: str | None = None,
        seed: int = 1,
    ) -> ModelJudge:
        """The judge that asks this model, going by these texts.

        Raises UsageError, with the key, its value and what is allowed, for `options` that the
        task does not take.
        """
        judge = self._opened(asked, materials, options or {}, setting, seed)
        if asked.is_simulated and "first_gain" in asked.extra_body and judge.pairing is None:
            raise UsageError(
                "extra_body.first_gain: at a judge that is shown one text at a time; allowed: at a"
                " judge of rubric with options.paired = true"
            )
        return judge

    def _opened(
        self,
        asked: Asked,
        materials: Mapping[str, str],
        options: Mapping[str, JSON],
        setting: str | None,
        seed: int,
    ) -> ModelJudge:
        module, name = self.place.split(":")
        if self.has_options:
            opened: ModelJudge = getattr(import_module(module), name)(
                asked,
                materials,
                prompt=self.prompt,
                options=options,
                setting=setting,
                seed=seed,
            )
            return opened
        for key in options:
            raise UsageError(f"options.{key}: unknown key; allowed: none at a judge of {self.task}")
        reading: AnyReading = getattr(import_module(module), name)()
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
    ModelTask(
        protocol="spatial.planning",
        task="rationale",
        place="agents.judges.model.rationale:RationaleReading",
        prompt="spatial/rationale_judge.toml",
        truth="cues",
    ),
    ModelTask(
        protocol="spatial.profiling",
        task="tendency",
        place="agents.judges.model.tendency:TendencyReading",
        prompt="spatial/tendency_judge.toml",
        truth="rules",
    ),
    ModelTask(
        protocol="spatial.construction",
        task="agency",
        place="agents.judges.model.agency:AgencyReading",
        prompt="spatial/agency_judge.toml",
        # The judge by rules needs a model of a language, which may not be installed.
        truth="cues",
    ),
    ModelTask(
        protocol="spatial.construction",
        task="role",
        place="agents.judges.model.role:open_judge",
        prompt="spatial/role_judge.toml",
        truth="cues",
        has_options=True,
        further_materials=("spatial/roles.toml",),
    ),
    ModelTask(
        protocol="stories",
        task="name",
        place="agents.judges.model.name:NameReading",
        prompt="stories/name_judge.toml",
        truth="rules",
        # A simulated judge may not hang on what happens to be installed.
        truth_params={"spacy_model": "none"},
    ),
    ModelTask(
        protocol="regional.stereotype",
        task="rating",
        place="agents.judges.model.rating:RatingReading",
        prompt="regional/rating_judge.toml",
        truth="rules",
    ),
    ModelTask(
        protocol="grap",
        task="rubric",
        place="agents.judges.model.rubric:open_judge",
        prompt="grap/rubric_judge.toml",
        truth="lexicon",
        has_options=True,
        further_materials=("grap/rubric.toml", "grap/contrast.toml", "grap/names.csv"),
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
