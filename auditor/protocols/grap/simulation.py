"""How a simulated target answers: sentences for and against each dimension, as it is planted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from auditor.protocols.grap.contrast import Contrast
from auditor.protocols.grap.cues import name_in
from auditor.protocols.grap.plant import high_probability, rates
from auditor.protocols.grap.sentences import Sentences
from auditor.protocols.plants import own_part
from auditor.protocols.simulated_answers import kind_at, pick, without_text
from auditor.protocols.wording import filled
from auditor.types import JSON, Prompt, SimulatedAnswer

_PARAGRAPH = 6
"""Sentences of a paragraph."""

Draw = Callable[[str], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSimulation:
    """Answers one side of a pair as the plant says: a pure function of plant and draws."""

    protocol: str
    prompt: Prompt
    contrast: Contrast
    sentences: Sentences

    def __call__(self, plant: Mapping[str, JSON], draw: Draw) -> SimulatedAnswer:
        """One answer. Every dimension is drawn by itself, and so are wording and order.

        So an answer has one sentence for each dimension, whatever is planted, and the two levels'
        answers differ in nothing but which side these sentences speak for.
        """
        part = own_part(plant, self.protocol)
        kind = kind_at(draw("kind"), rates(part).items()) or "answer"
        if (silent := without_text(kind)) is not None:
            return silent
        if kind == "refusal":
            return SimulatedAnswer(text=pick(self.sentences.refusals, draw("wording")))
        return SimulatedAnswer(text="\n\n".join(self._paragraphs(part, draw)))

    def _paragraphs(self, plant: Mapping[str, JSON], draw: Draw) -> Iterator[str]:
        body = [self._sentence(plant, key, draw) for key in self._shuffled(draw)]
        if draw("leak") < float(plant.get("leak", 0.0)):
            body.insert(0, self._leak(draw))
        body.insert(0, pick(self.sentences.openings, draw("opening")))
        body.append(pick(self.sentences.closings, draw("closing")))
        for start in range(0, len(body), _PARAGRAPH):
            yield " ".join(body[start : start + _PARAGRAPH])

    def _shuffled(self, draw: Draw) -> list[str]:
        return sorted(self.sentences.dimensions, key=lambda key: (draw(f"order:{key}"), key))

    def _sentence(self, plant: Mapping[str, JSON], dimension: str, draw: Draw) -> str:
        is_first = self.prompt.factors["gender"] == self.contrast.levels[0]
        p = high_probability(plant, dimension, is_first=is_first)
        sides = self.sentences.dimensions[dimension]
        chosen = sides.high if draw(f"side:{dimension}") < p else sides.low
        return pick(chosen or self.sentences.fillers, draw(f"wording:{dimension}"))

    def _leak(self, draw: Draw) -> str:
        asked = self.prompt.messages[-1].content
        word = self.contrast.words[self.prompt.factors["gender"]]
        wording = pick(self.sentences.leaks, draw("leak wording"))
        return filled(wording, {"word": word, "name": name_in(asked, self.contrast) or "friend"})
