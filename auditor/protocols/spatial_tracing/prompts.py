"""Prompts of `spatial.tracing`: the questions of `spatial.explicit`, each with either answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from auditor.protocols.base import Materials
from auditor.protocols.spatial_explicit.prompts import named_spaces, templates
from auditor.types import Message, Prompt

if TYPE_CHECKING:
    from auditor.protocols.spatial_tracing.params import SpatialTracingParams

LABELS = ("men", "women")
"""Answers that are scored, as they stand in the questions."""


def all_prompts(params: SpatialTracingParams, materials: Materials) -> Iterator[Prompt]:
    """Prompt by prompt, all spaces within each, and both answers at each space.

    The last turn is the assistant's: the answer whose score is asked for, whatever the model
    would have said.
    """
    spaces = named_spaces(params.spaces, materials)
    wording = templates(materials)
    for number in params.prompt:
        for space in spaces:
            question = Message("user", wording[number].replace("{space}", space.name))
            for label in LABELS:
                yield Prompt(
                    factors={"space": space.name, "label": label, "prompt": number},
                    messages=(question, Message("assistant", label)),
                    params={"score": True},
                )
