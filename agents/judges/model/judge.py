"""A judge that is a model: everything that its annotations depend on, and what it is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from agents.judges.model.prompt import JudgePrompt
from agents.judges.model.reading import AnyReading
from auditor.types import JSON, Message

_VERSION = 1
"""Of the words and steps that all judges share (fence, output retries)."""
OUTPUT_RETRIES = 2
"""Times that a judge is asked again after an output that does not fit."""
WAYS = {"native": "native", "tool": "tool", "prompted": "none"}
"""How a spec names the ways to ask for a schema, to how requests name them."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The model that judges, as the spec names it."""

    provider: str
    model: str
    params: Mapping[str, JSON] = field(default_factory=dict)
    extra_body: Mapping[str, JSON] = field(default_factory=dict)
    output: str | None = None
    """A key of WAYS; None: as the model's profile says."""

    @property
    def is_simulated(self) -> bool:
        """Whether it answers in this process."""
        return self.provider == "sim"


@dataclass(frozen=True, kw_only=True)
class ModelJudge:
    """One model at one task of one protocol."""

    protocol: str
    asked: Asked
    prompt: JudgePrompt
    reading: AnyReading

    @property
    def task(self) -> str:
        """The task that it annotates."""
        return self.reading.task

    @cached_property
    def schema(self) -> Mapping[str, JSON]:
        """JSON schema of its output."""
        return {**self.reading.output.model_json_schema(), "description": self.prompt.output}

    @property
    def configuration(self) -> Mapping[str, JSON]:
        """All that its annotations depend on. Base URL, key and limits are no part of it."""
        return {
            "judge": "model",
            "version": [_VERSION, self.reading.version],
            "model": f"{self.asked.provider}:{self.asked.model}",
            "params": dict(self.asked.params),
            "extra_body": dict(self.asked.extra_body),
            "output": self.asked.output or "auto",
            "output_retries": OUTPUT_RETRIES,
            "schema": dict(self.schema),
            "prompt": dict(self.prompt.as_json()),
        }

    def messages(self, text: str) -> tuple[Message, ...]:
        """The first question about a text."""
        return (
            Message("system", self.prompt.instructions),
            Message("user", self.prompt.question(text)),
        )
