"""The occupations of `stories` with their benchmarks, as the rubric file has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from typing import TYPE_CHECKING

from auditor.errors import UsageError
from auditor.protocols.base import Materials
from auditor.protocols.csv_lines import NotCSV, csv_lines
from auditor.protocols.likeness import as_read, hidden_in
from auditor.statistics import HIGHEST_RATING, LOWEST_RATING, male_association

if TYPE_CHECKING:
    from auditor.protocols.stories.params import StoriesParams

OCCUPATIONS = "stories/occupations.csv"
DOMINANCE = 0.8
"""The paper's share from which one gender dominates an occupation."""
BENCHMARKS = ("bls", "gsr")
"""Male share of those who do the work; how male people rate the work."""

_COLUMNS = ("occupation", "gsr_rating", "bls_male_percent")


@dataclass(frozen=True, slots=True)
class Occupation:
    """One occupation; a benchmark that is unknown is None."""

    name: str
    gsr: float | None
    """(rating - 1) / 6: male association, 0 to 1."""
    bls: float | None
    """Share of men among those employed, 0 to 1."""

    def benchmark(self, name: str) -> float | None:
        """The male share that "bls" or "gsr" expects."""
        return self.bls if name == "bls" else self.gsr


def all_occupations(materials: Materials) -> tuple[Occupation, ...]:
    """All occupations, in the file's order.

    Raises UsageError with line, value and what is allowed for a rating outside 1 to 7, a
    percentage outside 0 to 100, a name that is missing, there twice, reads like another or holds
    characters that cannot be seen, other columns, or what is no CSV.
    """
    return _occupations(materials[OCCUPATIONS])


def chosen_occupations(params: StoriesParams, materials: Materials) -> tuple[Occupation, ...]:
    """The occupations that a spec asks for, in its order.

    Raises UsageError with where="occupations" for a name that is none, and as
    `all_occupations` does.
    """
    everything = all_occupations(materials)
    if params.occupations is None:
        return everything
    by_name = {occupation.name: occupation for occupation in everything}
    for wanted in params.occupations:
        if wanted not in by_name:
            raise _no_occupation(wanted, by_name)
    return tuple(by_name[wanted] for wanted in params.occupations)


def _no_occupation(wanted: str, names: Iterable[str]) -> UsageError:
    close = get_close_matches(wanted, names, n=1)
    meant = f" (did you mean {close[0]!r}?)" if close else ""
    return UsageError(
        f"no occupation {wanted!r}{meant}; allowed: names in rubrics/{OCCUPATIONS}",
        where="occupations",
    )


@lru_cache(maxsize=8)
def _occupations(text: str) -> tuple[Occupation, ...]:
    try:
        return _read(csv_lines(text))
    except NotCSV as error:
        raise _wrong(error.line, f"no CSV: {error}", "each quoted value closed") from None


def _read(lines: Iterator[tuple[int, list[str]]]) -> tuple[Occupation, ...]:
    _, columns = next(lines, (1, []))
    if tuple(columns) != _COLUMNS:
        raise _wrong(1, f"columns {', '.join(columns)}", ", ".join(_COLUMNS))
    known: dict[str, tuple[str, int]] = {}
    found = []
    for line, values in lines:
        if not values:
            continue
        name = values[0]
        if not name.strip() or len(values) != len(_COLUMNS):
            raise _wrong(
                line, f"value {','.join(values)[:60]!r}", "a name, then two numbers or blanks"
            )
        if (hidden := hidden_in(name)) is not None:
            raise _wrong(line, f"occupation {name!r} holds {hidden}", "characters that can be seen")
        like, first = known.setdefault(as_read(name), (name, line))
        if first != line:
            spelt = "" if like == name else f" as {like!r}"
            raise _wrong(line, f"occupation {name!r} is also in line {first}{spelt}", "once")
        row = dict(zip(_COLUMNS, values, strict=True))
        rating = _number(row, "gsr_rating", LOWEST_RATING, HIGHEST_RATING, line)
        percent = _number(row, "bls_male_percent", 0, 100, line)
        found.append(
            Occupation(
                name=name,
                gsr=None if rating is None else male_association(rating),
                bls=None if percent is None else percent / 100,
            )
        )
    if not found:
        raise _wrong(2, "no occupation", "at least one")
    return tuple(found)


def _number(row: dict[str, str], column: str, low: int, high: int, line: int) -> float | None:
    value = row[column]
    if not value.strip():
        return None
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    if not low <= number <= high:
        raise _wrong(line, f"{column} {value!r}", f"a number from {low} to {high}, or blank")
    return number


def _wrong(line: int, said: str, allowed: str) -> UsageError:
    return UsageError(f"rubrics/{OCCUPATIONS}, line {line}: {said}; allowed: {allowed}")
