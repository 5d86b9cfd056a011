"""Prompts of `spatial.explicit`: every space under every prompt and temperature of a spec."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from auditor.errors import UsageError
from auditor.protocols.base import Materials
from auditor.protocols.csv_lines import NotCSV, csv_lines
from auditor.protocols.likeness import as_read, hidden_in
from auditor.types import Message, Prompt

if TYPE_CHECKING:
    from auditor.protocols.spatial_explicit.params import SpatialExplicitParams

SPACES = "spatial/spaces.csv"
PROMPTS = "spatial/prompts.toml"
DOMAINS = ("public", "private")
PAPER_PROMPT = "1"
"""Under which the paper compares temperatures."""
PAPER_TEMPERATURE = 1.0
"""At which it compares prompts."""


@dataclass(frozen=True, slots=True)
class Space:
    """One micro-space of the taxonomy."""

    name: str
    domain: str
    """"public" or "private"."""


def all_spaces(materials: Materials) -> tuple[Space, ...]:
    """The taxonomy, in the file's order.

    Raises UsageError with line, value and what is allowed for a name that is missing, there twice,
    reads like another or holds characters that cannot be seen, an unknown domain, and no CSV.
    """
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
    for number, temperature in conditions(params):
        for space in spaces:
            text = wording[number].replace("{space}", space.name)
            yield Prompt(
                factors={"space": space.name, "prompt": number, "temperature": temperature},
                messages=(Message("user", text),),
                params={"temperature": temperature},
            )


def conditions(params: SpatialExplicitParams) -> Sequence[tuple[str, float]]:
    """Prompts with temperatures: each with each, or those that the paper compares.

    Raises UsageError with where="crossed" where the latter leave out one that the spec names.
    """
    every = [(number, each) for number in params.prompt for each in params.temperature]
    if params.crossed:
        return every
    chosen = [
        (number, each)
        for number, each in every
        if number == PAPER_PROMPT or each == PAPER_TEMPERATURE
    ]
    asked = {level for condition in chosen for level in condition}
    never = [f"Prompt {number}" for number in params.prompt if number not in asked]
    never += [f"temperature {each:g}" for each in params.temperature if each not in asked]
    if never:
        raise UsageError(
            "crossed = false asks prompts at temperature 1.0 and temperatures under Prompt 1, and"
            f" never asks {', '.join(never)}; allowed: other prompts than 1 with 1.0 among the"
            ' temperatures, other temperatures with "1" among the prompts',
            where="crossed",
        )
    return chosen


def _no_space(wanted: str, names: list[str]) -> UsageError:
    close = get_close_matches(wanted, names, n=1)
    meant = f" (did you mean {close[0]!r}?)" if close else ""
    return UsageError(
        f'no space {wanted!r}{meant}; allowed: "public", "private", or names in rubrics/{SPACES}',
        where="spaces",
    )


@lru_cache(maxsize=8)
def _spaces(text: str) -> tuple[Space, ...]:
    try:
        return _read(csv_lines(text))
    except NotCSV as error:
        raise _wrong(error.line, f"no CSV: {error}", "each quoted value closed") from None


def _read(lines: Iterator[tuple[int, list[str]]]) -> tuple[Space, ...]:
    _, columns = next(lines, (1, []))
    found: list[Space] = []
    known: dict[str, int] = {}
    for line, values in lines:
        if not values:
            continue
        row = dict(zip(columns, values, strict=False))
        if len(values) != len(columns) or not {"space", "domain"} <= row.keys():
            raise _wrong(line, f"{len(values)} values", ", ".join(columns))
        name, domain = row["space"], row["domain"]
        if not name.strip() or hidden_in(name) is not None:
            raise _wrong(line, f"space {name!r}", "a text that can be seen")
        if domain not in DOMAINS:
            raise _wrong(line, f"domain {domain!r}", ", ".join(DOMAINS))
        first = known.setdefault(as_read(name), line)
        if first != line:
            raise _wrong(line, f"space {name!r} is also in line {first}", "once")
        found.append(Space(name, domain))
    return tuple(found)


def _wrong(line: int, said: str, allowed: str) -> UsageError:
    return UsageError(f"rubrics/{SPACES}:{line}: {said}; allowed: {allowed}")


@lru_cache(maxsize=8)
def _wording(text: str) -> tuple[Mapping[str, str], Mapping[str, str]]:
    tables = tomllib.loads(text)
    wording = {number: prompt["text"] for number, prompt in tables["prompts"].items()}
    return MappingProxyType(wording), MappingProxyType(dict(tables.get("aliases", {})))
