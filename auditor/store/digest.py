"""The chained digest: one per commit, over the append-only rows of that commit.

Rows go in by table and id, in canonical form, so that a verifier can compute the same digest from
the finished file. Texts go in by their hash, which a verifier checks against the text itself.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Any

COLUMNS: dict[str, str] = {
    "cells": "id, lower(hex(key)), protocol, target_id, factors, prompt_id, params, origin",
    "texts": "id, lower(hex(hash))",
    "trials": "id, cell_id, repetition, lower(hex(key)), seq",
    "events": "seq, at, agent, kind, subject",
    "_calls": (
        "seq, endpoint_id, state, attempt, latency_ms, http_status, input_tokens, output_tokens,"
        " cost_usd, served_id, sent_id, reserved_usd, reserved_tokens, error_kind, error"
    ),
    "attempts": "trial_id, attempt, call_seq",
    "_responses": (
        "seq, trial_id, call_seq, outcome, text_id, reasoning_id, finish_reason, logprobs_id,"
        " served_id"
    ),
    "_annotations": (
        "seq, judge_id, source, repeat, trial_id, valid, value, reason, raw_id, call_seq"
    ),
    "_failures": "seq, trial_id, judge_id, source, call_seq, kind, message",
    "alarms": "seq, message",
    "corpus_files": (
        "seq, corpus, place, file, size, modified_ns, content, words, field, per_space,"
        " documents, rejected, rejections, problem"
    ),
    "corpus_counts": (
        "seq, space, documents, women_sentences, women_tokens, men_sentences, men_tokens, products"
    ),
}
"""Digested columns of each append-only table, in the order in which they go in.

Left out are the columns that change (a cell's place, repetitions and whether it is superseded).
"""

_encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=True).encode


def chain(previous: bytes, rows_by_table: Iterable[tuple[str, Sequence[Sequence[Any]]]]) -> bytes:
    """The 32-byte digest of one commit. Tables without rows are left out."""
    digest = hashlib.blake2b(previous, digest_size=32)
    for table, rows in rows_by_table:
        if rows:
            digest.update(table.encode())
            digest.update(_encode(rows).encode("ascii"))
    return digest.digest()


GENESIS = bytes(32)
"""What the first commit of a store is chained to."""
