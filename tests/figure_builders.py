"""Small builders of stores with results to draw."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from auditor.importing import import_file
from auditor.reports.figures import StoreFindings, read_findings
from auditor.spec import parse_spec
from auditor.store.reading import open_reader
from auditor.store.results import read_statistics
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
