"""Checking cells: that each stands under the key of what it holds, and in its place of the plan.

What a cell asks is under the digest of its commit, and its key names the row that differs. Where
it stands and how often it is asked changes with the plan, and no digest covers it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from itertools import chain, islice
from pathlib import Path
from typing import Any

from auditor.errors import StoreError
from auditor.store.connection import damaged_value
from auditor.store.imported import EVERY_REPETITION
from auditor.store.texts import read_text
from auditor.types import JSON, Cell, cell_key, imported_cell_key

MOST_NAMED = 20
"""Rows of one kind that are named one by one."""


def cell_problems(connection: sqlite3.Connection, planned: Iterable[Cell] | None) -> list[str]:
    """What of the cells is not as it was written; `planned` are those of the plan in force.

    None: the plan is not known, and only what holds in every plan is looked at. Takes as long as
    there are cells, and a bit of memory for each.
    """
    kept = _against_each_other(connection) if planned is None else _against(connection, planned)
    checks = (damaged_cells(connection), _states(connection), kept)
    return list(chain.from_iterable(islice(found, MOST_NAMED) for found in checks))


_CELLS = """
    SELECT c.id, c.key, c.origin, g.origin, c.protocol, g.name, c.target_id, c.factors, c.params,
           x.text
    FROM cells c LEFT JOIN targets g ON g.id = c.target_id LEFT JOIN texts x ON x.id = c.prompt_id
    ORDER BY c.id"""


def damaged_cells(connection: sqlite3.Connection) -> Generator[str, None, None]:
    """A sentence for each cell whose key is not that of what it holds."""
    settings = _settings(connection)
    for number, key, origin, whose, *held in connection.execute(_CELLS):
        if origin != whose:
            yield f"cells, row {number}: it is {origin}, its target {whose}"
            continue
        try:
            found = _key(origin, settings, *held)
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            yield f"cells, row {number}: what it holds cannot be read"
            continue
        if found != key:
            yield f"cells, row {number}: its key does not fit its target, factors and prompt"


def damage_of_cells(connection: sqlite3.Connection, path: Path | None = None) -> StoreError | None:
    """The sentence for a store with a damaged cell; None where all of them are sound.

    `path` is what the user calls the store; None: where it lies.
    """
    with closing(damaged_cells(connection)) as sentences:
        found = next(sentences, None)
    if found is None:
        return None
    if path is None:
        path = Path(connection.execute("PRAGMA database_list").fetchone()[2])
    return damaged_value(path, found)


def _settings(connection: sqlite3.Connection) -> dict[int, Any]:
    """The settings of every target, as JSON where they are."""
    found = {}
    for number, text in connection.execute("SELECT id, settings FROM targets"):
        try:
            found[number] = json.loads(text)
        except ValueError:
            found[number] = None
    return found


def _key(
    origin: str,
    settings: dict[int, JSON],
    protocol: str,
    name: str,
    target: int,
    factors: str,
    params: str,
    prompt: str | bytes | None,
) -> bytes:
    levels = json.loads(factors)
    if origin == "imported":
        return imported_cell_key(protocol, name, levels)
    return cell_key(
        protocol,
        settings[target],
        params=json.loads(params),
        messages=json.loads(read_text(prompt) or "null"),
        factors=levels,
    )


_STATES = f"""
    SELECT id, origin, place, repetitions, superseded FROM cells WHERE NOT CASE origin
        WHEN 'imported' THEN place = 0 AND repetitions = {EVERY_REPETITION} AND superseded = 0
        ELSE place >= 0 AND repetitions >= 0
             AND (superseded = 0 OR (superseded = 1 AND repetitions = 0)) END"""


def _states(connection: sqlite3.Connection) -> Iterator[str]:
    for number, origin, place, repetitions, superseded in connection.execute(_STATES):
        yield (
            f"cells, row {number}: place {place}, repetitions {repetitions} and superseded"
            f" {superseded} are none that a cell of origin {origin} has"
        )


_DOUBLE_PLACES = """
    SELECT max(c.id), min(c.id), c.place FROM cells c
    WHERE c.origin = 'planned' AND c.repetitions > 0 AND c.superseded = 0
    GROUP BY c.target_id, c.place HAVING count(*) > 1"""
# A target that turned out to give nothing to a protocol has no cells in what is counted of it.
_FAR_PLACES = """
    SELECT c.id, c.place, p.cells FROM cells c
    JOIN (SELECT target_id, sum(cells) AS cells FROM plans GROUP BY 1 HAVING min(cells) > 0) p
         ON p.target_id = c.target_id
    WHERE c.origin = 'planned' AND c.repetitions > 0 AND c.place >= p.cells"""
_OTHER_REPETITIONS = """
    SELECT c.id, c.repetitions, p.trials / p.cells FROM cells c
    JOIN plans p ON p.target_id = c.target_id AND p.protocol = c.protocol
    WHERE c.origin = 'planned' AND c.repetitions > 0 AND p.cells > 0
      AND c.repetitions * p.cells <> p.trials"""


def _against_each_other(connection: sqlite3.Connection) -> Iterator[str]:
    for number, other, place in connection.execute(_DOUBLE_PLACES):
        yield f"cells, row {number}: place {place} is also that of row {other}"
    for number, place, cells in connection.execute(_FAR_PLACES):
        yield f"cells, row {number}: place {place} of a target whose plan has {cells} cells"
    for number, repetitions, planned in connection.execute(_OTHER_REPETITIONS):
        yield f"cells, row {number}: {repetitions} repetitions, where its protocol has {planned}"


_MARKS = ("place", "repetitions", "superseded")


def _against(connection: sqlite3.Connection, planned: Iterable[Cell]) -> Iterator[str]:
    last = int(connection.execute("SELECT coalesce(max(id), 0) FROM cells").fetchone()[0])
    is_planned = bytearray(last // 8 + 1)
    for cell in planned:
        row = connection.execute(
            f"SELECT id, {', '.join(_MARKS)} FROM cells WHERE key = ?", (cell.key,)
        ).fetchone()
        if row is None:  # it was not asked so far
            continue
        number, *kept = row
        is_planned[number // 8] |= 1 << number % 8
        wanted = (cell.place, cell.repetitions, 0)
        for name, has, wants in zip(_MARKS, kept, wanted, strict=True):
            if has != wants:
                yield f"cells, row {number}: {name} is {has}, and {wants} by the spec"
    in_force = "SELECT id FROM cells WHERE origin = 'planned' AND repetitions > 0"
    for (number,) in connection.execute(in_force):
        if not is_planned[number // 8] >> number % 8 & 1:
            yield f"cells, row {number}: it has repetitions, and the spec does not plan it"
