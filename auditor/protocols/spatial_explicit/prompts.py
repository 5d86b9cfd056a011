"""Prompts of `spatial.explicit`: every space under every prompt and temperature of a spec."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from types import MappingProxyType

from auditor.errors import UsageError
from auditor.protocols.base import Materials
from auditor.protocols.spatial_explicit.params import SpatialExplicitParams
from auditor.types import Message, Prompt

SPACES = "spatial/spaces.csv"
PROMPTS = "spatial/prompts.toml"
DOMAINS = ("public", "private")


@dataclass(frozen=True, slots=True)
class Space:
    """One micro-space of the taxonomy."""

    name: str
    domain: str
    """"public" or "private"."""


def all_spaces(materials: Materials) -> tuple[Space, ...]:
    """The taxonomy, in the file's order."""
    return _spaces(materials[SPACES])


def templates(materials: Materials) -> Mapping[str, str]:
    """Wording of each prompt by its number; `{space}` stands for the space."""
    return _wording(materials[PROMPTS])[0]


def aliases(materials: Materials) -> Mapping[str, str]:
    """Other names of spaces, to the names of the taxonomy."""
    return _wording(materials[PROMPTS])[1]


def chosen_spaces(params: SpatialExplicitParams, materials: Materials) -> tuple[Space, ...]:
    """The spaces that a spec asks for, as `named_spaces` gives them."""
    return named_spaces(params.spaces, materials)


def named_spaces(names: Sequence[str] | None, materials: Materials) -> tuple[Space, ...]:
    """Spaces by name, in that order; a domain stands for all of its spaces, None for everything.

    Raises UsageError with where="spaces" for a name that is none, or a space meant twice.
    """
    everything = all_spaces(materials)
    if names is None:
        return everything
    by_name = {space.name: space for space in everything}
    other_names = aliases(materials)
    chosen: list[Space] = []
    for wanted in names:
        if wanted in DOMAINS:
            chosen.extend(space for space in everything if space.domain == wanted)
        elif (name := other_names.get(wanted, wanted)) in by_name:
            chosen.append(by_name[name])
        else:
            raise _no_space(wanted, [*by_name, *other_names])
    if not chosen:
        raise UsageError('no space; allowed: "public", "private" or spaces', where="spaces")
    for place, space in enumerate(chosen):
        if space in chosen[:place]:
            raise UsageError(f"{space.name!r} is meant twice; allowed: once", where="spaces")
    return tuple(chosen)


def all_prompts(params: SpatialExplicitParams, materials: Materials) -> Iterator[Prompt]:
    """Prompt by prompt, temperature by temperature, and all spaces within each pair of these.

    So the spaces that are tested together stand together in the plan.
    """
    spaces = chosen_spaces(params, materials)
    wording = templates(materials)
    for number in params.prompt:
        for temperature in params.temperature:
            for space in spaces:
                text = wording[number].replace("{space}", space.name)
                yield Prompt(
                    factors={"space": space.name, "prompt": number, "temperature": temperature},
                    messages=(Message("user", text),),
                    params={"temperature": temperature},
                )


def _no_space(wanted: str, names: list[str]) -> UsageError:
    close = get_close_matches(wanted, names, n=1)
    meant = f" (did you mean {close[0]!r}?)" if close else ""
    return UsageError(
        f'no space {wanted!r}{meant}; allowed: "public", "private", or names in rubrics/{SPACES}',
        where="spaces",
    )


@lru_cache(maxsize=8)
def _spaces(text: str) -> tuple[Space, ...]:
    return tuple(Space(row["space"], row["domain"]) for row in csv.DictReader(text.splitlines()))


@lru_cache(maxsize=8)
def _wording(text: str) -> tuple[Mapping[str, str], Mapping[str, str]]:
    tables = tomllib.loads(text)
    wording = {number: prompt["text"] for number, prompt in tables["prompts"].items()}
    return MappingProxyType(wording), MappingProxyType(dict(tables.get("aliases", {})))
