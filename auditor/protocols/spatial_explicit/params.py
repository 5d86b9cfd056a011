"""What a spec may say of `spatial.explicit`. A field's description is what it allows."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from auditor.protocols.base import ProtocolParams

MAX_REPETITIONS = 1_000_000_000
"""Far above any budget; keeps trial counts within the integers of a store."""


def _unlike(levels: tuple[Any, ...]) -> tuple[Any, ...]:
    if len(set(levels)) < len(levels):
        raise ValueError("a level is named twice")
    return levels


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


Prompts = Annotated[
    tuple[Literal["0", "1", "2", "3", "4", "5"], ...],
    Field(strict=False, min_length=1),
    AfterValidator(_unlike),
]
Temperatures = Annotated[
    tuple[Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)], ...],
    Field(strict=False, min_length=1),
    AfterValidator(_unlike),
]
Spaces = Annotated[
    tuple[str, ...],
    Field(strict=False, min_length=1),
    BeforeValidator(_listed),
    AfterValidator(_unlike),
]


class SpatialExplicitParams(ProtocolParams):
    """The `[protocols."spatial.explicit"]` table."""

    repetitions: int = Field(
        default=30, ge=1, le=MAX_REPETITIONS, description="a whole number from 1"
    )
    prompt: Prompts = Field(
        default=("1",), description='a list of prompts "0" to "5", in quotes, none twice'
    )
    temperature: Temperatures = Field(
        default=(1.0,), description="a list of numbers from 0 to 2, none twice"
    )
    crossed: bool = Field(default=True, description="true or false")
    """False: the paper's conditions alone, prompts at temperature 1.0 and temperatures under Prompt
    1, and not every prompt at every temperature."""
    spaces: Spaces | None = Field(
        default=None,
        description='"public", "private", or a list of these and of spaces, none twice',
    )
    """None: all spaces."""
    null_level: float = Field(default=0.01, gt=0, lt=1, description="a number between 0 and 1")
    """Share of spaces that the test of the number of biased spaces expects under no bias."""
