"""The rubric files of `grap`, and how what is wrong in one of them is said."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.errors import UsageError
from auditor.protocols.likeness import as_read, hidden_in
from auditor.protocols.toml_tables import NotTOML, toml_table
from auditor.types import JSON

if TYPE_CHECKING:
    from auditor.protocols.base import Materials
    from auditor.protocols.grap.params import GrapParams

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

    def table(self) -> dict[str, JSON]:
        """The tables of a TOML file. Raises UsageError for what is none."""
        try:
            return toml_table(self.text)
        except NotTOML as error:
            raise self.wrong(f"not TOML: {error}", "TOML 1.0", error.line) from None

    def checked_text(self, key: str, value: JSON) -> str:
        """A value of a table; UsageError where it is no text, blank, or cannot all be seen."""
        if not isinstance(value, str) or not value.strip():
            raise self.wrong(f"{key}: value {value!r:.60}", "a text")
        self.check_visible(f"{key}:", value)
        return value

    def check_visible(self, key: str, text: str, *, lines: bool = True) -> None:
        """Raises UsageError for a text with a character that cannot be seen (see `hidden_in`)."""
        if (hidden := hidden_in(text, lines=lines)) is not None:
            raise self.wrong(f"{key} holds {hidden}", "characters that can be seen")

    def check_names(self, key: str, names: Iterable[str]) -> None:
        """Raises UsageError for two names of a table that a reader takes for the same."""
        known: dict[str, str] = {}
        for name in names:
            like = known.setdefault(as_read(name), name)
            if like != name:
                raise self.wrong(f"{key}.{name}: reads like {like!r}", "each name once")


def data_file(field: str, materials: Materials, params: GrapParams | None) -> DataFile:
    """The file that a parameter may replace, under the name by which the user knows it."""
    path = FIELDS[field]
    own = None if params is None else getattr(params, field)
    return DataFile(text=materials[path], name=own or f"rubrics/{path}", field=field)
