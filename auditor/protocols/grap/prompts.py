"""Prompts of `grap`: each pair's instruction, asked once by each level of the contrast."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from auditor.protocols.base import Materials
from auditor.protocols.grap.contrast import PLACES, Contrast, contrast
from auditor.protocols.grap.instructions import instructions
from auditor.protocols.grap.names import name_pairs
from auditor.protocols.grap.pairs import Pair, pairs
from auditor.types import Message, Prompt

if TYPE_CHECKING:
    from auditor.protocols.grap.params import GrapParams

_PLACE = re.compile("|".join(map(re.escape, PLACES)))


def all_prompts(params: GrapParams, materials: Materials, seed: int) -> Iterator[Prompt]:
    """Two prompts a pair, the contrast's first level first; pair after pair.

    Raises UsageError for files that are wrong (see their readers).
    """
    known = contrast(materials, params)
    drawn = pairs(
        params.pairs, seed, instructions(materials, params), name_pairs(materials, params)
    )
    for pair in drawn:
        for level in known.levels:
            yield Prompt(
                factors={"pair": pair.number, "gender": level},
                messages=(Message("user", wording(pair, level, known)),),
            )


def wording(pair: Pair, level: str, known: Contrast) -> str:
    """What one side of a pair says."""
    parts = {
        "{name}": pair.names.names[level],
        "{word}": known.words[level],
        "{instruction}": pair.instruction.text,
    }
    # One pass, so that braces in an instruction are not read as places.
    return _PLACE.sub(lambda place: parts[place[0]], known.prompt)
