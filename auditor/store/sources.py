"""What judges read of a store: sources that are still to be judged, and the files they go by."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auditor.store.texts import read_text
from auditor.types import JSON, Message, Outcome

JUDGED_OUTCOMES = tuple(str(outcome) for outcome in Outcome if outcome.is_judged)
_IN_JUDGED = "('" + "', '".join(JUDGED_OUTCOMES) + "')"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What a judge reads: a response's text or another annotation's value."""

    seq: int
    trial_id: int
    cell_id: int
    trial_key: bytes
    text: str
    """The response's text, or the annotation's value as JSON."""
    factors: Mapping[str, JSON] | None = None
    """The trial's factor levels, where they were asked for."""
    prompt: tuple[Message, ...] | None = None
    """What the target was asked, where that was asked for; None also for imported trials."""
    logprobs: JSON = None
    """The response's log-probabilities, where they were asked for and are there."""


_IS_LEFT_TO_JUDGES = """
    (c.origin = 'planned' OR EXISTS (SELECT 1 FROM appointed_judges WHERE judge_id = ?1)
     OR NOT EXISTS (
        SELECT 1 FROM judges b CROSS JOIN _annotations n ON n.judge_id = b.id
        WHERE b.task = (SELECT task FROM judges WHERE id = ?1)
          AND json_extract(b.configuration, '$.imported') AND n.source = {source}))"""
"""What an import brought with an annotation of the judge's task is not judged again, unless the
judge was asked for on this store."""

_CAN_BE_READ = """
    (r.text_id IS NOT NULL OR (r.logprobs_id IS NOT NULL AND EXISTS (
        SELECT 1 FROM judges
        WHERE id = ?1 AND json_extract(configuration, '$.configuration.reads') = 'logprobs')))"""
"""An import may bring log-probabilities and no text: enough for a judge that reads these."""

_UNJUDGED_RESPONSES = f"""
    FROM _responses r JOIN trials t ON t.id = r.trial_id JOIN cells c ON c.id = t.cell_id
    LEFT JOIN texts x ON x.id = r.text_id
    WHERE r.seq > ?2 AND r.outcome IN {_IN_JUDGED} AND {_CAN_BE_READ}
      AND (c.protocol, c.origin)
          IN (SELECT protocol, origin FROM planned_judges WHERE judge_id = ?1)
      AND c.superseded = 0 AND t.repetition < c.repetitions
      AND NOT EXISTS (SELECT 1 FROM _annotations a
                      WHERE a.judge_id = ?1 AND a.source = r.seq AND a.repeat = 0)
      AND {_IS_LEFT_TO_JUDGES.format(source="r.seq")}"""
_RESPONSES_TO_JUDGE = f"""
    SELECT r.seq, r.trial_id, t.cell_id, t.key, x.text {_UNJUDGED_RESPONSES} {{only}}
    ORDER BY r.seq LIMIT ?3"""
_UNJUDGED_ANNOTATIONS = f"""
    FROM _annotations s CROSS JOIN judges j ON j.id = s.judge_id
    CROSS JOIN trials t ON t.id = s.trial_id CROSS JOIN cells c ON c.id = t.cell_id
    WHERE s.seq > ?2 AND j.task = ?4 AND s.valid = 1 AND s.value <> 'null' AND s.repeat = 0
      AND (c.protocol, c.origin)
          IN (SELECT protocol, origin FROM planned_judges WHERE judge_id = ?1)
      AND (c.protocol, +s.judge_id, c.origin)
          IN (SELECT protocol, judge_id, origin FROM planned_judges)
      AND c.superseded = 0 AND t.repetition < c.repetitions
      AND NOT EXISTS (SELECT 1 FROM _annotations a
                      WHERE a.judge_id = ?1 AND a.source = s.seq AND a.repeat = 0)
      AND {_IS_LEFT_TO_JUDGES.format(source="s.seq")}"""
"""In the order of their arrival, so that a look ends with its last source: hence CROSS and +."""
_ANNOTATIONS_TO_JUDGE = f"""
    SELECT s.seq, s.trial_id, t.cell_id, t.key, s.value {_UNJUDGED_ANNOTATIONS} {{only}}
    ORDER BY s.seq LIMIT ?3"""
_ONLY_FAILED = """
    AND {source} IN (SELECT source FROM _failures WHERE judge_id = ?1 AND source <= {until})"""


