"""The offline judge of `name`: the protagonist of a story opening, by rules over word lists.

spaCy is asked where the rules cannot decide, if a model of it is installed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property

from agents.judges._name_lists import NameLists
from agents.judges._name_reading import Reading
from agents.judges._name_spacy import AUTO, NONE, SpacyModel, installed_model, unavailable
from agents.judges._name_verdicts import NameVerdicts, by_rules
from agents.judges._portions import portions
from agents.judges.base import Verdict
from agents.worker import Worker
from auditor.errors import UsageError
from auditor.finite import is_between
from auditor.types import JSON

_VERSION = 2
_PLACE = "agents.judges._name_verdicts:judge_texts"
_PORTION_TEXTS = 50
"""In a message to the process at most."""


@dataclass(frozen=True, kw_only=True)
class NameSettings:
    """What a spec may set: `params` of the judge."""

    spacy_model: str = AUTO
    """"auto": the official small English model, else its re-upload, else none; "none"; or a
    model's package."""
    opening: str = "short"
    """"short", or "whole": every text is read to its end."""
    check_whole: float = 0.05
    """Of the texts that are longer than the opening that was read, how many are read to their
    ends as well, for `name_opening_agreement`."""

    @classmethod
    def from_params(cls, params: Mapping[str, JSON]) -> NameSettings:
        """The settings of a spec. Raises UsageError with the key, its value and what is allowed."""
        names = [field.name for field in fields(cls)]
        for key, value in params.items():
            if key not in names:
                raise UsageError(f"params.{key}: unknown key; allowed: {', '.join(names)}")
            allowed = _unfit(key, value)
            if allowed is not None:
                raise UsageError(f"params.{key}: value {json.dumps(value)}; allowed: {allowed}")
        return cls(**params)


def _unfit(key: str, value: JSON) -> str | None:
    """What is allowed, where the value is not."""
    if key == "spacy_model":
        is_fit = isinstance(value, str) and value != ""
        return None if is_fit else f'"{AUTO}", "{NONE}" or the package of a spaCy model'
    if key == "opening":
        return None if value in ("short", "whole") else '"short" or "whole"'
    return None if is_between(value, 0, 1) else "a number from 0 to 1"


class NameJudge:
    """Reads the protagonist's full name out of a story opening; the value is null without one.

    Titles, degrees and nicknames are left out; particles, initials and "Jr." belong to the name;
    words stand in the order of the text, with straight apostrophes. A surname behind a title
    ("Mrs. Henderson") is no full name: null, with the remark "surname only". Remarks on valid
    verdicts begin with who decided (see `auditor.protocols.stories.name_remarks`). Invalid:
    "refusal" (in words), "empty" (also: thoughts without a story).

    Built from the text of `rubrics/stories/name_rules.toml` and the spec's `params` (see
    `NameSettings`). Raises UsageError where either is broken, or where a model that is asked for
    by name is not installed. Batches are read in a process of its own, where spaCy is, too.
    """

    task = "name"
    name = "rules"

    def __init__(self, words_toml: str, params: Mapping[str, JSON] | None = None) -> None:
        self._settings = NameSettings.from_params(params or {})
        self._words = NameLists(words_toml)
        self.spacy: SpacyModel | None = installed_model(self._settings.spacy_model)
        arguments = {
            "words_toml": words_toml,
            "is_whole": self._is_whole,
            "checked_share": self._settings.check_whole,
            "package": self.spacy.package if self.spacy else None,
        }
        self._worker = Worker(_PLACE, arguments, name="the judge rules of name")

    @property
    def configuration(self) -> Mapping[str, JSON]:
        """Version of the rules, the word lists as data, and the spaCy model that takes part."""
        settings = asdict(self._settings)
        del settings["spacy_model"]  # what was found by it counts
        return {
            "judge": "name.rules",
            "version": _VERSION,
            **settings,
            "words": self._words.tables,
            "spacy": self.spacy.described if self.spacy else None,
        }

    @property
    def lacking(self) -> str | None:
        """What is not installed that it could use, and what mends it; None where nothing is."""
        wants_spacy = self._settings.spacy_model != NONE
        return unavailable() if wants_spacy and self.spacy is None else None

    async def start(self) -> None:
        """Start the process, and load the model there, if there is one."""
        await self._worker.start()

    async def close(self) -> None:
        """End the process."""
        await self._worker.close()

    async def judge_batch(self, values: Sequence[str]) -> list[Verdict]:
        """The verdicts on these texts. Raises as `Worker.answer` does."""
        verdicts: list[Verdict] = []
        for portion in portions(values, _PORTION_TEXTS):
            answers = await self._worker.answer(portion)
            verdicts += [Verdict(*answer) for answer in answers]
        return verdicts

    def judge(self, text: str) -> Verdict:
        """The verdict of the rules alone, made here and at once. Never raises."""
        return by_rules(self.read(text))

    def read(self, text: str) -> Reading:
        """What the rules make of a text. Never raises."""
        return self._here.read(text)

    @cached_property
    def _here(self) -> NameVerdicts:
        return NameVerdicts(self._words, is_whole=self._is_whole)

    @property
    def _is_whole(self) -> bool:
        return self._settings.opening == "whole"
