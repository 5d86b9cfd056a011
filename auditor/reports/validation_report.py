"""What comes out of a validation, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from auditor.reports.comparing import Comparison
from auditor.reports.labels import LabelProblem
from auditor.reports.scales import Scale
from auditor.statistics.estimates import Estimate
from auditor.types import JSON


@dataclass(frozen=True, kw_only=True, slots=True)
class PartValidation:
    """How the raters of one task agree, on whole values or on one part of them."""

    part: str | None
    scale: Scale
    reconciled: int
    """Labels of people that were reconciled."""
    no_majority: int
    """Labelled items on which people have no common word."""
    annotators_alpha: Estimate | None
    """Krippendorff's alpha of all annotators together; None for fewer than two."""
    comparisons: tuple[Comparison, ...]

    def as_json(self) -> dict[str, JSON]:
        """The fields by name."""
        alpha = self.annotators_alpha
        return {
            "part": self.part,
            "scale": str(self.scale),
            "reconciled": self.reconciled,
            "no_majority": self.no_majority,
            "annotators_alpha": None if alpha is None else alpha.as_json(),
            "comparisons": [comparison.as_json() for comparison in self.comparisons],
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskValidation:
    """One task of one protocol."""

    protocol: str
    task: str
    items: int
    """Responses with a label."""
    annotators: Mapping[str, int]
    """Labels by annotator; reconciled ones are none's."""
    simulated: bool
    parts: tuple[PartValidation, ...]

    def as_json(self) -> dict[str, JSON]:
        """The fields by name."""
        return {
            "protocol": self.protocol,
            "task": self.task,
            "items": self.items,
            "annotators": dict(self.annotators),
            "simulated": self.simulated,
            "parts": [part.as_json() for part in self.parts],
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class ValidationReport:
    """What people's labels say of a store's judges."""

    run: str
    files: tuple[str, ...]
    taken: int
    """Labels that fit."""
    blank: int
    """Lines whose label is not filled in."""
    repeated: int
    """Lines that say again what an earlier one says."""
    other_tasks: int
    """Lines of tasks that were not asked for."""
    problems: tuple[LabelProblem, ...]
    """Lines that could not be taken."""
    resamples: int
    tasks: tuple[TaskValidation, ...]

    @property
    def exit_code(self) -> int:
        """1 where a line could not be taken, else 0."""
        return 1 if self.problems else 0

    def as_json(self) -> dict[str, JSON]:
        """What `validate --json` prints."""
        return {
            "run": self.run,
            "files": list(self.files),
            "taken": self.taken,
            "blank": self.blank,
            "repeated": self.repeated,
            "other_tasks": self.other_tasks,
            "rejected": len(self.problems),
            "rejections": [problem.as_json() for problem in self.problems],
            "resamples": self.resamples,
            "simulated": any(task.simulated for task in self.tasks),
            "tasks": [task.as_json() for task in self.tasks],
        }
