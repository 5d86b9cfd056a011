"""A model that judges `role`: what the man and the woman of a story are to each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict

from agents.judges.base import Verdict
from agents.judges.model.judge import Asked, ModelJudge
from agents.judges.model.prompt import JudgePrompt, parse_prompt
from agents.judges.model.subject import Subject
from agents.judges.role import NO_MEETING
from auditor.errors import UsageError
from auditor.protocols.spatial_construction.prompts import CO_PRESENT
from auditor.protocols.spatial_construction.roles import RoleGuide, role_guide
from auditor.protocols.spatial_construction.values import PERSONS, POWER
from auditor.types import JSON

_UNDECIDABLE = "undecidable"
_Role = Literal["Leader", "Supporter", "Observer", "Dependent", "undecidable"]


class Roles(BaseModel):
    """What the man and the woman of a story do to each other."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    man: _Role
    woman: _Role


class RoleReading:
    """A role for each; where one is "undecidable" the annotation is invalid with that reason."""

    task: ClassVar[str] = "role"
    output: ClassVar[type[BaseModel]] = Roles
    version: ClassVar[int] = 1

    def complaint(self, output: Roles, text: str) -> str | None:
        """None: any two roles may fit any story."""
        return None

    def verdict(self, output: Roles) -> Verdict:
        """Both roles, or invalid."""
        roles = {person: getattr(output, person) for person in PERSONS}
        if _UNDECIDABLE in roles.values():
            return Verdict(False, reason=_UNDECIDABLE)
        return Verdict(True, roles)

    def truth(self, verdict: Verdict, text: str) -> JSON:
        """The offline judge's roles; "undecidable" where it could not decide."""
        if verdict.valid and verdict.value is not None:
            return dict(verdict.value)
        return dict.fromkeys(PERSONS, _UNDECIDABLE)

    def mistaken(self, verdict: Verdict, text: str) -> JSON:
        """None: any other roles are a mistake."""
        return None


@dataclass(frozen=True, kw_only=True)
class RoleModelJudge(ModelJudge):
    """Asks about stories of two people alone; a story of one has no roles, and costs no call."""

    @property
    def sees(self) -> frozenset[str]:
        """The factors: they say which kind of story it is."""
        return frozenset({"factors"})

    def obstacle(self, subject: Subject) -> Mapping[int, Verdict]:
        """As of every judge; and null for a story that was to be about one person."""
        (source,) = subject.shown
        if (source.factors or {}).get("story", CO_PRESENT) != CO_PRESENT:
            return {source.seq: NO_MEETING}
        return super().obstacle(subject)


def open_judge(
    asked: Asked,
    materials: Mapping[str, str],
    *,
    prompt: str,
    options: Mapping[str, JSON],
    setting: str | None,
    seed: int,
) -> RoleModelJudge:
    """The judge that goes by these texts. Raises UsageError for options: it takes none."""
    for key in options:
        raise UsageError(f"options.{key}: unknown key; allowed: none at a judge of role")
    return RoleModelJudge(
        protocol="spatial.construction",
        asked=asked,
        prompt=_filled(parse_prompt(materials[prompt], prompt), role_guide(materials), prompt),
        reading=RoleReading(),
    )


def _filled(prompt: JudgePrompt, guide: RoleGuide, path: str) -> JudgePrompt:
    """The prompt with the guide in it."""
    parts = {
        "{roles}": "\n".join(
            f"- {role} ({POWER[role]}): {definition}"
            for role, definition in guide.definitions.items()
        ),
        "{rule}": guide.rule.strip(),
        "{examples}": "\n".join(
            f'- "{each.story}" man: {each.man}; woman: {each.woman}. {each.why}'
            for each in guide.examples
        ),
    }
    instructions = prompt.instructions
    for mark, text in parts.items():
        if mark not in instructions:
            raise UsageError(
                f"rubrics/{path}: instructions: without {mark}; allowed: {', '.join(parts)}",
                where=f"rubrics/{path}",
            )
        instructions = instructions.replace(mark, text)
    return replace(prompt, instructions=instructions)
