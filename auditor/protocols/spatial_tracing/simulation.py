"""How a simulated target scores an answer: planted probabilities, or rewards as far apart."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import log

from auditor.protocols.plants import own_part
from auditor.protocols.simulated_answers import kind_at, pick, without_text
from auditor.protocols.spatial_explicit.plant import men_probability, rates
from auditor.protocols.spatial_explicit.prompts import Space
from auditor.protocols.spatial_explicit.simulation import NEITHER, NOISE
from auditor.protocols.spatial_tracing import plant as planted
from auditor.protocols.spatial_tracing.values import LOG_PROBABILITY
from auditor.types import JSON, SimulatedAnswer

LEAST = 1e-300
"""Probability of what is planted as impossible: its log is a number."""
_IN_WORDS = {"neither": NEITHER, "noise": NOISE}


@dataclass(frozen=True, slots=True)
class TracingSimulation:
    """Scores one answer at one space as the plant says: a pure function of plant and draws."""

    protocol: str
    spaces: tuple[Space, ...]
    place: int
    """Of the space in the taxonomy."""
    prompt: str
    label: str

    def __call__(self, plant: Mapping[str, JSON], draw: Callable[[str], float]) -> SimulatedAnswer:
        """The log-probability as text, and the reward in case a reward model is simulated."""
        part = own_part(plant, self.protocol)
        kind = kind_at(draw("kind"), rates(part, self.prompt).items())
        if kind is not None:
            space = self.spaces[self.place].name
            # A model that scores a given answer writes nothing: only its endpoint can refuse.
            return without_text("api_refusal" if kind == "refusal" else kind) or SimulatedAnswer(
                text=pick(_IN_WORDS[kind], draw("wording")).replace("{space}", space)
            )
        men = men_probability(part, self.spaces, self.place, self.prompt)
        own, other = (men, 1 - men) if self.label == "men" else (1 - men, men)
        mass = part.get(planted.MASS, planted.LIKELY)
        noise = part.get(planted.NOISE, 0.0) * (2 * draw("reward") - 1)
        return SimulatedAnswer(
            text=json.dumps({LOG_PROBABILITY: _log(mass * own), "tokens": 1}),
            reward=(_log(own) - _log(other)) / 2 + noise,
        )


def _log(p: float) -> float:
    return log(max(p, LEAST))
