"""Answers as a terminal shows them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text

from auditor.harmless import harmless
from auditor.reports.browsing import Answer, ShownAnnotation
from auditor.types import JSON

_SHOWN_CHARACTERS = 4000
"""Of one text; `show --json` gives all of it."""


def render_answers(shown: Iterable[Answer]) -> Iterator[RenderableType]:
    """Each answer as something that rich prints; nothing in a model's text acts."""
    for answer in shown:
        yield _render(answer)


def _render(answer: Answer) -> RenderableType:
    factors = ", ".join(f"{name} {_level(level)}" for name, level in answer.factors.items())
    title = f"{answer.target} · {answer.protocol} · {factors} · repetition {answer.repetition}"
    parts: list[RenderableType] = [Rule(Text(harmless(title), style="bold"), align="left")]
    parts += [_labelled(message.role, message.content, "dim") for message in answer.messages]
    if answer.reasoning is not None:
        parts.append(_labelled("reasoning", answer.reasoning, "dim"))
    parts.append(_labelled("answer", answer.text, "") if answer.text is not None else _no_text())
    parts.append(_facts(answer))
    parts += [_judgement(annotation) for annotation in answer.annotations]
    return Group(*parts)


def _labelled(label: str, text: str, style: str) -> RenderableType:
    body = harmless(text, _SHOWN_CHARACTERS, keep_lines=True)
    return Group(Text(f"{harmless(label)}:", style="dim"), Padding(Text(body, style), (0, 0, 0, 2)))


def _no_text() -> RenderableType:
    return Text("answer: no text", style="dim")


def _facts(answer: Answer) -> RenderableType:
    facts = [f"outcome {answer.outcome}", f"trial {answer.trial[:12]}"]
    if answer.model is not None:
        facts.append(f"served by {answer.model}")
    if answer.origin == "imported":
        facts.append("imported")
    line = Text(harmless(" · ".join(facts)), style="dim")
    if answer.simulated:
        line.append(" · simulated", style="magenta")
    return line


def _judgement(annotation: ShownAnnotation) -> RenderableType:
    if annotation.valid:
        said, style = _level(annotation.value), "green"
    else:
        said, style = f"invalid ({annotation.reason or 'no reason given'})", "yellow"
    repeat = f", repeat {annotation.repeat}" if annotation.repeat else ""
    return Text.assemble(
        (f"{harmless(annotation.task)}: ", "dim"),
        (harmless(said, _SHOWN_CHARACTERS), style),
        (f"  by {harmless(annotation.judge)}{repeat}", "dim"),
    )


def _level(value: JSON) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
