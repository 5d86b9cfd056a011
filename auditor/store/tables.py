"""The tables of a store, in SQL: those of its first version, and what each later one adds.

Every appended row has the sequence number of its event as its key, so that "what came after" is
one comparison in every table. Base tables of what people read are underscored: the views of the
same name without the underscore show names instead of ids.
"""

from __future__ import annotations

SCHEMA_VERSION = 3

TABLES = """
CREATE TABLE runs (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    name TEXT NOT NULL,
    seed INTEGER NOT NULL,
    simulated INTEGER NOT NULL,
    created_at REAL NOT NULL,
    spec TEXT NOT NULL,
    spec_path TEXT,
    plan BLOB NOT NULL,          -- hash of all that determines the cells
    budget TEXT NOT NULL,        -- JSON: usd, calls, tokens
    max_failure_rate REAL NOT NULL,
    versions TEXT NOT NULL       -- JSON: package to version
) STRICT;
CREATE TABLE specs (             -- every spec that this run has had, newest last
    id INTEGER PRIMARY KEY,
    at REAL NOT NULL,
    spec TEXT NOT NULL,
    path TEXT,
    versions TEXT NOT NULL
) STRICT;
CREATE TABLE holders (           -- processes that have written this store; the last one may live
    epoch INTEGER PRIMARY KEY,
    pid INTEGER NOT NULL,
    host TEXT NOT NULL,
    boot_id TEXT,
    process_start TEXT,
    command TEXT NOT NULL,
    since REAL NOT NULL,
    heartbeat INTEGER NOT NULL DEFAULT 0,
    beat_at REAL NOT NULL,
    ended_at REAL,
    ending TEXT                  -- complete, incomplete, budget, interrupted; null: died or lives
) STRICT;
CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    at REAL NOT NULL,
    agent INTEGER NOT NULL REFERENCES agents (id),
    kind INTEGER NOT NULL REFERENCES event_kinds (id),
    subject INTEGER
) STRICT;
CREATE TABLE event_kinds (id INTEGER PRIMARY KEY, kind TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE commits (           -- one a transaction: high-water marks and the chained digest
    seq INTEGER PRIMARY KEY,     -- last event of the transaction
    epoch INTEGER NOT NULL REFERENCES holders (epoch),
    cells INTEGER NOT NULL,
    texts INTEGER NOT NULL,
    trials INTEGER NOT NULL,
    digest BLOB NOT NULL
) STRICT;
CREATE TABLE agents (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE endpoints (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    provider TEXT NOT NULL,
    base_url TEXT,
    client TEXT NOT NULL,
    price TEXT                   -- JSON: unit prices in use and where they come from
) STRICT;
CREATE TABLE targets (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    request BLOB UNIQUE,         -- hash of what it adds to every prompt; null: imported
    model TEXT,
    settings TEXT NOT NULL,      -- JSON of what the hash covers
    origin TEXT NOT NULL CHECK (origin IN ('planned', 'imported')),
    simulated INTEGER NOT NULL
) STRICT;
CREATE TABLE judges (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    task TEXT NOT NULL,
    name TEXT NOT NULL,
    configuration TEXT NOT NULL, -- JSON of all that its annotations depend on
    simulated INTEGER NOT NULL DEFAULT 0,
    reads TEXT,                  -- task whose annotations it reads; null: it reads responses
    labels TEXT                  -- JSON: texts that the tallies count it by; null: any
) STRICT;
CREATE TABLE texts (             -- every text once; ANY: text, or bytes where it is no valid UTF-8
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    text ANY NOT NULL
) STRICT;
CREATE TABLE materials (         -- rubric files as the plan and the judges read them
    path TEXT PRIMARY KEY,
    text_id INTEGER NOT NULL REFERENCES texts (id)
) STRICT, WITHOUT ROWID;
CREATE TABLE plans (             -- what the spec plans, counted
    protocol TEXT NOT NULL,
    target_id INTEGER NOT NULL REFERENCES targets (id),
    cells INTEGER NOT NULL,
    trials INTEGER NOT NULL,
    PRIMARY KEY (protocol, target_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE planned_judges (    -- who annotates the trials of one origin
    protocol TEXT NOT NULL,
    judge_id INTEGER NOT NULL REFERENCES judges (id),
    origin TEXT NOT NULL CHECK (origin IN ('planned', 'imported')),
    PRIMARY KEY (protocol, judge_id, origin)
) STRICT, WITHOUT ROWID;
CREATE TABLE cells (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL UNIQUE,
    protocol TEXT NOT NULL,
    target_id INTEGER NOT NULL REFERENCES targets (id),
    factors TEXT NOT NULL,       -- JSON in canonical form
    prompt_id INTEGER REFERENCES texts (id),  -- JSON of the messages
    params TEXT NOT NULL,
    place INTEGER NOT NULL,      -- position in the target's plan
    repetitions INTEGER NOT NULL,-- trials that the plan in force wants; 0: not in the plan
    origin TEXT NOT NULL CHECK (origin IN ('planned', 'imported')),
    superseded INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX cells_by_factors ON cells (target_id, protocol, factors)
    WHERE superseded = 0;
CREATE TABLE trials (
    id INTEGER PRIMARY KEY,
    cell_id INTEGER NOT NULL REFERENCES cells (id),
    repetition INTEGER NOT NULL CHECK (repetition >= 0),
    key BLOB NOT NULL,
    seq INTEGER NOT NULL REFERENCES events (seq),
    UNIQUE (cell_id, repetition)
) STRICT;
CREATE TABLE in_flight (         -- journaled for sending, outcome not known yet
    trial_id INTEGER PRIMARY KEY REFERENCES trials (id),
    agent_id INTEGER NOT NULL REFERENCES agents (id),
    endpoint_id INTEGER NOT NULL REFERENCES endpoints (id),
    epoch INTEGER NOT NULL REFERENCES holders (epoch),
    attempt INTEGER NOT NULL,
    reserved_usd REAL,
    reserved_tokens INTEGER NOT NULL
) STRICT;
CREATE TABLE judging (           -- journaled for a judge's call, outcome not known yet
    judge_id INTEGER NOT NULL REFERENCES judges (id),
    source INTEGER NOT NULL REFERENCES events (seq),
    agent_id INTEGER NOT NULL REFERENCES agents (id),
    endpoint_id INTEGER NOT NULL REFERENCES endpoints (id),
    epoch INTEGER NOT NULL REFERENCES holders (epoch),
    attempt INTEGER NOT NULL,
    reserved_usd REAL,
    reserved_tokens INTEGER NOT NULL,
    PRIMARY KEY (judge_id, source)
) STRICT, WITHOUT ROWID;
CREATE TABLE served (id INTEGER PRIMARY KEY, model TEXT, fingerprint TEXT) STRICT;
CREATE TABLE _calls (
    seq INTEGER PRIMARY KEY REFERENCES events (seq),
    endpoint_id INTEGER NOT NULL REFERENCES endpoints (id),
    state TEXT NOT NULL CHECK (state IN ('ok', 'failed', 'unknown')),
    attempt INTEGER NOT NULL,
    latency_ms INTEGER,
    http_status INTEGER,
    input_tokens INTEGER,
    output_tokens INTEGER,
    cost_usd REAL,
    served_id INTEGER REFERENCES served (id),
    sent_id INTEGER REFERENCES texts (id),   -- JSON of the parameters really sent
    reserved_usd REAL,           -- set where the outcome, or what it cost, is unknown
    reserved_tokens INTEGER,
    error_kind TEXT,
    error TEXT
) STRICT;
CREATE TABLE attempts (          -- which trials a call was for
    trial_id INTEGER NOT NULL REFERENCES trials (id),
    attempt INTEGER NOT NULL,
    call_seq INTEGER NOT NULL REFERENCES _calls (seq),
    PRIMARY KEY (trial_id, attempt)
) STRICT, WITHOUT ROWID;
CREATE TABLE _responses (
    seq INTEGER PRIMARY KEY REFERENCES events (seq),
    trial_id INTEGER NOT NULL UNIQUE REFERENCES trials (id),
    call_seq INTEGER REFERENCES _calls (seq),   -- null: imported
    outcome TEXT NOT NULL
        CHECK (outcome IN ('answered', 'refused', 'filtered', 'truncated', 'empty')),
    text_id INTEGER REFERENCES texts (id),
    reasoning_id INTEGER REFERENCES texts (id),
    finish_reason TEXT,
    logprobs_id INTEGER REFERENCES texts (id),
    served_id INTEGER REFERENCES served (id)    -- imported ones; else the call knows it
) STRICT;
CREATE TABLE _annotations (
    seq INTEGER PRIMARY KEY REFERENCES events (seq),
    judge_id INTEGER NOT NULL REFERENCES judges (id),
    source INTEGER NOT NULL REFERENCES events (seq),
    repeat INTEGER NOT NULL DEFAULT 0,
    trial_id INTEGER NOT NULL REFERENCES trials (id),
    valid INTEGER NOT NULL CHECK (valid IN (0, 1)),
    value TEXT,                  -- JSON; null where invalid
    reason TEXT,
    raw_id INTEGER REFERENCES texts (id),       -- what a judge said that could not be read
    call_seq INTEGER REFERENCES _calls (seq),
    CHECK ((valid = 1) = (value IS NOT NULL)),
    UNIQUE (judge_id, source, repeat)
) STRICT;
CREATE TABLE _failures (
    seq INTEGER PRIMARY KEY REFERENCES events (seq),
    trial_id INTEGER NOT NULL REFERENCES trials (id),
    judge_id INTEGER REFERENCES judges (id),    -- null: the trial itself failed
    source INTEGER REFERENCES events (seq),
    call_seq INTEGER REFERENCES _calls (seq),
    kind TEXT NOT NULL,
    message TEXT NOT NULL
) STRICT;
CREATE INDEX failures_by_trial ON _failures (trial_id);
CREATE TABLE _statistics (
    id INTEGER PRIMARY KEY,
    protocol TEXT NOT NULL,
    statistic TEXT NOT NULL,
    target TEXT NOT NULL,
    group_levels TEXT NOT NULL,  -- JSON in canonical form
    value REAL,
    ci_low REAL,
    ci_high REAL,
    p_value REAL,
    n INTEGER,
    note TEXT,
    simulated INTEGER NOT NULL,
    UNIQUE (protocol, statistic, target, group_levels)
) STRICT;
CREATE TABLE snapshots (         -- what the statistics were computed from
    id INTEGER PRIMARY KEY CHECK (id = 1),
    seq INTEGER NOT NULL,
    at REAL NOT NULL,
    versions TEXT NOT NULL
) STRICT;
CREATE TABLE tallies (           -- counts within the plan; judge 0: outcomes of responses
    cell_id INTEGER NOT NULL REFERENCES cells (id),
    judge_id INTEGER NOT NULL,
    label TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (cell_id, judge_id, label)
) STRICT, WITHOUT ROWID;
CREATE TABLE spending (          -- sums over calls
    agent_id INTEGER NOT NULL REFERENCES agents (id),
    endpoint_id INTEGER NOT NULL REFERENCES endpoints (id),
    calls INTEGER NOT NULL,
    retries INTEGER NOT NULL,
    rate_limited INTEGER NOT NULL,
    unknown INTEGER NOT NULL,    -- calls whose outcome is unknown
    unpriced INTEGER NOT NULL,   -- calls whose cost is unknown
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cost_usd REAL NOT NULL,
    reserved_usd REAL NOT NULL,  -- of calls whose outcome, or cost, is unknown
    reserved_tokens INTEGER NOT NULL,
    PRIMARY KEY (agent_id, endpoint_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE gauges (            -- the present state of an endpoint; not journaled
    endpoint TEXT PRIMARY KEY,
    at REAL NOT NULL,
    in_flight INTEGER NOT NULL,
    concurrency INTEGER NOT NULL,
    concurrency_limit INTEGER NOT NULL,
    waiting_until REAL,
    reason TEXT,
    last_error TEXT,
    is_stopped INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE checkpoints (       -- below it, all sources of a judge are settled
    judge_id INTEGER PRIMARY KEY REFERENCES judges (id),
    seq INTEGER NOT NULL
) STRICT;
CREATE TABLE profiles (          -- what an endpoint was found to do with a model
    endpoint TEXT NOT NULL,
    model TEXT NOT NULL,
    at REAL NOT NULL,
    findings TEXT NOT NULL,      -- JSON
    PRIMARY KEY (endpoint, model)
) STRICT, WITHOUT ROWID;
CREATE TABLE alarms (
    seq INTEGER PRIMARY KEY REFERENCES events (seq),
    message TEXT NOT NULL
) STRICT;
"""
"""Of version 1."""

