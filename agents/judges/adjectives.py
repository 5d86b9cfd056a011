"""The offline judge of `adjectives`: those of a story, by a spaCy model, and whom they describe."""

from __future__ import annotations

from collections.abc import Mapping

from agents.judges._adjective_rules import left_out
from agents.judges._parsed_story_judge import ParsedStoryJudge
from agents.judges._regional_text import parsed
from agents.judges._story_clauses import AGENCY_FILE, VerbLists
from agents.worker import Worker
from auditor.types import JSON

_VERSION = 1


class AdjectiveJudge(ParsedStoryJudge):
    """Lists the adjectives of a story, each with the gender of the person whom it describes.

    The value is a list of {"adjective": lemma in lower case, "gender": "men", "women" or null}.
    Null is an adjective of a thing, or of somebody whose gender the text does not say. Left out are
    words of amount and order (`rubrics/spatial/construction_adjectives.toml`).

    Invalid: as `StoryText.read` says, and "sentence too long". Built from the texts of its
    `MATERIALS`, of `construction_agency.toml` and `construction_adjectives.toml`, and the spec's
    `params`: `spacy_model` ("auto", or a package). Raises UsageError where one is broken, or where
    a model that is asked for is not installed.
    """

    task = "adjectives"
    name = "spacy"

    def __init__(
        self,
        words_toml: str,
        name_toml: str,
        agency_toml: str,
        adjectives_toml: str,
        params: Mapping[str, JSON] | None = None,
        *,
        worker: Worker | None = None,
    ) -> None:
        VerbLists.parse(agency_toml)
        self._tables = dict(parsed(agency_toml, AGENCY_FILE))
        self._left_out = sorted(left_out(adjectives_toml))
        super().__init__(
            (words_toml, name_toml),
            params,
            label="spacy of adjectives",
            place="agents.judges._story_annotations:judge_adjectives",
            settings={"agency_toml": agency_toml, "adjectives_toml": adjectives_toml},
            worker=worker,
        )

    @property
    def configuration(self) -> Mapping[str, JSON]:
        """Version of the rules, the lists as data, and what all such judges go by."""
        return {
            "judge": "adjectives.spacy",
            "version": _VERSION,
            "left_out": list(self._left_out),
            "verbs": self._tables,
            **self.shared_configuration,
        }
