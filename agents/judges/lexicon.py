"""The offline judge of `rubric`: scores of dimensions from word lists, for `grap`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from agents.judges._lexicon_file import Formula, Lexicon, parse_lexicon
from agents.judges._lexicon_terms import Terms, Words, count_apart
from agents.judges.base import Answer, Verdict
from agents.judges.cue_mask import CueMask, asked
from auditor.errors import UsageError
from auditor.protocols.grap.rubric import parse_rubric
from auditor.types import JSON

FULL, RESPONSE_ONLY = "full", "response_only"
SETTINGS = (FULL, RESPONSE_ONLY)

_LATIN = re.compile(r"[a-z]")
_VERSION = 1
_DIGITS = 6
_EMPTY, _NO_WORDS = Verdict(False, reason="empty"), Verdict(False, reason="no words")
_NOT_ENGLISH = Verdict(False, reason="not English")
_REFUSAL = Verdict(False, reason="refusal")
_NO_PROMPT = Verdict(False, reason="no prompt")
_NO_DIMENSION = Verdict(False, reason="no dimension that words tell")


class LexiconJudge:
    """Scores in [0, 1] of the rubric's dimensions that words can tell.

    Formulas and lists are those of `rubrics/grap/lexicon.toml`; dimensions that it does not hold
    are absent. The prompt's words are never scored. In the setting `full`, terms that the asker
    used already do not count: they are no attribution. `response_only` does not look at them.
    With `mask_cues` the asker's name and the words of the contrast are masked first (see
    `auditor.protocols.grap.cues`); where the name is not known, all names of the names file are.

    Invalid: "empty", "no words" (no letter or digit), "not English", "refusal" (in words), "no
    prompt" (in `full`, of imported answers), "no dimension that words tell" (of a rubric of the
    user's own).

    Built from the texts of lexicon, contrast, names and rubric, and the spec's `params`:
    `setting` and `mask_cues`. Raises UsageError where one is broken.
    """

    task = "rubric"
    name = "lexicon"

    def __init__(
        self,
        lexicon_toml: str,
        contrast_toml: str,
        names_csv: str,
        rubric_toml: str,
        params: Mapping[str, JSON] | None = None,
    ) -> None:
        self._setting, self._masks_cues = _settings(params or {})
        self._lexicon: Lexicon = parse_lexicon(lexicon_toml)
        self._mask = CueMask(contrast_toml, names_csv)
        self._dimensions = tuple(parse_rubric(rubric_toml).dimensions)
        self._formulas: dict[str, Formula] = {
            key: self._lexicon.formulas[key]
            for key in self._dimensions
            if key in self._lexicon.formulas
        }
        self._terms = Terms(self._lexicon.lists, self._lexicon.negators)
        self._refusals = Terms({"refusal": self._lexicon.refusals}, ())
        self.sees: frozenset[str] = (
            frozenset({"prompt"}) if self._masks_cues or self._setting == FULL else frozenset[str]()
        )

    @property
    def configuration(self) -> Mapping[str, JSON]:
        """Version, settings, word lists and formulas as data, and what masking goes by."""
        return {
            "judge": "rubric.lexicon",
            "version": _VERSION,
            "setting": self._setting,
            "mask_cues": self._mask.configuration if self._masks_cues else None,
            "dimensions": list(self._formulas),
            "lexicon": dict(self._lexicon.tables),
        }

    @property
    def needs_prompt(self) -> bool:
        """In the setting `full`."""
        return self._setting == FULL

    @property
    def labels(self) -> Mapping[str, JSON]:
        """What its rows say in their group: that cues were masked, where they were."""
        return {"mask_cues": True} if self._masks_cues else {}

    def judge_answer(self, answer: Answer) -> Verdict:
        """The verdict on one response, given what was asked where that is known."""
        prompt = asked(answer.prompt)
        if self._setting == FULL and prompt is None:
            return _NO_PROMPT if answer.text.strip() else _EMPTY
        said = frozenset(Words.of(prompt).words) if prompt and self._setting == FULL else None
        return self._scored(self._masked(answer.text, prompt), said or frozenset())

    def judge(self, text: str) -> Verdict:
        """The verdict on a response alone, whatever the setting. Never raises."""
        return self._scored(self._masked(text, None), frozenset())

    def _masked(self, text: str, prompt: str | None) -> str:
        return self._mask.masked(text, prompt) if self._masks_cues else text

    def _scored(self, text: str, said: frozenset[str]) -> Verdict:
        if not text.strip():
            return _EMPTY
        words = Words.of(text)
        if not words.words:
            return _NO_WORDS
        if not self._is_english(words.words):
            return _NOT_ENGLISH
        if len(words.words) <= self._lexicon.longest_refusal and self._refusals.hits(words):
            return _REFUSAL
        if not self._formulas:
            return _NO_DIMENSION
        hits = self._terms.hits(words, leave_out=said)
        scores = {}
        for key, formula in self._formulas.items():
            high, low = count_apart(hits, formula.high), count_apart(hits, formula.low)
            scores[key] = round(formula.score(high, low, len(words.words)), _DIGITS)
        return Verdict(True, scores)

    def _is_english(self, words: Sequence[str]) -> bool:
        if len(words) < self._lexicon.english_from:
            return any(_LATIN.search(word) for word in words)
        share = sum(word in self._lexicon.english for word in words) / len(words)
        return share >= self._lexicon.english_least


def _settings(params: Mapping[str, JSON]) -> tuple[str, bool]:
    for key in params:
        if key not in ("setting", "mask_cues"):
            raise UsageError(f"params.{key}: unknown key; allowed: setting, mask_cues")
    setting, masks = params.get("setting", FULL), params.get("mask_cues", False)
    if setting not in SETTINGS:
        allowed = ", ".join(f'"{each}"' for each in SETTINGS)
        raise UsageError(f"params.setting: value {json.dumps(setting)}; allowed: {allowed}")
    if not isinstance(masks, bool):
        raise UsageError(f"params.mask_cues: value {json.dumps(masks)}; allowed: true or false")
    return setting, masks
