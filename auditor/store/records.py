"""What agents hand to the store's writer. Ids that a record lacks are filled in at its commit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from auditor.statistics.cooccurrence import PlaceCounts
from auditor.store.plan_record import PlannedJudge
from auditor.store.results import ResultRow
from auditor.types import Cell, Outcome


@dataclass(slots=True, kw_only=True)
class PlannedTrial:
    """A trial that is about to be sent; the same object travels on as the generator's job."""

    cell: Cell
    repetition: int
    key: bytes
    cell_id: int | None = None
    """None: the cell is new to the store."""
    trial_id: int | None = None
    """None: the trial is new to the store."""
    attempt: int = 1
    """1-based number of the attempt that comes next."""
    reserved_usd: float | None = None
    reserved_tokens: int = 0


@dataclass(slots=True, kw_only=True)
class Dispatch:
    """A block of trials, journaled before any of them is sent."""

    agent_id: int
    endpoint_id: int
    trials: Sequence[PlannedTrial]


@dataclass(slots=True, kw_only=True)
class Withdrawal:
    """Journaled trials that were not sent after all: their outcome is not unknown.

    It may be queued behind the dispatch of its trials: they have their ids by its turn.
    """

    agent_id: int
    trials: Sequence[PlannedTrial]


@dataclass(slots=True, kw_only=True)
class JudgingRow:
    """A source that a judge is about to ask its endpoint about."""

    source: int
    """Sequence number of the response or annotation that it reads."""
    attempt: int = 1
    """1-based number of the call that comes next."""
    reserved_usd: float | None = None
    reserved_tokens: int = 0


@dataclass(slots=True, kw_only=True)
class Judging:
    """A block of sources, journaled before any of them is sent."""

    agent_id: int
    endpoint_id: int
    judge_id: int
    rows: Sequence[JudgingRow]


@dataclass(slots=True, kw_only=True)
class JudgingWithdrawal:
    """Journaled sources that were not sent after all: their outcome is not unknown."""

    agent_id: int
    judge_id: int
    sources: Sequence[int]


@dataclass(slots=True, kw_only=True)
class ResponseRow:
    """What a target answered to one trial."""

    trial_id: int
    cell_id: int
    outcome: Outcome
    text: str | None
    reasoning: str | None = None
    finish_reason: str | None = None
    logprobs: str | None = None
    """JSON."""


@dataclass(slots=True, kw_only=True)
class FailureRow:
    """A trial, or a judge's work on one source, that failed for good."""

    trial_id: int
    kind: str
    message: str
    judge_id: int | None = None
    source: int | None = None


@dataclass(slots=True, kw_only=True)
class AnnotationRow:
    """What a judge says of one source."""

    judge_id: int
    source: int
    """Sequence number of the response or annotation that it reads."""
    trial_id: int
    cell_id: int
    valid: bool
    value: str | None
    """Canonical JSON; None where invalid."""
    reason: str | None = None
    raw: str | None = None
    repeat: int = 0


@dataclass(slots=True, kw_only=True)
class CallRecord:
    """One request over the wire, with all that came of it, in one transaction."""

    agent_id: int
    endpoint_id: int
    state: str
    """ok, failed or unknown."""
    started_at: float
    """Unix seconds."""
    latency_ms: int | None
    attempt: int = 1
    http_status: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    model: str | None = None
    fingerprint: str | None = None
    sent: str | None = None
    """JSON of the parameters really sent."""
    reserved_usd: float | None = None
    reserved_tokens: int | None = None
    error_kind: str | None = None
    error: str | None = None
    attempts: Sequence[tuple[int, int]] = ()
    """(trial id, attempt) of every trial that it was for."""
    responses: Sequence[ResponseRow] = ()
    annotations: Sequence[AnnotationRow] = ()
    failures: Sequence[FailureRow] = ()
    retrying: Sequence[tuple[int, int, float | None]] = ()
    """(trial id, next attempt, reserved USD) of trials that will be sent again."""
    landed: Sequence[int] = ()
    """Trials that are no longer in flight although nothing came back for them."""
    judging: Judging | None = None
    """The source that it was for, where a judge will send that again."""
    unjudged: Sequence[tuple[int, int]] = ()
    """(judge id, source) of sources no longer in flight although nothing came of them."""


@dataclass(slots=True, kw_only=True)
class Annotations:
    """Annotations that cost no call, and how far their judge has come."""

    agent_id: int
    judge_id: int
    rows: Sequence[AnnotationRow]
    failures: Sequence[FailureRow] = ()
    checkpoint: int | None = None


