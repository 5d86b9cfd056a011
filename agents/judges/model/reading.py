"""What a task adds to a judge that is a model: the form of its output, and what that means."""

from __future__ import annotations

from typing import Any, ClassVar, Generic, Protocol, TypeVar

from pydantic import BaseModel

from agents.judges.base import Verdict
from auditor.types import JSON

Output_contra = TypeVar("Output_contra", bound=BaseModel, contravariant=True)


class Reading(Protocol, Generic[Output_contra]):
    """The typed output of one task. It keeps no state; one file a task.

    The first option that the output's schema lists is what a simulated judge with an order
    preference takes.
    """

    task: ClassVar[str]
    version: ClassVar[int]
    """Raised whenever an equal output would mean another verdict."""

    @property
    def output(self) -> type[BaseModel]:
        """Closed (`extra="forbid"`), every field required: the terms of strict schemas."""
        ...

    def complaint(self, output: Output_contra, text: str) -> str | None:
        """None, or why an output that fits the schema does not fit the text: it is asked again.

        A fixed phrase of ours that quotes neither text nor output: it goes back to the judge
        outside the fence.
        """
        ...

    def verdict(self, output: Output_contra) -> Verdict:
        """The annotation that an output means."""
        ...

    def truth(self, verdict: Verdict, text: str) -> JSON:
        """The output that an offline judge's verdict on a text stands for: right for `sim:`."""
        ...

    def mistaken(self, verdict: Verdict, text: str) -> JSON:
        """An output that fits the text and is wrong: what `sim:` says by mistake.

        None where any other value of the schema will do.
        """
        ...


AnyReading = Reading[Any]