def sources_to_judge(
    connection: sqlite3.Connection,
    judge_id: int,
    *,
    after: int,
    limit: int,
    reads: str | None,
    failed_until: int | None = None,
    sees: Collection[str] = (),
) -> list[Source]:
    """The next sources without an annotation by this judge, in order of their arrival.

    `reads` names the task whose annotations it reads: the valid ones of the judges of the plan,
    but those that say that there is nothing (null). None: it reads responses. With
    `failed_until`, only sources up to that sequence number at which the judge has failed. `sees`
    names what each source carries of its trial: "factors", "prompt", "logprobs", or none.
    """
    only = ""
    if failed_until is not None:
        source = "r.seq" if reads is None else "s.seq"
        only = _ONLY_FAILED.format(source=source, until=int(failed_until))
    if reads is None:
        query = _RESPONSES_TO_JUDGE.format(only=only)
        rows = connection.execute(query, (judge_id, after, limit))
    else:
        query = _ANNOTATIONS_TO_JUDGE.format(only=only)
        rows = connection.execute(query, (judge_id, after, limit, reads))
    found = rows.fetchall()
    factors = _factors(connection, found) if "factors" in sees else {}
    prompts = _prompts(connection, found) if "prompt" in sees else {}
    logprobs = _logprobs(connection, found) if "logprobs" in sees and reads is None else {}
    return [
        Source(
            seq=seq,
            trial_id=trial_id,
            cell_id=cell_id,
            trial_key=bytes(key),
            text=read_text(text) or "",
            factors=factors.get(cell_id),
            prompt=prompts.get(cell_id),
            logprobs=logprobs.get(seq),
        )
        for seq, trial_id, cell_id, key, text in found
    ]


def _factors(
    connection: sqlite3.Connection, sources: Sequence[tuple[Any, ...]]
) -> dict[int, Mapping[str, JSON]]:
    """Factor levels by cell, of the cells of these sources."""
    rows = connection.execute(
        "SELECT id, factors FROM cells WHERE id IN (SELECT value FROM json_each(?))",
        (_cell_ids(sources),),
    )
    return {cell_id: json.loads(factors) for cell_id, factors in rows}


def _prompts(
    connection: sqlite3.Connection, sources: Sequence[tuple[Any, ...]]
) -> dict[int, tuple[Message, ...]]:
    """What was asked by cell, of the cells of these sources that hold it."""
    rows = connection.execute(
        "SELECT c.id, x.text FROM cells c JOIN texts x ON x.id = c.prompt_id"
        " WHERE c.id IN (SELECT value FROM json_each(?))",
        (_cell_ids(sources),),
    )
    return {
        cell_id: tuple(Message(**turn) for turn in json.loads(read_text(text) or "[]"))
        for cell_id, text in rows
    }


def _logprobs(
    connection: sqlite3.Connection, sources: Sequence[tuple[Any, ...]]
) -> dict[int, JSON]:
    """Log-probabilities by response, of those that have some."""
    rows = connection.execute(
        "SELECT r.seq, x.text FROM _responses r JOIN texts x ON x.id = r.logprobs_id"
        " WHERE r.seq IN (SELECT value FROM json_each(?))",
        (json.dumps([seq for seq, *_ in sources]),),
    )
    return {seq: json.loads(read_text(text) or "null") for seq, text in rows}


def _cell_ids(sources: Sequence[tuple[Any, ...]]) -> str:
    return json.dumps(list(dict.fromkeys(cell_id for _, _, cell_id, _, _ in sources)))


