"""What a model is told that judges a task: data from a rubric file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from agents.judges.model.fence import fenced
from auditor.errors import UsageError
from auditor.types import JSON

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgePrompt:
    """The wording round a text under judgement. The text itself never enters the instructions."""

    instructions: str
    """The system prompt."""
    before: str
    after: str
    """What stands round the fenced text in the user's turn."""
    output: str
    """Describes the answer, beside its schema."""
    longest: int
    """Characters of a text that is sent; a longer one is invalid without a call."""
    max_tokens: int
    """Output cap that is sent where a budget needs one and the spec sets none."""

    def question(self, text: str) -> str:
        """The user's turn about one text."""
        return f"{self.before}\n{fenced(text)}\n{self.after}"

    def as_json(self) -> Mapping[str, JSON]:
        """All of it by name, as a judge's identity holds it."""
        return asdict(self)


def parse_prompt(toml: str, path: str) -> JudgePrompt:
    """The prompt in a rubric file. Raises UsageError that names file, key and what is allowed."""
    table = parse_wording(toml, path, JudgePrompt)
    return JudgePrompt(**{**table, "instructions": table["instructions"].strip()})


def parse_wording(toml: str, path: str, form: type[DataclassInstance]) -> dict[str, Any]:
    """The keys of a rubric file that has a value for each field of a form and nothing else.

    The form's fields are texts and numbers. Raises UsageError as `parse_prompt` does.
    """
    try:
        table = tomllib.loads(toml)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"rubrics/{path}: not TOML: {error}", where=f"rubrics/{path}") from None
    kinds = {field.name: int if field.type == "int" else str for field in fields(form)}
    for key in {**table, **kinds}:
        kind, value = kinds.get(key), table.get(key)
        if kind is None or not isinstance(value, kind) or isinstance(value, bool) or not value:
            said = "unknown" if kind is None else "missing or empty" if not value else "wrong type"
            words = ", ".join(f"{name} ({kind.__name__})" for name, kind in kinds.items())
            raise UsageError(
                f"rubrics/{path}: {key}: {said}; allowed: {words}", where=f"rubrics/{path}"
            )
    return table
