"""What rows point at, by its id: found in the store, or stored once and given one."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping

from auditor.canonical import canonical_json, text_digest16
from auditor.store.rows import IdCounters, Rows
from auditor.store.statements import ManyRows, insert
from auditor.store.texts import stored_text, without_surrogates
from auditor.types import Cell

_CACHED_TEXTS = 4096
_CACHED_CHARACTERS = 512
_CELLS_OF = ManyRows("SELECT key, id FROM cells WHERE key IN (", "?", ")")
_TEXTS_OF = ManyRows("SELECT hash, id FROM texts WHERE hash IN (", "?", ")")
_TEXTS = insert("texts", 3)


class Ids:
    """The ids that rows of one transaction need.

    New texts and served models are stored at once; new cells and trials are rows of their own.
    """

    def __init__(self, connection: sqlite3.Connection, counters: IdCounters, rows: Rows) -> None:
        self._connection = connection
        self._counters = counters
        self._rows = rows
        self._new_cells: dict[bytes, int] = {}
        self._target_ids: dict[str, int] = {}

    def text(self, text: str | None) -> int | None:
        """The id of a text, stored if it is not yet; None stays None."""
        if text is None:
            return None
        cache = self._counters.text_ids
        short = len(text) <= _CACHED_CHARACTERS
        if short and text in cache:
            return cache[text]
        key = text_digest16(text)
        found = self._connection.execute("SELECT id FROM texts WHERE hash = ?", (key,)).fetchone()
        if found:
            number = int(found[0])
        else:
            self._counters.text += 1
            number = self._counters.text
            self._connection.execute(
                "INSERT INTO texts VALUES (?, ?, ?)", (number, key, stored_text(text))
            )
            self._rows.digested["texts"].append((number, key.hex()))
        if short:
            cache[text] = number
            if len(cache) > _CACHED_TEXTS:
                cache.popitem(last=False)
        return number

    def _texts(self, texts: list[str]) -> dict[str, int]:
        """The ids of long texts, stored if they are not yet, by few statements."""
        keys = {text_digest16(text): text for text in texts}
        found = {bytes(key): int(number) for key, number in self._known(_TEXTS_OF, keys)}
        rows: list[tuple[int, bytes, str | bytes]] = []
        for key, text in keys.items():
            if key not in found:
                self._counters.text += 1
                number = found[key] = self._counters.text
                rows.append((number, key, stored_text(text)))
                self._rows.digested["texts"].append((number, key.hex()))
        _TEXTS(self._connection, rows)
        return {text: found[key] for key, text in keys.items()}

    def served(self, model: str | None, fingerprint: str | None) -> int | None:
        """The id of (served model, fingerprint), stored if it is new."""
        if model is None and fingerprint is None:
            return None
        known = self._counters.served_ids.get((model, fingerprint))
        if known is not None:
            return known
        key = (without_surrogates(model), without_surrogates(fingerprint))
        found = self._connection.execute(
            "SELECT id FROM served WHERE model IS ? AND fingerprint IS ?", key
        ).fetchone()
        if found is None:
            found = self._connection.execute(
                "INSERT INTO served (model, fingerprint) VALUES (?, ?) RETURNING id", key
            ).fetchone()
        self._counters.served_ids[model, fingerprint] = int(found[0])
        return int(found[0])

    def cell(self, key: bytes) -> int | None:
        """The id of a cell that is stored, or that this transaction stores; else None."""
        known = self._new_cells.get(key)
        if known is None:
            found = self._connection.execute(
                "SELECT id FROM cells WHERE key = ?", (key,)
            ).fetchone()
            known = int(found[0]) if found else None
        return known

    def cells(self, cells: Mapping[bytes, Cell]) -> dict[bytes, int]:
        """The ids of planned cells, stored if they are not yet, by few statements."""
        ids = {key: self._new_cells[key] for key in cells if key in self._new_cells}
        asked = [key for key in cells if key not in ids]
        ids.update((bytes(key), int(number)) for key, number in self._known(_CELLS_OF, asked))
        new = [cells[key] for key in asked if key not in ids]
        prompts = [
            json.dumps([m.as_json() for m in cell.messages], ensure_ascii=False) for cell in new
        ]
        prompt_ids = self._texts(prompts)
        for cell, prompt in zip(new, prompts, strict=True):
            ids[cell.key] = self.new_cell(
                key=cell.key,
                protocol=cell.protocol,
                target_id=self._target(cell.target),
                factors=cell.factors_json,
                prompt_id=prompt_ids[prompt],
                params=canonical_json(cell.params),
                place=cell.place,
                repetitions=cell.repetitions,
                origin="planned",
            )
        return ids

    def _target(self, name: str) -> int:
        if name not in self._target_ids:
            found = self._connection.execute("SELECT id FROM targets WHERE name = ?", (name,))
            self._target_ids[name] = int(found.fetchone()[0])
        return self._target_ids[name]

    def new_cell(
        self,
        *,
        key: bytes,
        protocol: str,
        target_id: int,
        factors: str,
        prompt_id: int | None,
        params: str,
        place: int,
        repetitions: int,
        origin: str,
    ) -> int:
        """Store a cell that is new and give its id."""
        self._counters.cell += 1
        number = self._new_cells[key] = self._counters.cell
        fixed = (protocol, target_id, factors, prompt_id, params)
        self._rows.cells.append((number, key, *fixed, place, repetitions, origin))
        self._rows.digested["cells"].append((number, key.hex(), *fixed, origin))
        return number

    def new_trial(self, cell_id: int, repetition: int, key: bytes, seq: int) -> int:
        """Store a trial that is new and give its id."""
        self._counters.trial += 1
        number = self._counters.trial
        self._rows.trials.append((number, cell_id, repetition, key, seq))
        self._rows.digested["trials"].append((number, cell_id, repetition, key.hex(), seq))
        return number

    def _known(self, statement: ManyRows, keys: Iterable[bytes]) -> list[tuple[bytes, int]]:
        """(key, id) of those of these keys that are stored."""
        return statement(self._connection, [(key,) for key in keys])
