"""A model that judges `rubric`: how does a response treat the person who asked? For `grap`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.judges.base import Answer, Truth, Verdict, is_answer_judge
from agents.judges.cue_mask import CueMask, asked
from agents.judges.model.judge import NO_PARTNER, TOO_LONG, Asked, ModelJudge
from agents.judges.model.rubric_options import DIMENSION, FULL, RubricOptions, rubric_options
from agents.judges.model.rubric_output import PLACES, REFUSAL, RubricReading
from agents.judges.model.rubric_wording import RubricWording, rubric_wording
from agents.judges.model.subject import Pairing, Question, Subject
from auditor.canonical import canonical_json
from auditor.draws import draw
from auditor.protocols.grap.files import CONTRAST, NAMES, RUBRIC
from auditor.protocols.grap.rubric import Dimension, parse_rubric
from auditor.store.sources import Source
from auditor.types import JSON, Message, SimulatedAnswer, Simulation

_LEVELS = "gender"
"""The factor that holds the contrast's levels."""
_STREAM = "grap:order"
_NO_PROMPT = Verdict(False, reason="no prompt")
_DIGITS = 6


def open_judge(
    asked: Asked,
    materials: Mapping[str, str],
    *,
    prompt: str,
    options: Mapping[str, JSON],
    setting: str | None,
    seed: int,
) -> RubricJudge:
    """The judge of a spec's `options` and setting, by the texts of these rubric files.

    `prompt` is the path of the wording. Raises UsageError for options and files that are wrong.
    """
    chosen = rubric_options(options, setting)
    dimensions = tuple(parse_rubric(materials[RUBRIC]).dimensions.values())
    wording = rubric_wording(materials[prompt], prompt)
    return RubricJudge(
        protocol="grap",
        asked=asked,
        prompt=wording.prompt(chosen, dimensions),
        reading=RubricReading(
            [dimension.key for dimension in dimensions],
            is_paired=chosen.is_paired,
            is_single=chosen.calls == DIMENSION,
        ),
        options=chosen,
        dimensions=dimensions,
        wording=wording,
        mask=CueMask(materials[CONTRAST], materials[NAMES]),
        seed=seed,
    )


