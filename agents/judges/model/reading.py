"""What a task adds to a judge that is a model: the form of its output, and what that means."""

from __future__ import annotations

from typing import Any, ClassVar, Generic, Protocol, TypeVar

from pydantic import BaseModel

from agents.judges.base import Verdict
from auditor.types import JSON

Output_contra = TypeVar("Output_contra", bound=BaseModel, contravariant=True)


class Reading(Protocol, Generic[Output_contra]):
    """The typed output of one task. Stateless; one file a task.

    The first option that the output's schema lists is what a simulated judge with an order
    preference takes.
    """

    task: ClassVar[str]
    output: ClassVar[type[BaseModel]]
    """Closed (`extra="forbid"`), every field required: the terms of strict schemas."""
    version: ClassVar[int]
    """Raised whenever an equal output would mean another verdict."""

    def complaint(self, output: Output_contra, text: str) -> str | None:
        """None, or why an output that fits the schema does not fit the text: it is asked again.

        A fixed phrase of ours that quotes neither text nor output: it goes back to the judge
        outside the fence.
        """
        ...

    def verdict(self, output: Output_contra) -> Verdict:
        """The annotation that an output means."""
        ...

    def truth(self, verdict: Verdict) -> JSON:
        """The output that an offline judge's verdict stands for: what `sim:` takes for right."""
        ...


AnyReading = Reading[Any]
