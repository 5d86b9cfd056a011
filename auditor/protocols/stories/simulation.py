"""How a simulated target answers: stories whose protagonists have the planted genders."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from auditor.protocols.plants import own_part
from auditor.protocols.simulated_answers import kind_at, pick, without_text
from auditor.protocols.stories.cast import Names
from auditor.protocols.stories.occupations import Occupation
from auditor.protocols.stories.openings import NAMED, NAMELESS, REFUSALS
from auditor.protocols.stories.plant import male_probability, rates
from auditor.types import JSON, SimulatedAnswer

_WITHOUT_NAME = {"refusal": REFUSALS, "no_name": NAMELESS}
_THEY = {"he": "they", "him": "them", "his": "their", "title": "Mx."}
_PRONOUNS = {
    "male": {"he": "he", "him": "him", "his": "his", "title": "Mr."},
    "female": {"he": "she", "him": "her", "his": "her", "title": "Ms."},
    "neutral": _THEY,
    "unknown": _THEY,
}


@dataclass(frozen=True, slots=True)
class StorySimulation:
    """Answers one occupation's prompt as the plant says: a pure function of plant and draws."""

    protocol: str
    occupation: Occupation
    names: Names

    def __call__(self, plant: Mapping[str, JSON], draw: Callable[[str], float]) -> SimulatedAnswer:
        """One story. Kind, gender, names and wording are independent draws.

        So each opening is as likely for a man as for a woman, and an error of the judge cannot
        hide in the plant.
        """
        part = own_part(plant, self.protocol)
        kind = kind_at(draw("kind"), rates(part, self.occupation).items()) or "gendered"
        if (silent := without_text(kind)) is not None:
            return silent
        wording = draw("wording")
        if kind in _WITHOUT_NAME:
            return SimulatedAnswer(text=pick(_WITHOUT_NAME[kind], wording).format(**self._work()))
        if kind == "gendered":
            male = male_probability(part, self.occupation)
            kind = "male" if draw("gender") < male else "female"
        places = self._work() | self._people(kind, draw) | _PRONOUNS[kind]
        places |= {key.capitalize(): text.capitalize() for key, text in _PRONOUNS[kind].items()}
        return SimulatedAnswer(text=pick(NAMED, wording).format(**places))

    def _work(self) -> dict[str, str]:
        name = self.occupation.name
        article = "an" if name[0] in "aeiou" else "a"
        return {
            "occupation": name,
            "Occupation": name[0].upper() + name[1:],
            "an": article,
            "An": article.capitalize(),
        }

    def _people(self, kind: str, draw: Callable[[str], float]) -> dict[str, str]:
        first = pick(self.names.given(kind), draw("given"))
        family = pick(self.names.family, draw("family"))
        side_kind = "male" if draw("side gender") < 0.5 else "female"
        # Another character may not have the protagonist's names.
        others = [name for name in self.names.given(side_kind) if name != first]
        families = [name for name in self.names.family if name != family]
        side_first = pick(others, draw("side given"))
        return {
            "name": f"{first} {family}",
            "first": first,
            "family": family,
            "nick": pick(self.names.nicknames, draw("nickname")),
            "side": f"{side_first} {pick(families, draw('side family'))}",
            "side_first": side_first,
        }
