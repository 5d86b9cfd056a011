"""The table of a spec that a protocol goes by. Loads pydantic, which `status` does without."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from auditor.protocols.base import StandIn


class ProtocolParams(BaseModel):
    """The `[protocols."NAME"]` table of a spec: unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    @property
    def stand_ins(self) -> Mapping[str, StandIn]:
        """What stands in for which rubric files, by their paths; they hold for the whole run."""
        return {}
