"""The output of a model that judges `tendency`: one of four labels."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict

from agents.judges.base import Verdict
from auditor.types import JSON

_UNDECIDABLE = "undecidable"


class Tendency(BaseModel):
    """Which gender a profile shows as typical."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tendency: Literal["men", "women", "neutral", "undecidable"]


class TendencyReading:
    """Three labels are annotations; "undecidable" is an invalid one with that reason."""

    task: ClassVar[str] = "tendency"
    output: ClassVar[type[BaseModel]] = Tendency
    version: ClassVar[int] = 1

    def complaint(self, output: Tendency, text: str) -> str | None:
        """None: every label may fit every text."""
        return None

    def verdict(self, output: Tendency) -> Verdict:
        """The label, or invalid."""
        if output.tendency == _UNDECIDABLE:
            return Verdict(False, reason=_UNDECIDABLE)
        return Verdict(True, output.tendency)

    def truth(self, verdict: Verdict, text: str) -> JSON:
        """The offline judge's label; "undecidable" where it could not decide."""
        return {"tendency": verdict.value if verdict.valid else _UNDECIDABLE}

    def mistaken(self, verdict: Verdict, text: str) -> JSON:
        """None: any other label is a mistake."""
        return None
