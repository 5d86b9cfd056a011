"""Small builders of stores with results to draw."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from auditor.importing import import_file
from auditor.reports.figures import (
    Findings,
    StoreFindings,
    chosen_figures,
    findings,
    read_findings,
)
from auditor.reports.figures.shapes import Drawing
from auditor.spec import parse_spec
from auditor.store.reading import open_reader
from auditor.store.results import ResultRow, read_statistics
from tests.import_builders import LEFT_OUT, Line, line, write

SPEC = 'name = "pair"\ntuned_from = {chat = "base"}\n[protocols.stories]\n'

Counts = Mapping[str, Mapping[str, tuple[int, ...]]]
"""Male, female and unknown names by target and occupation."""


def told(target: str, occupation: str, genders: tuple[int, ...]) -> Iterator[Line]:
    """Lines with so many male, female and unknown names."""
    numbers = zip(("male", "female", "unknown"), genders, strict=False)
    said = [gender for gender, count in numbers for _ in range(count)]
    for repetition, gender in enumerate(said):
        yield line(
            LEFT_OUT,
            protocol="stories",
            target=target,
            factors={"occupation": occupation},
            repetition=repetition,
            annotation={"task": "gender", "judge": "given", "value": gender},
            at="2026-03-01T12:00:00Z",
        )


def make_lines(folder: Path, counts: Counts, name: str = "a") -> Path:
    """A file to import."""
    lines = [
        each
        for target, by_occupation in counts.items()
        for occupation, genders in by_occupation.items()
        for each in told(target, occupation, genders)
    ]
    return write(folder / f"{name}.jsonl", lines)


def make_store(
    folder: Path, counts: Counts, spec: str = SPEC, *, said: list[str] | None = None
) -> Path:
    """A store of imported genders, with its statistics; `said` takes what the import says."""
    parsed = parse_spec(spec, "spec.toml", needs_targets=False)
    say = (lambda _: None) if said is None else said.append
    report = import_file(make_lines(folder, counts), folder / "a.db", spec=parsed, say=say)
    assert report.rejected == 0
    return folder / "a.db"


def read(store: Path) -> StoreFindings:
    """What figures see of a store."""
    connection = open_reader(store)
    try:
        return read_findings(store, read_statistics(connection))
    finally:
        connection.close()


def result(
    statistic: str,
    target: str,
    value: float | None,
    low: float | None = None,
    high: float | None = None,
    *,
    n: int | None = 20,
    simulated: bool = False,
    **group: object,
) -> ResultRow:
    """One row of the result table; its protocol is that of the findings it is given to."""
    return ResultRow(
        protocol="",
        statistic=statistic,
        target=target,
        group=group,
        value=value,
        ci_low=low,
        ci_high=high,
        p_value=None,
        n=n,
        note=None,
        simulated=simulated,
    )


def found_in(protocol: str, rows: Sequence[ResultRow], *more: str) -> Findings:
    """What figures see of a store with these rows; `more` are targets that have none."""
    targets = tuple(dict.fromkeys([row.target for row in rows] + list(more)))
    store = StoreFindings(
        path=Path("a.db"),
        run="a",
        rows=tuple(replace(row, protocol=protocol) for row in rows),
        moments={},
        imported=frozenset(),
        targets={protocol: targets},
        judges={protocol: {}},
        materials={},
    )
    (one,) = findings([store])
    return one


def drawings_of(name: str, found: Findings) -> list[Drawing]:
    """What a figure draws of findings."""
    (figure,) = chosen_figures([name])
    return [drawing for drawing, _ in figure.drawings(found)]
