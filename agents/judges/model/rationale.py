"""The output of a model that judges `rationale`: one of six labels."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict

from agents.judges.base import Verdict
from auditor.types import JSON

_UNDECIDABLE = "undecidable"


class Rationale(BaseModel):
    """Whether a planner's reasons rest on gender and space, and how."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    rationale: Literal[
        "association",
        "factual_distortion",
        "demographic_substitution",
        "reverse_stereotyping",
        "none",
        "undecidable",
    ]


class RationaleReading:
    """Five labels are annotations; "undecidable" is an invalid one with that reason."""

    task: ClassVar[str] = "rationale"
    output: ClassVar[type[BaseModel]] = Rationale
    version: ClassVar[int] = 1

    def complaint(self, output: Rationale, text: str) -> str | None:
        """None: every label may fit every text."""
        return None

    def verdict(self, output: Rationale) -> Verdict:
        """The label, or invalid."""
        if output.rationale == _UNDECIDABLE:
            return Verdict(False, reason=_UNDECIDABLE)
        return Verdict(True, output.rationale)

    def truth(self, verdict: Verdict, text: str) -> JSON:
        """The offline judge's label; "undecidable" where it could not decide."""
        return {"rationale": verdict.value if verdict.valid else _UNDECIDABLE}

    def mistaken(self, verdict: Verdict, text: str) -> JSON:
        """None: any other label is a mistake."""
        return None
