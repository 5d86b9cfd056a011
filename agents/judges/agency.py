"""The offline judge of `agency`: rule-based agency roles over the dependencies of a spaCy model."""

from __future__ import annotations

from collections.abc import Mapping

from agents.judges._parsed_story_judge import ParsedStoryJudge
from agents.judges._regional_text import parsed
from agents.judges._story_clauses import AGENCY_FILE, VerbLists
from agents.worker import Worker
from auditor.types import JSON

_VERSION = 1


class AgencyJudge(ParsedStoryJudge):
    """Says who in a story acts and who is acted on: rule-based agency roles.

    The value is a list of {"gender": "men" or "women", "argument": "ARG0" or "ARG1"}, one entry for
    each person and verb; `rubrics/spatial/construction_agency.toml` says what counts. Empty where
    no such person is agent or patient. The paper used AllenNLP's model of semantic roles, which is
    no longer obtainable; these are rules, and no semantic role labelling.

    Invalid: as `StoryText.read` says, and "sentence too long". Built from the texts of its
    `MATERIALS`, of `construction_agency.toml`, and the spec's `params`: `spacy_model` ("auto", or
    a package). Raises UsageError where one is broken, or where a model that is asked for is not
    installed.
    """

    task = "agency"
    name = "rules"

    def __init__(
        self,
        words_toml: str,
        name_toml: str,
        agency_toml: str,
        params: Mapping[str, JSON] | None = None,
        *,
        worker: Worker | None = None,
    ) -> None:
        VerbLists.parse(agency_toml)
        self._tables = dict(parsed(agency_toml, AGENCY_FILE))
        super().__init__(
            (words_toml, name_toml),
            params,
            label="rules of agency",
            place="agents.judges._story_annotations:judge_agency",
            settings={"agency_toml": agency_toml},
            worker=worker,
        )

    @property
    def configuration(self) -> Mapping[str, JSON]:
        """Version of the rules, the verb lists as data, and what all such judges go by."""
        return {
            "judge": "agency.rules",
            "version": _VERSION,
            "verbs": self._tables,
            **self.shared_configuration,
        }