_APPOINTED_JUDGES = """
CREATE TABLE appointed_judges (  -- asked for on this store: they also read what an import judged
    judge_id INTEGER PRIMARY KEY REFERENCES judges (id)
) STRICT;
"""

_CORPUS_COUNTS = """
CREATE TABLE corpus_files (      -- text files that were counted; of a place the last row holds
    seq INTEGER PRIMARY KEY REFERENCES events (seq),
    corpus TEXT NOT NULL,
    place TEXT NOT NULL,         -- hash of the file's whole path, which is not kept
    file TEXT NOT NULL,          -- its name
    size INTEGER NOT NULL,
    modified_ns INTEGER NOT NULL,
    content TEXT NOT NULL,       -- hash of the bytes that were read
    words TEXT NOT NULL,         -- hash of the lists of words that it was counted by
    field TEXT NOT NULL,
    per_space INTEGER,           -- documents of a space that are taken; null: all
    documents INTEGER NOT NULL,
    rejected INTEGER NOT NULL,
    rejections TEXT NOT NULL,    -- JSON: line and reason of the first of them
    problem TEXT,                -- why it could not be read to its end; null: it could
    UNIQUE (corpus, place, seq)
) STRICT;
CREATE TABLE corpus_counts (     -- over the documents of a file that hold a space
    seq INTEGER NOT NULL REFERENCES corpus_files (seq),
    space TEXT NOT NULL,
    documents INTEGER NOT NULL,
    women_sentences INTEGER NOT NULL,
    women_tokens INTEGER NOT NULL,
    men_sentences INTEGER NOT NULL,
    men_tokens INTEGER NOT NULL,
    products TEXT NOT NULL,      -- JSON: sums of the products of these four of a document
    PRIMARY KEY (seq, space)
) STRICT, WITHOUT ROWID;
"""

MIGRATIONS: dict[int, str] = {1: _APPOINTED_JUDGES, 2: _CORPUS_COUNTS}
"""From version (key) to the next: SQL statements, each ended by ";\\n"."""

EVENT_KINDS = (
    "planned",
    "dispatched",
    "call",
    "response",
    "annotation",
    "failure",
    "alarm",
    "statistics",
    "withdrawn",
    "imported",
    "profile",
)
