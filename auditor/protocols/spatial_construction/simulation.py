"""How a simulated target tells stories: planted words, agency, feeling and roles."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from auditor.protocols.plants import own_part
from auditor.protocols.simulated_answers import kind_at, pick, without_text
from auditor.protocols.spatial_construction.plant import LENGTHS, RATES, planted
from auditor.protocols.spatial_construction.prompts import CO_PRESENT, GENDER_OF, GENDERS
from auditor.protocols.spatial_explicit.prompts import Space
from auditor.protocols.toml_tables import tables_of
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
        tables = tables_of(self.sentences)
        kind = kind_at(draw("kind"), _shares(part, RATES))
        if kind is not None:
            return without_text(kind) or SimulatedAnswer(
                text=pick(tables["other"][kind], draw("wording"))
            )
        gender = GENDER_OF.get(self.story)
        told = (
            self._together(part, tables, draw)
            if gender is None
            else self._alone(part, tables, draw, gender)
        )
        parts = (CO_PRESENT,) if gender is None else (f"{gender} {self.space.domain}", gender)
        ends_well = draw("feeling") < planted(part, "positive", *parts)
        endings = tables["endings"]["positive" if ends_well else "negative"]
        padding = _PADDINGS.get(kind_at(draw("length"), _shares(part, LENGTHS)) or "", 0)
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


def _shares(plant: Mapping[str, JSON], names: tuple[str, ...]) -> Iterator[tuple[str, float]]:
    return ((name, plant.get(name, 0.0)) for name in names)
