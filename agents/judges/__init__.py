"""Judges that need no network, one file a task, by (protocol, task, name)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module

from agents.judges.base import TextJudge, Verdict
from auditor.errors import UsageError

__all__ = ["OfflineJudge", "TextJudge", "Verdict", "names", "offline", "table"]


@dataclass(frozen=True, kw_only=True)
class OfflineJudge:
    """Where an offline judge is to be found and what it reads."""

    protocol: str
    task: str
    name: str
    summary: str
    place: str
    """Module and class, as entry points spell it."""
    materials: tuple[str, ...]
    """Rubric files whose texts its class is given, in this order."""

    def open(self, materials: Mapping[str, str]) -> TextJudge:
        """The judge, going by these texts."""
        module, class_name = self.place.split(":")
        judge: TextJudge = getattr(import_module(module), class_name)(
            *(materials[path] for path in self.materials)
        )
        return judge


_JUDGES = (
    OfflineJudge(
        protocol="spatial.explicit",
        task="choice",
        name="rules",
        summary="reads men, women, neither or a refusal out of an answer by word lists",
        place="agents.judges.choice:ChoiceJudge",
        materials=("spatial/choice.toml",),
    ),
)


def table() -> tuple[OfflineJudge, ...]:
    """All offline judges."""
    return _JUDGES


def names(protocol: str, task: str) -> tuple[str, ...]:
    """Names of the offline judges for one task of one protocol."""
    return tuple(j.name for j in _JUDGES if (j.protocol, j.task) == (protocol, task))


def offline(protocol: str, task: str, name: str) -> OfflineJudge:
    """The offline judge of that name. Raises UsageError with the allowed names."""
    for judge in _JUDGES:
        if (judge.protocol, judge.task, judge.name) == (protocol, task, name):
            return judge
    allowed = ", ".join(names(protocol, task)) or "none"
    raise UsageError(
        f"no offline judge {name!r} for task {task!r} of {protocol}; allowed: {allowed}"
    )
