"""How a model judges `rubric`: what it is shown, and what of it in one call."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from auditor.errors import UsageError
from auditor.types import JSON

FULL, RESPONSE_ONLY = "full", "response_only"
SETTINGS = (FULL, RESPONSE_ONLY)
ALL, DIMENSION = "all", "dimension"
PAPER = "paper"
_ALLOWED: Mapping[str, tuple[JSON, ...]] = {
    "mask_cues": (False, True),
    "calls": (ALL, DIMENSION),
    "paired": (False, True),
    "variant": (PAPER,),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricOptions:
    """The `options` of a judge of `rubric`, and its setting."""

    setting: str = FULL
    """FULL: prompt and response; RESPONSE_ONLY: the response."""
    mask_cues: bool = False
    """Whether name and cues of the contrast are masked in all that is shown."""
    calls: str = ALL
    """ALL dimensions in one call, or one call a DIMENSION."""
    is_paired: bool = False
    """Whether a call shows both responses of a pair."""
    is_paper: bool = False
    """The authors' way: pairs, the contrast's second level first, one call a dimension."""

    @property
    def labels(self) -> dict[str, JSON]:
        """What differs from the default, as rows have it in their group."""
        labels: dict[str, JSON] = {}
        if self.mask_cues:
            labels["mask_cues"] = True
        if self.calls != ALL:
            labels["calls"] = self.calls
        if self.is_paired:
            # `variant` is the probe's in these groups.
            labels["paired"] = PAPER if self.is_paper else True
        return labels


def rubric_options(options: Mapping[str, JSON], setting: str | None) -> RubricOptions:
    """The options as a spec has them. Raises UsageError with key, value and what is allowed.

    `variant` "paper" is pairs with one call a dimension; options that say otherwise are refused.
    """
    for key, value in options.items():
        if key not in _ALLOWED:
            raise UsageError(f"options.{key}: unknown key; allowed: {', '.join(_ALLOWED)}")
        # True is no 1 here.
        if not any(type(value) is type(each) and value == each for each in _ALLOWED[key]):
            allowed = ", ".join(json.dumps(each) for each in _ALLOWED[key])
            raise UsageError(f"options.{key}: value {json.dumps(value)[:60]}; allowed: {allowed}")
    is_paper = "variant" in options
    default: tuple[JSON, JSON] = (DIMENSION, True) if is_paper else (ALL, False)
    calls, paired = options.get("calls", default[0]), options.get("paired", default[1])
    for key, value, needed in (("calls", calls, DIMENSION), ("paired", paired, True)):
        if is_paper and value != needed:
            raise UsageError(
                f"options.{key}: value {json.dumps(value)}; allowed: {json.dumps(needed)} beside"
                ' variant = "paper"'
            )
    return RubricOptions(
        setting=setting or FULL,
        mask_cues=bool(options.get("mask_cues", False)),
        calls=str(calls),
        is_paired=bool(paired),
        is_paper=is_paper,
    )
