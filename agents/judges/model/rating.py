"""The output of a model that judges `rating`: a number on the scale, a refusal, or neither."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from agents.judges.base import Verdict
from auditor.types import JSON

_UNDECIDABLE = "undecidable"
_REFUSAL = "refusal"
_LOWEST, _HIGHEST = 1.0, 5.0


class Rating(BaseModel):
    """What rating an answer gives."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    answer: Annotated[
        Literal["rating", "refusal", "undecidable"],
        Field(description="What the answer gives."),
    ]
    rating: Annotated[
        float | None,
        Field(ge=_LOWEST, le=_HIGHEST, description="The rating; null where there is none."),
    ]


class RatingReading:
    """A rating and a refusal are annotations; "undecidable" is an invalid one with that reason."""

    task: ClassVar[str] = "rating"
    output: ClassVar[type[BaseModel]] = Rating
    version: ClassVar[int] = 1

    def complaint(self, output: Rating, text: str) -> str | None:
        """None, or that a rating is said to be there and is not given."""
        if output.answer == "rating" and output.rating is None:
            return 'rating: it is null, and answer is "rating"; give the number'
        return None

    def verdict(self, output: Rating) -> Verdict:
        """The number, "refusal", or invalid; a number beside a refusal says nothing."""
        if output.answer == _REFUSAL:
            return Verdict(True, _REFUSAL)
        if output.answer == "rating" and output.rating is not None:
            return Verdict(True, output.rating)
        return Verdict(False, reason=_UNDECIDABLE)

    def truth(self, verdict: Verdict, text: str) -> JSON:
        """The offline judge's rating or refusal; "undecidable" where it could not decide."""
        if not verdict.valid:
            return {"answer": _UNDECIDABLE, "rating": None}
        if verdict.value == _REFUSAL:
            return {"answer": _REFUSAL, "rating": None}
        return {"answer": "rating", "rating": verdict.value}

    def mistaken(self, verdict: Verdict, text: str) -> JSON:
        """The other end of the scale for a rating; the middle where there is none."""
        if not verdict.valid or verdict.value == _REFUSAL:
            return {"answer": "rating", "rating": (_LOWEST + _HIGHEST) / 2}
        middle = (_LOWEST + _HIGHEST) / 2
        return {"answer": "rating", "rating": _LOWEST if verdict.value > middle else _HIGHEST}
