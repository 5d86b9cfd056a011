"""The rubric files of `grap`, and how what is wrong in one of them is said."""

from __future__ import annotations

from dataclasses import dataclass

from auditor.errors import UsageError

INSTRUCTIONS = "grap/instructions.jsonl"
NAMES = "grap/names.csv"
CONTRAST = "grap/contrast.toml"
RUBRIC = "grap/rubric.toml"
SENTENCES = "grap/sim_sentences.toml"

FIELDS = {
    "instructions": INSTRUCTIONS,
    "names": NAMES,
    "contrast": CONTRAST,
    "rubric": RUBRIC,
}
"""Rubric file by the parameter of a spec that may name a file in its place."""


@dataclass(frozen=True, slots=True)
class DataFile:
    """A rubric file as it is read: what messages call it, and the parameter that may replace it."""

    text: str
    name: str
    """The user's own spelling of his file, or the path of the packaged one."""
    field: str

    def wrong(self, said: str, allowed: str, line: int | None = None) -> UsageError:
        """The mistake in one line: file, line where there is one, reason, what is allowed."""
        place = self.name if line is None else f"{self.name}:{line}"
        return UsageError(f"{place}: {said}; allowed: {allowed}", where=self.field)