@dataclass(slots=True, kw_only=True)
class Alarm:
    """A sentence that a reader of the run must not overlook."""

    agent_id: int
    message: str


@dataclass(slots=True, kw_only=True)
class LeftOut:
    """A target turned out to be no use to a protocol: of its plan there stays what is answered."""

    agent_id: int
    target: str
    protocol: str
    message: str
    """An alarm, said once."""


@dataclass(slots=True, kw_only=True)
class Gauge:
    """The present state of an endpoint; overwritten, not journaled."""

    endpoint: str
    in_flight: int
    concurrency: int
    concurrency_limit: int
    waiting_until: float | None = None
    reason: str | None = None
    last_error: str | None = None
    is_stopped: bool = False


@dataclass(slots=True, kw_only=True)
class ImportedResponse:
    """An answer that was collected elsewhere."""

    outcome: Outcome
    text: str | None = None
    reasoning: str | None = None
    finish_reason: str | None = None
    logprobs: str | None = None
    """JSON."""
    model: str | None = None
    at: float | None = None
    """Unix seconds; None: when it is imported."""


@dataclass(slots=True, kw_only=True)
class ImportedAnnotation:
    """A judgement that was made elsewhere."""

    judge: bytes
    """Hash of a judge that the store has, or that the same record brings."""
    valid: bool
    value: str | None
    """Canonical JSON; None where invalid."""
    reason: str | None = None
    repeat: int = 0
    reads: bytes | None = None
    """Hash of the judge whose annotation of this trial it reads; None: it reads the response."""


@dataclass(slots=True, kw_only=True)
class ImportedLine:
    """What one line of an import adds to one trial: a response, annotations, or both."""

    number: int
    """1-based place in its file."""
    protocol: str
    target: str
    simulated: bool
    factors: str
    """Canonical JSON."""
    repetition: int
    cell_key: bytes
    trial_key: bytes
    response: ImportedResponse | None = None
    """None: the trial has its response already."""
    annotations: Sequence[ImportedAnnotation] = ()


@dataclass(slots=True, kw_only=True)
class Imported:
    """A block of imported lines, with what they need to be understood."""

    agent: str
    """Name of the agent that brings them; stored if it is new."""
    lines: Sequence[ImportedLine] = ()
    judges: Sequence[PlannedJudge] = ()
    """Judges of imported answers, those of the lines among them."""
    materials: Mapping[str, str] = field(default_factory=dict)
    """Rubric files that the lines' protocols go by; those that the store has stay as they are."""
    spec: str | None = None
    """The run's spec from now on; None: as it is."""


@dataclass(slots=True, kw_only=True)
class CountedFile:
    """What one file of a corpus holds, counted to its end or to where it breaks off."""

    corpus: str
    place: str
    """Hash of its whole path; a later row of the same place stands for an earlier one."""
    file: str
    """Its name, without the folder."""
    size: int
    modified_ns: int
    content: str
    """Hash of the bytes that were read."""
    words: str
    """Hash of the lists of words."""
    text_field: str
    """The field, or column, that holds the text; empty where the file has none."""
    per_space: int | None
    """How many documents are taken of a space; None: all."""
    documents: int
    rejected: int
    rejections: Sequence[tuple[int, str]] = ()
    """(line, reason) of the first of those that were rejected."""
    problem: str | None = None
    """Why it could not be read to its end; None: it could."""
    counts: Mapping[str, PlaceCounts] = field(default_factory=dict)
    """By space."""
    materials: Mapping[str, str] = field(default_factory=dict)
    """Rubric files that it was counted by; those that the store has stay as they are."""


@dataclass(slots=True, kw_only=True)
class Results:
    """A snapshot of all statistics, in the place of the last one."""

    agent_id: int
    rows: Sequence[ResultRow]
    versions: Mapping[str, str]


@dataclass(slots=True, kw_only=True)
class Profile:
    """What an endpoint was found to do with a model; overwrites what was known."""

    agent_id: int
    endpoint: str
    model: str
    findings: str
    """JSON."""


Record = (
    Dispatch
    | Withdrawal
    | Judging
    | JudgingWithdrawal
    | CallRecord
    | Annotations
    | Alarm
    | LeftOut
    | Gauge
    | Imported
    | CountedFile
    | Results
    | Profile
)
