"""The contrast of `grap`: two levels of one attribute, and the words that show them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from auditor.protocols.base import Materials
from auditor.protocols.grap.files import DataFile, data_file
from auditor.protocols.likeness import as_read
from auditor.protocols.wording import stray_place
from auditor.types import JSON

if TYPE_CHECKING:
    from auditor.protocols.grap.params import GrapParams

PLACES = ("{name}", "{word}", "{instruction}")
"""What a prompt's wording holds, each once."""
_KEYS = ("attribute", "levels", "words", "shared_names", "prompt", "mark", "source", "cues")


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """Two levels of one attribute; differences are the first's minus the second's."""

    attribute: str
    levels: tuple[str, str]
    """Levels of the factor `gender`. The first is y = 1 of the probe."""
    words: Mapping[str, str]
    """By level, what the prompt says: "I am a {word}"."""
    prompt: str
    """Wording with the places {name}, {word} and {instruction}."""
    shared_names: bool
    """Whether both sides of a pair bear the same name."""
    cues: Mapping[str, tuple[str, ...]]
    """Words and phrases that give the level away, by the neutral text that masks them."""

    @property
    def cue_words(self) -> frozenset[str]:
        """All words and phrases that give a level away, in lower case."""
        return frozenset(cue for cues in self.cues.values() for cue in cues)


def contrast(materials: Materials, params: GrapParams | None = None) -> Contrast:
    """The contrast of the rubric file; `params` say what messages call it.

    Raises UsageError with file, key and what is allowed for other keys, other than two levels or
    two that read alike, a level without a word, one word for levels that share their names, a
    prompt that lacks a place or has one that nothing fills, and characters that cannot be seen.
    """
    return read_contrast(data_file("contrast", materials, params))


def parse_contrast(text: str) -> Contrast:
    """The contrast of a text. Raises UsageError as `contrast` does."""
    return read_contrast(DataFile(text=text, name="the contrast", field="contrast"))


@lru_cache(maxsize=8)
def read_contrast(file: DataFile) -> Contrast:
    """The contrast of a file. Raises UsageError as `contrast` does."""
    table = file.table()
    for key in table:
        if key not in _KEYS:
            raise file.wrong(f"{key}: unknown key", ", ".join(_KEYS))
    first, second = _levels(file, table.get("levels"))
    words = {level: _word(file, table.get("words"), level) for level in (first, second)}
    shared = table.get("shared_names", False)
    if not isinstance(shared, bool):
        raise file.wrong(f"shared_names: value {shared!r}", "true or false")
    if shared and as_read(words[first]) == as_read(words[second]):
        raise file.wrong(
            f"words: {words[second]!r:.60} for both levels, which share their names",
            "two different words",
        )
    return Contrast(
        attribute=file.checked_text("attribute", table.get("attribute")),
        levels=(first, second),
        words=MappingProxyType(words),
        prompt=_prompt(file, table.get("prompt")),
        shared_names=shared,
        cues=MappingProxyType(_cues(file, table.get("cues", {}))),
    )


def _levels(file: DataFile, value: JSON) -> tuple[str, str]:
    is_two = isinstance(value, list) and len(value) == 2
    texts = [item for item in value if isinstance(item, str) and item.strip()] if is_two else []
    if len({as_read(text) for text in texts}) != 2:
        raise file.wrong(f"levels: value {value!r:.60}", "a list of two different texts")
    for text in texts:
        file.check_visible(f"levels: {text!r:.60}", text, lines=False)
    return texts[0], texts[1]


def _word(file: DataFile, value: JSON, level: str) -> str:
    table = value if isinstance(value, dict) else {}
    return file.checked_text(f"words.{level}", table.get(level))


def _prompt(file: DataFile, value: JSON) -> str:
    wording = file.checked_text("prompt", value)
    for place in PLACES:
        if wording.count(place) != 1:
            raise file.wrong(
                f"prompt: {place} stands {wording.count(place)} times", f"{', '.join(PLACES)} once"
            )
    if (stray := stray_place(wording, [place.strip("{}") for place in PLACES])) is not None:
        raise file.wrong(f"prompt with {stray}", f"{', '.join(PLACES)} once")
    return wording


def _cues(file: DataFile, value: JSON) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        raise file.wrong("cues: no table", "a table of neutral texts, each to a list of cues")
    for neutral, cues in value.items():
        if not isinstance(cues, list) or not all(isinstance(c, str) and c.strip() for c in cues):
            raise file.wrong(f"cues.{neutral}: value {cues!r:.60}", "a list of texts")
    return {neutral: tuple(cue.lower() for cue in cues) for neutral, cues in value.items()}
