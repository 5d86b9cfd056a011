"""The answers of a sample with all that its sheets say of them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from auditor.reports.strata import level_text
from auditor.store.texts import read_text
from auditor.types import JSON

_AT_ONCE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledAnswer:
    """One answer."""

    trial_id: int
    key: bytes
    target: str
    factors: Mapping[str, JSON]
    repetition: int
    question: str
    """The prompt; where it is not known, the factors."""
    text: str
    simulated: bool


def sampled_answers(
    connection: sqlite3.Connection, trials: Sequence[int]
) -> Iterator[SampledAnswer]:
    """The answers to these trials, in their order."""
    for start in range(0, len(trials), _AT_ONCE):
        block = trials[start : start + _AT_ONCE]
        rows = connection.execute(
            "SELECT t.id, t.key, g.name, c.factors, t.repetition, asked.text, body.text,"
            " g.simulated FROM trials t JOIN cells c ON c.id = t.cell_id"
            " JOIN targets g ON g.id = c.target_id JOIN _responses r ON r.trial_id = t.id"
            " JOIN texts body ON body.id = r.text_id"
            " LEFT JOIN texts asked ON asked.id = c.prompt_id"
            f" WHERE t.id IN ({', '.join('?' * len(block))})",
            block,
        )
        found = {row[0]: row for row in rows}
        for trial in block:
            _, key, target, factors, repetition, asked, text, simulated = found[trial]
            levels = json.loads(factors)
            yield SampledAnswer(
                trial_id=trial,
                key=bytes(key),
                target=target,
                factors=levels,
                repetition=repetition,
                question=_question(read_text(asked), levels),
                text=read_text(text) or "",
                simulated=bool(simulated),
            )


def _question(messages: str | None, levels: Mapping[str, JSON]) -> str:
    """What was asked, or what it was about."""
    if messages is None:
        return ", ".join(f"{name}: {level_text(level)}" for name, level in levels.items())
    turns = json.loads(messages)
    if len(turns) == 1:
        return str(turns[0]["content"])
    return "\n".join(f"{turn['role']}: {turn['content']}" for turn in turns)
