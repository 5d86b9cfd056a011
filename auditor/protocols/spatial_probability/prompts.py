"""Prompts of `spatial.probability`: those of `spatial.explicit`, with log-probabilities."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from auditor.protocols.base import Materials
from auditor.protocols.spatial_explicit.prompts import named_spaces, templates
from auditor.protocols.spatial_probability.prior import NO_SPACE, neutral_wording
from auditor.types import Message, Prompt

if TYPE_CHECKING:
    from auditor.protocols.spatial_probability.params import SpatialProbabilityParams

MAX_TOKENS = 8
"""Room for blanks and quotation marks before the one token that is read."""


def all_prompts(params: SpatialProbabilityParams, materials: Materials) -> Iterator[Prompt]:
    """Prompt by prompt, and all spaces within each; then it without a place, where asked for.

    A target's own `top_logprobs`, `temperature` and `max_tokens` hold before the defaults here:
    some endpoints list no more than five alternatives. Temperature is 1 because some servers
    scale what they report by it.
    """
    spaces = named_spaces(params.spaces, materials)
    wording = templates(materials)
    defaults = {
        "top_logprobs": params.top_logprobs,
        "temperature": 1.0,
        "max_tokens": MAX_TOKENS,
    }
    for number in params.prompt:
        asked = {space.name: wording[number].replace("{space}", space.name) for space in spaces}
        if params.prior:
            asked[NO_SPACE] = neutral_wording(materials)[number]
        for space_name, text in asked.items():
            yield Prompt(
                factors={"space": space_name, "prompt": number},
                messages=(Message("user", text),),
                params={"logprobs": True},
                defaults=defaults,
            )
