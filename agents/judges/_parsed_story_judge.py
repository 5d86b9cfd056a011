"""What the judges of parsed stories have in common: the model, the process, the configuration."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from agents.judges._gender_table import fingerprint
from agents.judges._gendered_words import person_tables
from agents.judges._name_spacy import AUTO, INSTALL, NONE, SpacyModel, installed_model
from agents.judges._portions import portions
from agents.judges._story_text import StoryText
from agents.judges.base import Verdict
from agents.worker import Worker
from auditor.errors import JudgeError, JudgeStopped, UsageError
from auditor.types import JSON

MODEL_KEY = "spacy_model"
_PORTION_TEXTS = 100
"""In a message to the process at most."""


class ParsedStoryJudge:
    """Parses stories by a spaCy model, and annotates them by rules, in a process of its own.

    Where no model is installed it can be made, and its configuration says so, but it judges
    nothing: `start` and `judge_batch` raise JudgeStopped with the command that mends it, so that a
    run keeps its stories and is resumed when a model is there.
    """

    def __init__(
        self,
        texts: Sequence[str],
        params: Mapping[str, JSON] | None,
        *,
        label: str,
        place: str,
        settings: Mapping[str, JSON],
        worker: Worker | None = None,
    ) -> None:
        self.spacy: SpacyModel | None = installed_model(_wanted(params or {}))
        self._label = label
        person_tables(texts[0])
        self._described = StoryText(*texts).described
        self._fingerprint = fingerprint()
        self._worker = worker or Worker(
            place,
            {
                "texts": list(texts),
                "package": self.spacy.package if self.spacy else None,
                **settings,
            },
            name=f"the judge {label}",
        )

    @property
    def shared_configuration(self) -> Mapping[str, JSON]:
        """The spaCy model, the table of names, and the word lists as data."""
        return {
            "spacy": self.spacy.described if self.spacy else None,
            "names": dict(self._fingerprint),
            **self._described,
        }

    @property
    def unavailable(self) -> str | None:
        """What keeps it from judging, with the command that mends it; None where it can."""
        if self.spacy is not None:
            return None
        return f"no spaCy model is installed, so it judges nothing; {INSTALL} mends it"

    @property
    def lacking(self) -> str | None:
        """As `unavailable`: said before a run."""
        return self.unavailable

    async def start(self) -> None:
        """Start the process and load the model. Raises JudgeStopped where there is none."""
        self._check()
        await self._worker.start()

    async def close(self) -> None:
        """End the process."""
        await self._worker.close()

    async def judge_batch(self, values: Sequence[str]) -> list[Verdict | JudgeError]:
        """The verdicts on these texts; a JudgeError where one cannot be parsed.

        Raises JudgeStopped as `Worker.answer` does, and as `start`.
        """
        self._check()
        verdicts: list[Verdict | JudgeError] = []
        for portion in portions(values, _PORTION_TEXTS):
            verdicts += await self._of_portion(portion)
        return verdicts

    async def _of_portion(self, portion: list[str]) -> list[Verdict | JudgeError]:
        try:
            return [Verdict(*answer) for answer in await self._worker.answer(portion)]
        except JudgeStopped:
            raise
        except JudgeError as error:
            if len(portion) == 1:
                return [error]
        # One story among many: the others are parsed without it.
        return [verdict for text in portion for verdict in await self._of_portion([text])]

    def _check(self) -> None:
        if self.spacy is None:
            raise JudgeStopped(
                f"the judge {self._label}: no spaCy model is installed; {INSTALL} mends it, and"
                " `auditor resume` goes on",
                hint=INSTALL,
            )


def _wanted(params: Mapping[str, JSON]) -> str:
    """The model that a spec asks for. Raises UsageError for params that are none."""
    for key in params:
        if key != MODEL_KEY:
            raise UsageError(f"params.{key}: unknown key; allowed: {MODEL_KEY}")
    value = params.get(MODEL_KEY, AUTO)
    if not isinstance(value, str) or value in ("", NONE):
        raise UsageError(
            f'params.{MODEL_KEY}: value {json.dumps(value)}; allowed: "{AUTO}" or the package of'
            " an installed spaCy model"
        )
    return value
