"""What a judge asks a store about a source: the other one of its pair, and what is said already."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from auditor.canonical import canonical_json
from auditor.store.sources import JUDGED_OUTCOMES, Source
from auditor.store.texts import read_text
from auditor.types import JSON, Message

_PARTNER = """
    SELECT r.seq, t.id, c.id, t.key, x.text, r.outcome, c.factors, p.text,
           EXISTS (SELECT 1 FROM _annotations a
                   WHERE a.judge_id = ?3 AND a.source = r.seq AND a.repeat = 0)
    FROM trials own JOIN cells o ON o.id = own.cell_id
    JOIN cells c ON c.target_id = o.target_id AND c.protocol = o.protocol AND c.factors = ?2
         AND c.superseded = 0
    JOIN trials t ON t.cell_id = c.id AND t.repetition = own.repetition
         AND t.repetition < c.repetitions
    JOIN _responses r ON r.trial_id = t.id
    LEFT JOIN texts x ON x.id = r.text_id LEFT JOIN texts p ON p.id = c.prompt_id
    WHERE own.id = ?1"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Partner:
    """The response with which another one makes a pair."""

    source: Source
    has_text: bool
    """Whether judges read it; refused, filtered and empty ones are not judged."""
    is_judged: bool
    """Whether it has its annotation already."""


def partner(
    connection: sqlite3.Connection,
    judge_id: int,
    source: Source,
    factors: Mapping[str, JSON],
    *,
    sees: Collection[str] = (),
) -> Partner | None:
    """The response of these factors, of the same target, protocol and repetition; None: not there.

    `sees` as of `sources_to_judge`.
    """
    row = connection.execute(
        _PARTNER, (source.trial_id, canonical_json(dict(factors)), judge_id)
    ).fetchone()
    if row is None:
        return None
    seq, trial_id, cell_id, key, text, outcome, stored, prompt, is_judged = row
    asked = None
    if "prompt" in sees and prompt is not None:
        asked = tuple(Message(**turn) for turn in json.loads(read_text(prompt) or "[]"))
    return Partner(
        source=Source(
            seq=seq,
            trial_id=trial_id,
            cell_id=cell_id,
            trial_key=bytes(key),
            text=read_text(text) or "",
            factors=json.loads(stored) if "factors" in sees else None,
            prompt=asked,
        ),
        has_text=outcome in JUDGED_OUTCOMES,
        is_judged=bool(is_judged),
    )


def has_failed(connection: sqlite3.Connection, judge_id: int, source: int) -> bool:
    """Whether a judge has failed at a source, or has missed its partner."""
    found = connection.execute(
        "SELECT EXISTS (SELECT 1 FROM _failures WHERE judge_id = ? AND source = ?)",
        (judge_id, source),
    ).fetchone()
    return bool(found[0])


@dataclass(frozen=True, slots=True)
class StoredPart:
    """What a judge said of a source in answer to one of several questions."""

    valid: bool
    value: JSON
    reason: str | None


def stored_parts(
    connection: sqlite3.Connection, judge_id: int, source: int
) -> dict[int, StoredPart]:
    """What is said of a source already, by the number of the question from 1."""
    rows = connection.execute(
        "SELECT repeat, valid, value, reason FROM _annotations"
        " WHERE judge_id = ? AND source = ? AND repeat > 0",
        (judge_id, source),
    )
    return {
        repeat: StoredPart(bool(valid), None if value is None else json.loads(value), reason)
        for repeat, valid, value, reason in rows
    }
