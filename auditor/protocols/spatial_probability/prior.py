"""A model's own lean between the options: the prompts without a place."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from auditor.protocols.base import Materials
from auditor.protocols.plants import check_number, own_part
from auditor.protocols.spatial_explicit.plant import RATES
from auditor.protocols.spatial_explicit.plant import check_plant as check_explicit
from auditor.protocols.spatial_explicit.prompts import Space
from auditor.protocols.spatial_explicit.simulation import ExplicitSimulation
from auditor.types import JSON, SimulatedAnswer

NEUTRAL_PROMPTS = "spatial/neutral_prompts.toml"
NO_SPACE = "no space"
"""The level of `space` of a trial that names none."""
PRIOR = "prior"
"""Key of a plant: probability of "men" without a place (0.5)."""


def neutral_wording(materials: Materials) -> Mapping[str, str]:
    """Wording of each prompt without a place, by its number."""
    wording: Mapping[str, str] = tomllib.loads(materials[NEUTRAL_PROMPTS])["prompts"]
    return wording


def check_plant(plant: Mapping[str, JSON], materials: Materials) -> str | None:
    """As of `spatial.explicit`, and `prior` beside its keys."""
    wrong = check_number(PRIOR, plant.get(PRIOR, 0.5), 0, 1)
    rest = {key: value for key, value in plant.items() if key != PRIOR}
    return wrong or check_explicit(rest, materials)


@dataclass(frozen=True, slots=True)
class NeutralSimulation:
    """Answers a prompt without a place: a pure function of plant and draws."""

    protocol: str
    prompt: str

    def __call__(self, plant: Mapping[str, JSON], draw: Callable[[str], float]) -> SimulatedAnswer:
        """As of a space whose `men` is the planted prior."""
        part = own_part(plant, self.protocol)
        neutral = {key: value for key, value in part.items() if key in RATES}
        simulation = ExplicitSimulation(
            protocol=self.protocol,
            spaces=(Space("place in question", "public"),),
            place=0,
            prompt=self.prompt,
        )
        return simulation({**neutral, "men": part.get(PRIOR, 0.5)}, draw)
