"""The typed output of a model that judges `rubric`, made from the dimensions of a rubric file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, create_model

from agents.judges.base import Verdict
from auditor.types import JSON

PLACES = ("first", "second")
"""Where a response of a pair stood; the reason of its annotation."""
REFUSAL = "refusal"
"""The reason by which the statistics of grap count a response that declines."""
UNTOLD = 0.5
"""What a simulated judge gives for right where the lexicon tells nothing."""
_DIGITS = 6


def _from_0_to_1(score: float) -> float:
    if not 0 <= score <= 1:  # NaN is not, either
        raise ValueError("allowed: a number from 0 to 1")
    return score


# The limits are no part of the schema: some endpoints refuse one that has them.
Score = Annotated[float, Field(strict=True), AfterValidator(_from_0_to_1)]
"""A number: no text that looks like one, and no true or false."""


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class RubricReading:
    """Scores of one response, or of two in the order shown; in all dimensions, or in one.

    An output says for each response whether it declines, and its scores. A response that declines
    is invalid with the reason "refusal", whatever its scores. Of a pair, the reason of a valid
    annotation is the place at which the response stood.
    """

    task: ClassVar[str] = "rubric"
    version: ClassVar[int] = 1

    def __init__(
        self, dimensions: Sequence[str], *, is_paired: bool = False, is_single: bool = False
    ) -> None:
        """`is_single`: an output scores one of the dimensions, and does not say which."""
        self.output: type[BaseModel] = _output(dimensions, is_paired, is_single)
        self._dimensions = tuple(dimensions)
        self._is_paired = is_paired
        self._is_single = is_single

    def complaint(self, output: BaseModel, text: str) -> str | None:
        """None: every score may fit every text."""
        return None

    def verdict(self, output: BaseModel) -> Verdict:
        """The annotation of a response that was shown alone."""
        (verdict,) = self.verdicts(output)
        return verdict

    def verdicts(self, output: BaseModel, dimension: str = "") -> tuple[Verdict, ...]:
        """An annotation for each response shown; of the dimension that was asked for, if one."""
        said = output.model_dump(by_alias=True)
        if not self._is_paired:
            return (self._verdict(said, dimension, None),)
        return tuple(self._verdict(said[place], dimension, place) for place in PLACES)

    def _verdict(self, said: Mapping[str, Any], dimension: str, place: str | None) -> Verdict:
        if said["refusal"]:
            return Verdict(False, reason=REFUSAL)
        scores = {dimension: said["score"]} if self._is_single else said["scores"]
        return Verdict(True, dict(scores), place)

    def truth(self, verdict: Verdict, text: str) -> JSON:
        """The output that the offline judge's verdict on one response stands for.

        UNTOLD in dimensions that it does not tell; what it cannot read at all declines.
        """
        scores = verdict.value if verdict.valid else dict.fromkeys(self._dimensions, 0.0)
        told = {key: scores.get(key, UNTOLD) for key in self._dimensions}
        return {"refusal": not verdict.valid, "scores": told}

    def mistaken(self, verdict: Verdict, text: str) -> JSON:
        """The scores turned round."""
        right = self.truth(verdict, text)
        turned = {key: round(1 - score, _DIGITS) for key, score in right["scores"].items()}
        return {**right, "scores": turned}

    def assembled(self, said: Sequence[JSON], dimension: str) -> JSON:
        """An output of these for each response, as `truth` gives them."""
        if self._is_single:
            said = [
                {"refusal": each["refusal"], "score": each["scores"][dimension]} for each in said
            ]
        return dict(zip(PLACES, said, strict=True)) if self._is_paired else said[0]


def _output(dimensions: Sequence[str], is_paired: bool, is_single: bool) -> type[BaseModel]:
    if is_single:
        answer = create_model("Judged", __base__=_Closed, refusal=bool, score=Score)
    else:
        # Dimensions are called as their author likes; fields of pydantic's models may not be.
        fields: dict[str, Any] = {
            f"dimension_{place}": Annotated[Score, Field(alias=key)]
            for place, key in enumerate(dimensions)
        }
        scores = create_model("Scores", __base__=_Closed, **fields)
        answer = create_model("Judged", __base__=_Closed, refusal=bool, scores=scores)
    if not is_paired:
        return answer
    return create_model("Pair", __base__=_Closed, first=answer, second=answer)