def unjudged(
    connection: sqlite3.Connection,
    judge_id: int,
    *,
    origin: str,
    reads: str | None,
    most: int = -1,
) -> int:
    """How many sources of one origin a judge has still to read; counted one by one, up to `most`.

    Those at which it has failed are none of them. A negative `most` is no limit.
    """
    sources, seq = _UNJUDGED_RESPONSES, "r.seq"
    given: list[object] = [judge_id, checkpoint(connection, judge_id), origin]
    if reads is not None:
        sources, seq = _UNJUDGED_ANNOTATIONS, "s.seq"
        given.append(reads)
    found = connection.execute(
        f"SELECT count(*) FROM (SELECT 1 {sources} AND c.origin = ?3 AND {seq} NOT IN"
        " (SELECT source FROM _failures WHERE judge_id = ?1 AND source IS NOT NULL)"
        f" LIMIT {most:d})",
        given,
    )
    return int(found.fetchone()[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenSources:
    """What a judge has to read and has read, whether or not the plan knows it yet."""

    done: int
    """Sources with its annotation."""
    open: int
    """Sources without one, those at which it failed included."""
    sent: int
    """Open ones that are short enough to be sent."""
    sent_bytes: int
    """UTF-8 bytes of these."""
    longest_bytes: int
    """UTF-8 bytes of the longest of these."""


_OPEN_RESPONSES = f"""
    SELECT r.seq AS seq, coalesce(x.text, '') AS text, c.origin AS origin
    FROM _responses r JOIN trials t ON t.id = r.trial_id JOIN cells c ON c.id = t.cell_id
    LEFT JOIN texts x ON x.id = r.text_id
    WHERE r.outcome IN {_IN_JUDGED} AND c.protocol = :protocol
      AND (r.text_id IS NOT NULL OR (:reads_logprobs AND r.logprobs_id IS NOT NULL))
      AND c.superseded = 0 AND t.repetition < c.repetitions"""
_OPEN_ANNOTATIONS = """
    SELECT s.seq AS seq, s.value AS text, c.origin AS origin
    FROM _annotations s JOIN judges j ON j.id = s.judge_id JOIN trials t ON t.id = s.trial_id
    JOIN cells c ON c.id = t.cell_id
    JOIN planned_judges p ON p.judge_id = s.judge_id AND p.protocol = c.protocol
         AND p.origin = c.origin
    WHERE j.task = :reads AND s.valid = 1 AND s.value <> 'null' AND s.repeat = 0
      AND c.protocol = :protocol AND c.superseded = 0 AND t.repetition < c.repetitions"""


def open_sources(
    connection: sqlite3.Connection,
    *,
    protocol: str,
    judge: bytes,
    reads: str | None,
    longest: int | None = None,
    reads_logprobs: bool = False,
    origins: Collection[str] = ("planned", "imported"),
) -> OpenSources:
    """What a judge, named by its hash, has to read of one protocol's answers of some origins.

    A text of more than `longest` characters is not sent; None: any is. A judge that reads
    log-probabilities needs no text.
    """
    found = connection.execute("SELECT id FROM judges WHERE hash = ?", (judge,)).fetchone()
    sources = _OPEN_RESPONSES if reads is None else _OPEN_ANNOTATIONS
    row = connection.execute(
        "SELECT coalesce(sum(NOT is_open), 0), coalesce(sum(is_open), 0),"
        " coalesce(sum(is_open AND is_sent), 0),"
        " coalesce(sum(CASE WHEN is_open AND is_sent THEN length(CAST(text AS BLOB)) END), 0),"
        " coalesce(max(CASE WHEN is_open AND is_sent THEN length(CAST(text AS BLOB)) END), 0)"
        " FROM (SELECT text, :longest IS NULL OR length(text) <= :longest AS is_sent,"
        " NOT EXISTS (SELECT 1 FROM _annotations a WHERE a.judge_id = :judge"
        f" AND a.source = o.seq AND a.repeat = 0) AS is_open FROM ({sources}) o"
        " WHERE origin IN (SELECT value FROM json_each(:origins)))",
        {
            "protocol": protocol,
            "reads": reads,
            "longest": longest,
            "reads_logprobs": reads_logprobs,
            "judge": found[0] if found else None,
            "origins": json.dumps(list(origins)),
        },
    ).fetchone()
    names = ("done", "open", "sent", "sent_bytes", "longest_bytes")
    return OpenSources(**dict(zip(names, row, strict=True)))


def checkpoint(connection: sqlite3.Connection, judge_id: int) -> int:
    """The sequence number below which all sources of a judge are settled; 0 at first."""
    row = connection.execute(
        "SELECT seq FROM checkpoints WHERE judge_id = ?", (judge_id,)
    ).fetchone()
    return int(row[0]) if row else 0


def materials(connection: sqlite3.Connection) -> dict[str, str]:
    """Rubric files as they were when the run started, by path."""
    rows = connection.execute(
        "SELECT m.path, x.text FROM materials m JOIN texts x ON x.id = m.text_id"
    )
    return {path: read_text(text) or "" for path, text in rows}
