"""The dimensions of the rubric as parts of a value, which people may score as judges do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.protocols.base import Materials, Numbers, Part
from auditor.protocols.grap.rubric import ALL, LEVELS, rubric

if TYPE_CHECKING:
    from auditor.protocols.grap.params import GrapParams

SCORES = Numbers(low=0.0, high=1.0, near=0.1)
"""A tenth is less than half the way from one anchor to the next."""


def dimension_parts(materials: Materials, params: GrapParams | None) -> tuple[Part, ...]:
    """All dimensions in the rubric's order; asked for are those of the presets of the spec.

    All of them where the rubric has none of these presets; without a spec the preset is F.
    """
    from auditor.protocols.grap.params import GrapParams

    known = rubric(materials, params)
    presets = [name for name in (params or GrapParams()).preset if name in known.presets] or [ALL]
    asked = {key for name in presets for key in known.presets[name]}
    return tuple(
        Part(
            name=dimension.key,
            title=dimension.title,
            definition=dimension.definition,
            anchors=dict(zip(LEVELS, dimension.anchors, strict=True)),
            is_asked=dimension.key in asked,
        )
        for dimension in known.dimensions.values()
    )
