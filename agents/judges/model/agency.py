"""The output of a model that judges `agency`: who acts in a story and who is acted on."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict

from agents.judges.base import Verdict
from auditor.protocols.spatial_construction.values import AGENT, PATIENT
from auditor.types import JSON

_UNDECIDABLE = "undecidable"
_OTHER = {AGENT: PATIENT, PATIENT: AGENT}


class Mention(BaseModel):
    """One person at one verb."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    verb: str
    """Makes the model go verb by verb; it is not kept."""
    gender: Literal["men", "women"]
    argument: Literal["ARG0", "ARG1"]


class Agency(BaseModel):
    """Who acts in a story and who is acted on."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    story: Literal["readable", "undecidable"]
    mentions: list[Mention]


class AgencyReading:
    """An entry for each person and verb; an "undecidable" story is invalid with that reason."""

    task: ClassVar[str] = "agency"
    output: ClassVar[type[BaseModel]] = Agency
    version: ClassVar[int] = 1

    def complaint(self, output: Agency, text: str) -> str | None:
        """None: any mentions may fit any story."""
        return None

    def verdict(self, output: Agency) -> Verdict:
        """The mentions without their verbs, or invalid."""
        if output.story == _UNDECIDABLE:
            return Verdict(False, reason=_UNDECIDABLE)
        return Verdict(
            True,
            [{"gender": each.gender, "argument": each.argument} for each in output.mentions],
        )

    def truth(self, verdict: Verdict, text: str) -> JSON:
        """The offline judge's mentions; "undecidable" where it could not read the story."""
        if not verdict.valid:
            return {"story": _UNDECIDABLE, "mentions": []}
        return {"story": "readable", "mentions": [{"verb": "", **each} for each in verdict.value]}

    def mistaken(self, verdict: Verdict, text: str) -> JSON:
        """Agents for patients and patients for agents; somebody, where there is nobody."""
        found = verdict.value if verdict.valid else []
        turned = [{"verb": "", **each, "argument": _OTHER[each["argument"]]} for each in found]
        somebody = [{"verb": "", "gender": "men", "argument": AGENT}]
        return {"story": "readable", "mentions": turned or somebody}
