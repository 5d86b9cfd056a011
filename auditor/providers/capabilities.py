"""What one model at one endpoint is known to take: the profile that adapters obey."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from auditor.types import JSON, Request


@dataclass(frozen=True, kw_only=True, slots=True)
class Capabilities:
    """Findings about one model. None is unknown, and forbids nothing."""

    token_parameter: str | None = None
    """Name of the output cap on the wire: "max_tokens" or "max_completion_tokens"."""
    one_token_answer: bool | None = None
    """Whether a cap of one token gives text: False where thinking uses the cap up."""
    temperature: bool | None = None
    """Whether a temperature other than 1 is taken."""
    logprobs: bool | None = None
    """Whether log-probabilities come back, not merely whether asking is allowed."""
    top_logprobs: int | None = None
    """How many alternatives came for the first token when five were asked for."""
    choices: bool | None = None
    """Whether n > 1 gives n answers."""
    seed: bool | None = None
    """Whether the field is taken; says nothing about determinism."""
    schema: str | None = None
    """How a JSON schema is asked for: "native", "json_object", "tool" or "none"."""
    reasoning: bool | None = None
    """Whether the model thinks before it answers."""

    def as_json(self) -> dict[str, JSON]:
        """The known fields by name."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value is not None}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Capabilities:
        """The profile that `as_json` gave; names that this version does not know are left out."""
        known = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in values.items() if name in known})

    def refused_parameter(self, request: Request) -> str | None:
        """The first parameter of a request that this model is known not to take, or None."""
        params = request.params
        if self.temperature is False and params.get("temperature") not in (None, 1):
            return "temperature"
        if self.logprobs is False and (params.get("logprobs") or params.get("top_logprobs")):
            return "logprobs"
        if self.seed is False and params.get("seed") is not None:
            return "seed"
        if self.choices is False and request.choices > 1:
            return "choices"
        return None
