"""What a spec may say of `grap`. A field's description is what it allows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from auditor.protocols.base import ProtocolParams, StandIn
from auditor.protocols.grap.files import FIELDS

MAX_PAIRS = 100_000_000
MAX_REPETITIONS = 1_000_000_000
"""Far above any budget; keeps trial counts within the integers of a store."""


def _unlike(levels: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(levels)) < len(levels):
        raise ValueError("a preset is named twice")
    return levels


def _each_once(choices: tuple[bool, ...]) -> tuple[bool, ...]:
    if len(set(choices)) < len(choices):
        raise ValueError("a choice stands twice")
    return choices


Presets = Annotated[tuple[str, ...], Field(strict=False, min_length=1), AfterValidator(_unlike)]
Intercepts = Annotated[
    tuple[bool, ...], Field(strict=False, min_length=1, max_length=2), AfterValidator(_each_once)
]
File = Annotated[str, Field(min_length=1, max_length=1000)]

_FILE = "the path of a file, from the folder of the spec"


class GrapParams(ProtocolParams):
    """The `[protocols.grap]` table."""

    pairs: int = Field(default=1000, ge=1, le=MAX_PAIRS, description="a whole number from 1")
    """Pairs of prompts: one instruction, asked once by each level of the contrast."""
    repetitions: int = Field(
        default=1, ge=1, le=MAX_REPETITIONS, description="a whole number from 1"
    )
    preset: Presets = Field(
        default=("F",), description="a list of presets of the rubric, none twice"
    )
    """Sets of dimensions for which the probe is fitted."""
    intercept: Intercepts = Field(default=(True,), description="[true], [false] or [true, false]")
    """Whether the probe has an intercept; both: one probe each."""
    variant: Literal["paper"] | None = Field(default=None, description='"paper"')
    """Adds the authors' own way of splitting pairs and of dropping those that fit worst."""
    instructions: File | None = Field(default=None, description=_FILE)
    """JSON lines of instruction and domain. None: the packaged ones."""
    names: File | None = Field(default=None, description=_FILE)
    """CSV of group and names. None: the packaged ones."""
    contrast: File | None = Field(default=None, description=_FILE)
    """TOML of two levels, their words and the prompt. None: gender."""
    rubric: File | None = Field(default=None, description=_FILE)
    """TOML of dimensions and presets. None: the packaged 20 dimensions."""

    @property
    def stand_ins(self) -> Mapping[str, StandIn]:
        """The user's files by the rubric files that they replace."""
        named = {field: getattr(self, field) for field in FIELDS}
        return {
            FIELDS[field]: StandIn(field=field, file=file)
            for field, file in named.items()
            if file is not None
        }
