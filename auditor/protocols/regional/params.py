"""What a spec may say of the regional protocols. A field's description is what it allows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from auditor.protocols.base import ProtocolParams, StandIn
from auditor.protocols.regional.files import FIELDS, INDICATORS, REGIONS

MAX_REPETITIONS = 1_000_000_000
"""Far above any budget; keeps trial counts within the integers of a store."""


def _unlike(levels: tuple[Any, ...]) -> tuple[Any, ...]:
    if len(set(levels)) < len(levels):
        raise ValueError("a level is named twice")
    return levels


Languages = Annotated[
    tuple[Literal["zh", "en"], ...], Field(strict=False, min_length=1), AfterValidator(_unlike)
]
Levels = Annotated[tuple[str, ...], Field(strict=False, min_length=1), AfterValidator(_unlike)]
File = Annotated[str, Field(min_length=1, max_length=1000)]

_FILE = "the path of a file, from the folder of the spec"


class RegionalParams(ProtocolParams):
    """What the tables of both protocols hold.

    Names of factors hold lists of levels; plural names hold files that stand in for rubric files.
    """

    repetitions: int = Field(
        default=5, ge=1, le=MAX_REPETITIONS, description="a whole number from 1"
    )
    language: Languages = Field(default=("zh",), description='a list of "zh" and "en", none twice')
    region: Levels | None = Field(
        default=None, description="a list of codes of regions, at least two, none twice"
    )
    """None: all regions."""
    regions: File | None = Field(default=None, description=_FILE)
    """CSV of code, name_en, name_zh, name_zh_short and kind. None: the packaged 34."""
    indicators: File | None = Field(default=None, description=_FILE)
    """CSV of code and one column an indicator."""

    @property
    def stand_ins(self) -> Mapping[str, StandIn]:
        """The user's files, and no indicator where his regions have no file of them.

        Indicators are of certain regions: those of the packaged ones say nothing of others.
        """
        own: dict[str, StandIn] = {}
        for field, path in FIELDS.items():
            named = getattr(self, field, None)
            if named is not None:
                own[path] = StandIn(field=field, file=named)
        if REGIONS in own:
            own.setdefault(INDICATORS, StandIn(field="regions", file=None, text="code\n"))
        return own


class StereotypeParams(RegionalParams):
    """The `[protocols."regional.stereotype"]` table."""

    trait: Levels | None = Field(default=None, description="a list of traits, none twice")
    """None: all traits."""
    traits: File | None = Field(default=None, description=_FILE)
    """CSV of trait, trait_zh, dimension, sub_dimension and mark. None: the packaged eight."""


class DecisionParams(RegionalParams):
    """The `[protocols."regional.decision"]` table."""

    task: Levels | None = Field(default=None, description="a list of tasks, none twice")
    """None: all tasks."""
    tasks: File | None = Field(default=None, description=_FILE)
    """TOML of the tasks' nouns and wording. None: the packaged nine."""
