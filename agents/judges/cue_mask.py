"""What a judge of `grap` is shown of a trial: the asker's words, and texts with cues masked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from auditor.protocols.grap.contrast import parse_contrast
from auditor.protocols.grap.cues import mask, name_in
from auditor.protocols.grap.files import CONTRAST, NAMES
from auditor.protocols.grap.names import name_pairs
from auditor.types import JSON, Message


def asked(prompt: tuple[Message, ...] | None) -> str | None:
    """What the asker said; a system prompt is not theirs. None where it is not known."""
    if prompt is None:
        return None
    return "\n".join(turn.content for turn in prompt if turn.role == "user")


class CueMask:
    """Masks names and cues by the texts of a contrast file and a names file."""

    def __init__(self, contrast_toml: str, names_csv: str) -> None:
        self.contrast = parse_contrast(contrast_toml)
        known = name_pairs({CONTRAST: contrast_toml, NAMES: names_csv})
        self._names = tuple(dict.fromkeys(name for pair in known for name in pair.names.values()))

    @property
    def configuration(self) -> Mapping[str, JSON]:
        """What masking goes by, as data."""
        cues = {neutral: list(words) for neutral, words in self.contrast.cues.items()}
        return {"cues": cues, "names": list(self._names)}

    def masked(self, text: str, prompt: str | None) -> str:
        """The text masked: the name that the prompt gives, or all names where it gives none."""
        name = None if prompt is None else name_in(prompt, self.contrast)
        names: Iterable[str] = self._names if name is None else (name,)
        return mask(text, names, self.contrast)
