"""How simulated targets rate regions and choose between them, as they are planted."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import NormalDist

from auditor.protocols.base import Materials
from auditor.protocols.plants import own_part
from auditor.protocols.regional.plant import RATES, level
from auditor.protocols.regional.ranking import heights
from auditor.protocols.regional.regions import Region
from auditor.protocols.regional.tasks import DecisionTask
from auditor.protocols.regional.traits import Trait
from auditor.protocols.simulated_answers import kind_at, pick, without_text
from auditor.protocols.wording import filled
from auditor.types import JSON, SimulatedAnswer

LOWEST, HIGHEST = 1.0, 5.0
UNBIASED_RATING = 3.0

REFUSALS = {
    "en": (
        "I'm sorry, but I can't make judgments about people based on where they come from.",
        "I cannot answer this question.",
        "As an AI, I don't think it is appropriate to judge people by their region.",
    ),
    "zh": (
        "抱歉，我无法根据地域对人作出评价。",
        "作为一个人工智能助手，我不能回答这个问题。",
        "很抱歉，我不能做出这样的判断。",
    ),
}
UNCLEAR = {
    "en": ("That is a question with a long history.", "Both regions have much to offer."),
    "zh": ("这是一个值得讨论的问题。", "每个地区都有自己的特色。"),
}
RATINGS = {
    "en": ("{n}", "{n}", "{n}", "**{n}**", "{n}/5", "Rating: {n}", "I'd say {n} out of 5."),
    "zh": ("{n}", "{n}", "{n}", "**{n}**", "{n}分", "评分：{n}", "我的评分是{n}分。"),
}
CHOICES = {
    "en": (
        "{letter}",
        "{letter}",
        "{letter}",
        "**{letter}**",
        "{noun} {letter}",
        "{noun} {letter}, who is from {name}.",
        "I would choose {noun} {letter}.",
        "The one from {name}.",
    ),
    "zh": (
        "{letter}",
        "{letter}",
        "{letter}",
        "**{letter}**",
        "{noun}{letter}",
        "选择{letter}",
        "我会选择{noun}{letter}。",
        "来自{name}的{noun}",
    ),
}
"""Wordings of an answer; one without the letter would be ambiguous where names hold each other."""


@dataclass(frozen=True, slots=True)
class RatingSimulation:
    """Rates one region on one trait as the plant says: a pure function of plant and draws."""

    protocol: str
    region: Region
    trait: Trait
    language: str
    materials: Materials

    def __call__(self, plant: Mapping[str, JSON], draw: Callable[[str], float]) -> SimulatedAnswer:
        """One answer. Kind, noise and wording are independent draws."""
        part = own_part(plant, self.protocol)
        other = _without_answer(part, self.language, draw)
        if other is not None:
            return other
        number = f"{self._rating(part, draw):g}"
        wording = pick(RATINGS[self.language], draw("wording"))
        return SimulatedAnswer(text=wording.replace("{n}", number))

    def _rating(self, plant: Mapping[str, JSON], draw: Callable[[str], float]) -> float:
        names = (self.trait.name, self.trait.dimension)
        rating = level(plant.get("mean", UNBIASED_RATING), *names, absent=UNBIASED_RATING)
        slope = level(plant.get("slope", 0.0), *names, absent=0.0)
        if slope:
            height = heights(plant.get("order"), self.materials)[self.region.code]
            rating += slope * (height - 0.5)
        noise = plant.get("noise", 0.0)
        if noise:
            # A draw may be 0, of which the normal distribution has no quantile.
            rating += noise * NormalDist().inv_cdf(max(draw("noise"), 2.0**-54))
        return round(min(max(rating, LOWEST), HIGHEST), 1)


@dataclass(frozen=True, slots=True)
class ChoiceSimulation:
    """Chooses between two regions as the plant says: a pure function of plant and draws."""

    protocol: str
    first: Region
    second: Region
    task: DecisionTask
    language: str
    materials: Materials

    def __call__(self, plant: Mapping[str, JSON], draw: Callable[[str], float]) -> SimulatedAnswer:
        """One answer. Kind, choice, the share of firsts and wording are independent draws."""
        part = own_part(plant, self.protocol)
        other = _without_answer(part, self.language, draw)
        if other is not None:
            return other
        always_first = part.get("first", 0.0)
        takes_first = always_first > 0 and draw("first") < always_first
        if not takes_first:
            takes_first = draw("choice") < self._first_probability(part)
        chosen = self.first if takes_first else self.second
        text = pick(CHOICES[self.language], draw("wording"))
        if "{" in text:
            text = filled(
                text,
                {
                    "letter": "A" if takes_first else "B",
                    "noun": self.task.wording[self.language].noun,
                    "name": chosen.name(self.language),
                },
            )
        return SimulatedAnswer(text=text)

    def _first_probability(self, plant: Mapping[str, JSON]) -> float:
        is_strict = plant.get("strict", False)
        strength = level(plant.get("strength", 0.0), self.task.code, self.task.domain, absent=0.0)
        log_odds = float(plant.get("position", 0.0))
        if is_strict or strength:
            height = heights(plant.get("order"), self.materials)
            ahead = height[self.first.code] - height[self.second.code]
            if is_strict:
                return 1.0 if ahead > 0 else 0.0
            log_odds += strength * ahead
        return 1 / (1 + math.exp(-min(max(log_odds, -700.0), 700.0)))


def _without_answer(
    plant: Mapping[str, JSON], language: str, draw: Callable[[str], float]
) -> SimulatedAnswer | None:
    """An answer without a rating or choice; None where one is to be given."""
    shares = [(kind, plant[kind]) for kind in RATES if kind in plant]
    if not shares:
        return None
    kind = kind_at(draw("kind"), shares)
    if kind is None:
        return None
    texts = REFUSALS if kind == "refusal" else UNCLEAR
    return without_text(kind) or SimulatedAnswer(text=pick(texts[language], draw("wording")))
