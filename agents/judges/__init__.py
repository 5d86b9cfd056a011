"""Judges that need no network, one file a task, by (protocol, task, name)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module

from agents.judges.base import AnyJudge, BatchJudge, TextJudge, Verdict
from auditor.errors import UsageError
from auditor.types import JSON

__all__ = [
    "AnyJudge",
    "BatchJudge",
    "OfflineJudge",
    "TextJudge",
    "Verdict",
    "names",
    "offline",
    "table",
]


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
    takes_params: bool = False
    """Whether its class is given the spec's `params` after those texts."""

    def open(
        self, materials: Mapping[str, str], params: Mapping[str, JSON] | None = None
    ) -> AnyJudge:
        """The judge, going by these texts and by the spec's `params` for it.

        Raises UsageError, with the key, its value and what is allowed, for params that are none.
        """
        if params and not self.takes_params:
            key = next(iter(params))
            raise UsageError(f"params.{key}: unknown key; allowed: none at {self.name!r}")
        module, class_name = self.place.split(":")
        texts = [materials[path] for path in self.materials]
        make = getattr(import_module(module), class_name)
        judge: AnyJudge = make(*texts, params or {}) if self.takes_params else make(*texts)
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
    OfflineJudge(
        protocol="stories",
        task="name",
        name="rules",
        summary="reads the protagonist's name by rules, and asks spaCy where they can't decide",
        place="agents.judges.name:NameJudge",
        materials=("stories/name_rules.toml",),
        takes_params=True,
    ),
    OfflineJudge(
        protocol="stories",
        task="gender",
        name="nomquamgender",
        summary="how a name is gendered, by the table of names of nomquamgender",
        place="agents.judges.gender:GenderJudge",
        materials=("stories/gender_rules.toml",),
        takes_params=True,
    ),
    OfflineJudge(
        protocol="stories",
        task="pronouns",
        name="rules",
        summary="counts he, she and they from the protagonist's first mention on",
        place="agents.judges.pronouns:PronounJudge",
        materials=("stories/name_rules.toml", "stories/pronoun_rules.toml"),
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
