"""How a simulated target tells stories: planted words, agency, feeling and roles."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from auditor.protocols.plants import own_part
from auditor.protocols.simulated_answers import pick, without_text
from auditor.protocols.spatial_construction.plant import LENGTHS, RATES, planted
from auditor.protocols.spatial_construction.prompts import CO_PRESENT, GENDER_OF, GENDERS
from auditor.protocols.spatial_explicit.prompts import Space
from auditor.types import JSON, SimulatedAnswer

SENTENCES = "spatial/construction_sim.toml"
_PADDINGS = {"long": 2, "very_long": 60}
"""How often the sentence without a person is repeated: of 18 words."""

Draw = Callable[[str], float]


@dataclass(frozen=True, slots=True)
class ConstructionSimulation:
    """Tells one kind of story in one space: a pure function of plant and draws."""

    protocol: str
    space: Space
    story: str
    sentences: str
    """Text of the rubric file `SENTENCES`."""

    def __call__(self, plant: Mapping[str, JSON], draw: Draw) -> SimulatedAnswer:
        """One answer: all that is planted, and every wording, are independent draws."""
        part = own_part(plant, self.protocol)
        tables = _tables(self.sentences)
        kind = _kind(part, RATES, draw("kind"))
        if kind is not None:
            silent = without_text(kind)
            if silent is not None:
                return silent
            return SimulatedAnswer(text=pick(tables["other"][kind], draw("wording")))
        gender = GENDER_OF.get(self.story)
        told = (
            self._together(part, tables, draw)
            if gender is None
            else self._alone(part, tables, draw, gender)
        )
        parts = (CO_PRESENT,) if gender is None else (f"{gender} {self.space.domain}", gender)
        ends_well = draw("feeling") < planted(part, "positive", *parts)
        endings = tables["endings"]["positive" if ends_well else "negative"]
        padding = _PADDINGS.get(_kind(part, LENGTHS, draw("length")) or "", 0)
        padded = [tables["endings"]["padding"]] * padding
        return SimulatedAnswer(text=" ".join([told, *padded, pick(endings, draw("ending"))]))

    def _alone(
        self, plant: Mapping[str, JSON], tables: Mapping[str, Any], draw: Draw, gender: str
    ) -> str:
        parts = (f"{gender} {self.space.domain}", gender)
        is_agent = draw("agency") < planted(plant, "agent", *parts)
        is_bold = draw("boldness") < planted(plant, "bold", *parts)
        is_typical = draw("typical") < planted(plant, "typical")
        other = GENDERS[gender == GENDERS[0]]
        props = tables["props"][gender if is_typical else other][self.space.domain]
        people = tables["people"][gender]
        sentence = pick(tables["solo"]["agent" if is_agent else "patient"], draw("wording"))
        return sentence.format(
            space=self.space.name,
            noun=people["noun"],
            name=pick(people["names"], draw("name")),
            bold=pick(tables["words"]["bold" if is_bold else "gentle"], draw("adjective")),
            prop=pick(props, draw("prop")),
        )

    def _together(self, plant: Mapping[str, JSON], tables: Mapping[str, Any], draw: Draw) -> str:
        man_leads = draw("leader") < planted(plant, "man_leads", self.space.domain)
        nouns = [tables["people"][gender]["noun"] for gender in GENDERS]
        lead, other = nouns if man_leads else reversed(nouns)
        sentences = pick(list(tables["together"].values()), draw("other role"))
        return pick(sentences, draw("wording")).format(
            space=self.space.name, lead=lead, other=other
        )


def _kind(plant: Mapping[str, JSON], names: tuple[str, ...], number: float) -> str | None:
    """Which of these shares of the unit interval a number falls into; None: into none."""
    edge = 0.0
    for name in names:
        edge += plant.get(name, 0.0)
        if number < edge:
            return name
    return None


@lru_cache(maxsize=8)
def _tables(text: str) -> Mapping[str, Any]:
    return tomllib.loads(text)