@dataclass(frozen=True, kw_only=True)
class RubricJudge(ModelJudge):
    """Scores responses alone or in pairs, in all dimensions at once or one after the other."""

    reading: RubricReading
    options: RubricOptions
    dimensions: tuple[Dimension, ...]
    wording: RubricWording
    mask: CueMask
    seed: int
    """Draws the order in which the responses of a pair are shown."""

    @property
    def sees(self) -> frozenset[str]:
        """The prompt where it is shown or gives the name to be masked; of pairs the factors."""
        needs_prompt = self.options.setting == FULL or self.options.mask_cues
        wanted = {"prompt": needs_prompt, "factors": self.options.is_paired}
        return frozenset(name for name, is_wanted in wanted.items() if is_wanted)

    @property
    def needs_prompt(self) -> bool:
        """In the setting `full`."""
        return self.options.setting == FULL

    @property
    def pairing(self) -> Pairing | None:
        """The two levels of the contrast, where it is shown pairs."""
        if not self.options.is_paired:
            return None
        return Pairing(factor=_LEVELS, levels=self.mask.contrast.levels)

    @property
    def asks_in_parts(self) -> bool:
        """With one call a dimension."""
        return self.options.calls == DIMENSION

    @property
    def labels(self) -> Mapping[str, JSON]:
        """Options that are not the default."""
        return self.options.labels

    @property
    def truth_params(self) -> Mapping[str, JSON]:
        """The lexicon sees what the judge sees."""
        return {"setting": self.options.setting, "mask_cues": self.options.mask_cues}

    @property
    def configuration(self) -> Mapping[str, JSON]:
        """As of every judge; then dimensions, options, the wording of its turn, masking, order."""
        wording, options = self.wording, self.options
        order: JSON = None
        if options.is_paired:
            levels = self.mask.contrast.levels
            order = {"levels": list(levels), "first": levels[1]}
            if not options.is_paper:
                order = {"levels": list(levels), "stream": _STREAM, "seed": self.seed}
        return {
            **super().configuration,
            "setting": options.setting,
            "calls": options.calls,
            "order": order,
            "mask_cues": self.mask.configuration if options.mask_cues else None,
            "dimensions": {each.key: [each.definition, *each.anchors] for each in self.dimensions},
            "turn": [
                wording.before_dimension,
                wording.before_prompt,
                wording.first,
                wording.second,
            ],
        }

    # -- asking ------------------------------------------------------------------------------

    def messages(self, text: str) -> tuple[Message, ...]:
        """The first question about a response, or about two that are alike, without a prompt."""
        count = len(PLACES) if self.options.is_paired else 1
        prompt = "" if self.options.setting == FULL else None
        return self._messages([(prompt, text)] * count, self._topics[0])

    def obstacle(self, subject: Subject) -> Mapping[int, Verdict]:
        """Too long, or without the prompt that has to be shown; then there is no pair, either."""
        found = {
            source.seq: verdict
            for source in subject.shown
            if (verdict := self._obstacle(source)) is not None
        }
        others = {source.seq: NO_PARTNER for source in subject.shown if source.seq not in found}
        return {**found, **others} if found else {}

    def _obstacle(self, source: Source) -> Verdict | None:
        prompt = asked(source.prompt) or "" if self.options.setting == FULL else ""
        if self.options.setting == FULL and source.prompt is None:
            return _NO_PROMPT
        return TOO_LONG if max(len(source.text), len(prompt)) > self.prompt.longest else None

    def questions(self, subject: Subject) -> tuple[Question, ...]:
        """One about all dimensions, or one about each."""
        shown = [self._shown(source) for source in subject.shown]
        return tuple(
            Question(self._messages(shown, topic), "" if topic is None else topic.key)
            for topic in self._topics
        )

    def bare_questions(self) -> Sequence[tuple[Message, ...]]:
        """Around empty texts, and an empty prompt where there is one."""
        count = len(PLACES) if self.options.is_paired else 1
        prompt = "" if self.options.setting == FULL else None
        return [self._messages([(prompt, "")] * count, topic) for topic in self._topics]

    @property
    def _topics(self) -> tuple[Dimension | None, ...]:
        return self.dimensions if self.options.calls == DIMENSION else (None,)

    def _messages(
        self, shown: Sequence[tuple[str | None, str]], topic: Dimension | None
    ) -> tuple[Message, ...]:
        return (
            Message("system", self.prompt.instructions),
            Message("user", self.wording.question(shown, topic)),
        )

    def _shown(self, source: Source) -> tuple[str | None, str]:
        prompt, text = asked(source.prompt), source.text
        if self.options.mask_cues:
            text = self.mask.masked(text, prompt)
        if self.options.setting != FULL or prompt is None:
            return None, text
        return self.mask.masked(prompt, prompt) if self.options.mask_cues else prompt, text

    def in_order(self, pair: Sequence[Source]) -> tuple[Source, ...]:
        """Two sources in the order in which they are shown: drawn for each pair, or the authors'.

        Every judge, target and repetition shows a pair in the same order.
        """
        levels = self.mask.contrast.levels
        by_level = sorted(pair, key=lambda source: levels.index((source.factors or {})[_LEVELS]))
        assert self.pairing is not None
        common = self.pairing.common_of(pair[0].factors or {})
        is_turned = self.options.is_paper or draw(self.seed, _STREAM, canonical_json(common)) >= 0.5
        return tuple(reversed(by_level)) if is_turned else tuple(by_level)

    # -- understanding -----------------------------------------------------------------------

    def verdicts(self, output: Any, question: Question) -> tuple[Verdict, ...]:
        """Scores of each response, or of its one dimension."""
        return self.reading.verdicts(output, question.topic)

    def concluded(self, parts: Sequence[Verdict]) -> Verdict:
        """All scores together; a dimension without one is absent.

        A refusal where more answers say so than give a score. Without any score it is invalid for
        the reason that most answers have; of several equally common ones, the first.
        """
        if len(parts) == 1:
            return parts[0]
        scored = [part for part in parts if part.valid]
        reasons = Counter(part.reason for part in parts if not part.valid)
        if reasons[REFUSAL] > len(scored):
            return Verdict(False, reason=REFUSAL)
        if not scored:
            return Verdict(False, reason=reasons.most_common(1)[0][0])
        scores = {key: score for part in scored for key, score in part.value.items()}
        return Verdict(True, scores, scored[0].reason)

    # -- simulating --------------------------------------------------------------------------

    def simulation(self, subject: Subject, question: Question, truth: Truth) -> Simulation:
        """What the lexicon says of each response, in the same setting; what is shown first gains.

        A gain g squeezes all scores into 1 - |g| of their range and adds |g| to one side, so that
        no score is cut off and the two places differ by exactly g.
        """

        def simulate(plant: Mapping[str, JSON], draw: Callable[[str], float]) -> SimulatedAnswer:
            gain = float(plant.get("first_gain", 0.0))
            right: list[JSON] = []
            wrong: list[JSON] = []
            for place, source in enumerate(subject.shown):
                added = abs(gain) if (place == 0) == (gain > 0) else 0.0
                verdict = _reading_of(truth, source)
                for said, made in ((right, self.reading.truth), (wrong, self.reading.mistaken)):
                    said.append(_squeezed(made(verdict, source.text), abs(gain), added))
            return SimulatedAnswer(
                text=canonical_json(self.reading.assembled(right, question.topic)),
                mistaken=canonical_json(self.reading.assembled(wrong, question.topic)),
            )

        return simulate


def _reading_of(truth: Truth, source: Source) -> Verdict:
    if is_answer_judge(truth):  # type: ignore[arg-type]
        return truth.judge_answer(Answer(source.text, source.factors or {}, source.prompt))
    return truth.judge(source.text)


def _squeezed(said: JSON, room: float, added: float) -> JSON:
    scores = {
        key: round(score * (1 - room) + added, _DIGITS) for key, score in said["scores"].items()
    }
    return {**said, "scores": scores}
