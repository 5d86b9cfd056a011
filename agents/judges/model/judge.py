"""A judge that is a model: everything that its annotations depend on, and what it is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from agents.judges.base import Truth, Verdict
from agents.judges.model.prompt import JudgePrompt
from agents.judges.model.reading import AnyReading
from agents.judges.model.subject import Pairing, Question, Subject
from auditor.canonical import canonical_json
from auditor.store.sources import Source
from auditor.types import JSON, Message, SimulatedAnswer, Simulation

_VERSION = 1
"""Of the words and steps that all judges share (fence, output retries)."""
OUTPUT_RETRIES = 2
"""Times that a judge is asked again after an output that does not fit."""
WAYS = {"native": "native", "tool": "tool", "prompted": "none"}
"""How a spec names the ways to ask for a schema, to how requests name them."""
TOO_LONG = Verdict(False, reason="too long")
NO_PARTNER = Verdict(False, reason="no partner")


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
    """One model at one task of one protocol: it is shown one text and asked one question."""

    protocol: str
    asked: Asked
    prompt: JudgePrompt
    reading: AnyReading

    @property
    def task(self) -> str:
        """The task that it annotates."""
        return self.reading.task

    @property
    def sees(self) -> frozenset[str]:
        """What it is given of a trial beside the text: "factors", "prompt"."""
        return frozenset()

    @property
    def needs_prompt(self) -> bool:
        """Whether it can say nothing of an answer whose prompt is not known."""
        return False

    @property
    def pairing(self) -> Pairing | None:
        """Which two responses it is shown together; None: each by itself."""
        return None

    @property
    def asks_in_parts(self) -> bool:
        """Whether an annotation takes several calls."""
        return False

    @property
    def labels(self) -> Mapping[str, JSON]:
        """What its rows say in their group: how it differs from its default."""
        return {}

    @property
    def truth_params(self) -> Mapping[str, JSON]:
        """Settings of the offline judge that a simulated one takes for right."""
        return {}

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

    # -- asking ------------------------------------------------------------------------------

    def messages(self, text: str) -> tuple[Message, ...]:
        """The first question about a text."""
        return (
            Message("system", self.prompt.instructions),
            Message("user", self.prompt.question(text)),
        )

    def obstacle(self, subject: Subject) -> Mapping[int, Verdict]:
        """The verdict on each source, by sequence number, where nothing is sent; else empty."""
        (source,) = subject.shown
        return {source.seq: TOO_LONG} if len(source.text) > self.prompt.longest else {}

    def in_order(self, pair: Sequence[Source]) -> tuple[Source, ...]:
        """Two sources in the order in which they are shown, where it is shown pairs."""
        return tuple(pair)

    def questions(self, subject: Subject) -> tuple[Question, ...]:
        """What is asked about a subject, one after the other."""
        return (Question(self.messages(subject.source.text)),)

    def bare_questions(self) -> Sequence[tuple[Message, ...]]:
        """The messages of `questions` around empty texts: what every subject takes."""
        return (self.messages(""),)

    # -- understanding -----------------------------------------------------------------------

    def verdicts(self, output: Any, question: Question) -> tuple[Verdict, ...]:
        """What an output says of each source that is shown."""
        return (self.reading.verdict(output),)

    def concluded(self, parts: Sequence[Verdict]) -> Verdict:
        """The annotation of a source, from what was said of it in answer to every question."""
        (verdict,) = parts
        return verdict

    def simulation(self, subject: Subject, question: Question, truth: Truth) -> Simulation:
        """How `sim:` answers: what is right by an offline judge, and what would be wrong."""
        text = subject.source.text

        def simulate(plant: Mapping[str, JSON], draw: Callable[[str], float]) -> SimulatedAnswer:
            verdict = truth.judge(text)
            mistaken = self.reading.mistaken(verdict, text)
            return SimulatedAnswer(
                text=canonical_json(self.reading.truth(verdict, text)),
                mistaken=None if mistaken is None else canonical_json(mistaken),
            )

        return simulate
