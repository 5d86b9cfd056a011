"""One transaction's worth of records, turned into rows."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterable
from operator import add

from auditor.store.ids import Ids
from auditor.store.labels import label
from auditor.store.records import (
    Alarm,
    AnnotationRow,
    Annotations,
    CallRecord,
    CountedFile,
    Dispatch,
    FailureRow,
    Gauge,
    Imported,
    Judging,
    JudgingWithdrawal,
    LeftOut,
    Profile,
    Record,
    ResponseRow,
    Results,
    Withdrawal,
)
from auditor.store.results import keep_snapshot, replace_statistics
from auditor.store.rows import IdCounters, Row, Rows
from auditor.store.tables import EVENT_KINDS
from auditor.store.texts import without_surrogates

_KIND = {name: number for number, name in enumerate(EVENT_KINDS, start=1)}
_RATE_LIMITED_STATUS = 429


class Batch:
    """Collects the rows of one transaction; `write` puts them in, in an order foreign keys allow.

    Seconds are Unix time; `clock` is passed in so that tests can name it.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        counters: IdCounters,
        epoch: int,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.connection = connection
        self._counters = counters
        self._epoch = epoch
        self._at = round(clock(), 3)
        self._rows = Rows()
        self.ids = Ids(connection, counters, self._rows)
        self._events = self._rows.digested["events"]
        self._known_labels: dict[int, list[str] | None] = {}

    def add(self, record: Record) -> None:
        """Take one record in."""
        match record:
            case CallRecord():
                self._add_call(record)
            case Annotations():
                self._add_annotations(record)
            case Dispatch():
                self._add_dispatch(record)
            case Withdrawal():
                self._add_withdrawal(record)
            case Judging():
                self.event(record.agent_id, "dispatched", None)
                self._add_judging(record)
            case JudgingWithdrawal():
                self._rows.judged.extend((record.judge_id, source) for source in record.sources)
            case Alarm():
                seq = self.event(record.agent_id, "alarm", None)
                self._rows.digested["alarms"].append((seq, without_surrogates(record.message)))
            case LeftOut():
                self._add_left_out(record)
            case Gauge():
                self._add_gauge(record)
            case Profile():
                self.event(record.agent_id, "profile", None)
                self.connection.execute(
                    "INSERT OR REPLACE INTO profiles VALUES (?, ?, ?, ?)",
                    (record.endpoint, record.model, self._at, record.findings),
                )
            case Imported() | CountedFile():
                self._add_from_outside(record)
            case Results():
                made = replace_statistics(self.connection, record.rows)
                seq = self.event(record.agent_id, "statistics", made)
                keep_snapshot(self.connection, seq=seq, versions=record.versions)

    def _add_from_outside(self, record: Imported | CountedFile) -> None:
        # Both build on this module.
        from auditor.store.corpus import add_counted
        from auditor.store.imported import add_imported

        if isinstance(record, Imported):
            add_imported(self, record)
        else:
            add_counted(self, record)

    def write(self) -> None:
        """Put all rows in. The caller commits."""
        self._rows.write(self.connection, self._counters, self._epoch)

    # -- single rows -------------------------------------------------------------------------

    def event(self, agent_id: int, kind: str, subject: int | None, at: float | None = None) -> int:
        """Journal one event and give its sequence number."""
        counters = self._counters
        counters.seq = seq = counters.seq + 1
        self._events.append((seq, self._at if at is None else at, agent_id, _KIND[kind], subject))
        return seq

    def _labels(self, judge_id: int) -> list[str] | None:
        """The labels that a judge's annotations are counted by; None: any text."""
        if judge_id not in self._known_labels:
            found = self.connection.execute(
                "SELECT labels FROM judges WHERE id = ?", (judge_id,)
            ).fetchone()
            labels = None if found is None or found[0] is None else json.loads(found[0])
            self._known_labels[judge_id] = labels
        return self._known_labels[judge_id]

    # -- records -----------------------------------------------------------------------------

    def _add_dispatch(self, record: Dispatch) -> None:
        seq = self.event(record.agent_id, "dispatched", None)
        cells = {trial.cell.key: trial.cell for trial in record.trials if trial.cell_id is None}
        cell_ids = self.ids.cells(cells) if cells else {}
        for trial in record.trials:
            if trial.cell_id is None:
                trial.cell_id = cell_ids[trial.cell.key]
            if trial.trial_id is None:
                trial.trial_id = self.ids.new_trial(trial.cell_id, trial.repetition, trial.key, seq)
            self._rows.in_flight.append(
                (
                    trial.trial_id,
                    record.agent_id,
                    record.endpoint_id,
                    self._epoch,
                    trial.attempt,
                    trial.reserved_usd,
                    trial.reserved_tokens,
                )
            )

    def _add_withdrawal(self, record: Withdrawal) -> None:
        for trial in record.trials:
            if trial.trial_id is not None:
                self.event(record.agent_id, "withdrawn", trial.trial_id)
                self._rows.landed.append((trial.trial_id,))

    def _add_judging(self, record: Judging) -> None:
        who = (record.agent_id, record.endpoint_id, self._epoch)
        for row in record.rows:
            reserved = (row.attempt, row.reserved_usd, row.reserved_tokens)
            self._rows.judging.append((record.judge_id, row.source, *who, *reserved))

    def _add_call(self, call: CallRecord) -> None:
        subject = call.attempts[0][0] if call.attempts else None
        seq = self.event(call.agent_id, "call", subject)
        self._rows.digested["_calls"].append(
            (
                seq,
                call.endpoint_id,
                call.state,
                call.attempt,
                call.latency_ms,
                call.http_status,
                call.input_tokens,
                call.output_tokens,
                call.cost_usd,
                self.ids.served(call.model, call.fingerprint),
                self.ids.text(call.sent),
                call.reserved_usd,
                call.reserved_tokens,
                call.error_kind,
                without_surrogates(call.error),
            )
        )
        for trial_id, attempt in call.attempts:
            self._rows.digested["attempts"].append((trial_id, attempt, seq))
        for response in call.responses:
            self.add_response(call.agent_id, response, call_seq=seq)
            self._rows.landed.append((response.trial_id,))
        for annotation in call.annotations:
            self.add_annotation(call.agent_id, annotation, call_seq=seq)
        for failure in call.failures:
            self._add_failure(call.agent_id, failure, call_seq=seq)
        self._rows.landed.extend((trial_id,) for trial_id in call.landed)
        for trial_id, attempt, usd in call.retrying:
            self._rows.again.append((attempt, usd, trial_id))
        if call.judging is not None:
            self._add_judging(call.judging)
        self._rows.judged.extend(call.unjudged)
        self._spend(call)

    def add_response(
        self,
        agent_id: int,
        response: ResponseRow,
        *,
        call_seq: int | None,
        served_id: int | None = None,
        at: float | None = None,
    ) -> int:
        """Store a response, count it, and give its sequence number."""
        seq = self.event(agent_id, "response", response.trial_id, at)
        self._rows.digested["_responses"].append(
            (
                seq,
                response.trial_id,
                call_seq,
                str(response.outcome),
                self.ids.text(response.text),
                self.ids.text(response.reasoning),
                without_surrogates(response.finish_reason),
                self.ids.text(response.logprobs),
                served_id,
            )
        )
        self._rows.tallies[(response.cell_id, 0, str(response.outcome))] += 1
        return seq

    def add_annotation(
        self, agent_id: int, annotation: AnnotationRow, *, call_seq: int | None = None
    ) -> int:
        """Store an annotation, count it, and give its sequence number."""
        seq = self.event(agent_id, "annotation", annotation.trial_id)
        self._rows.digested["_annotations"].append(
            (
                seq,
                annotation.judge_id,
                annotation.source,
                annotation.repeat,
                annotation.trial_id,
                int(annotation.valid),
                annotation.value,
                annotation.reason,
                self.ids.text(annotation.raw),
                call_seq,
            )
        )
        if call_seq is not None and annotation.repeat == 0:
            # Otherwise it is a part of one, and its judge goes on to ask about the source.
            self._rows.judged.append((annotation.judge_id, annotation.source))
        if annotation.repeat == 0:
            counted = label(annotation.value, self._labels(annotation.judge_id))
            self._rows.tallies[(annotation.cell_id, annotation.judge_id, counted)] += 1
        return seq

    def add_corpus_file(self, file: Row, counts: Iterable[Row]) -> None:
        """Store a counted file and its counts by space."""
        self._rows.digested["corpus_files"].append(file)
        self._rows.digested["corpus_counts"].extend(counts)

    def _add_failure(self, agent_id: int, failure: FailureRow, *, call_seq: int | None) -> None:
        seq = self.event(agent_id, "failure", failure.trial_id)
        self._rows.digested["_failures"].append(
            (
                seq,
                failure.trial_id,
                failure.judge_id,
                failure.source,
                call_seq,
                failure.kind,
                without_surrogates(failure.message),
            )
        )
        if failure.judge_id is None:
            self._rows.landed.append((failure.trial_id,))
        elif failure.source is not None:
            self._rows.judged.append((failure.judge_id, failure.source))

    def _add_annotations(self, record: Annotations) -> None:
        for row in record.rows:
            self.add_annotation(record.agent_id, row)
        for failure in record.failures:
            self._add_failure(record.agent_id, failure, call_seq=None)
        if record.checkpoint is not None:
            self._rows.checkpoints[record.judge_id] = record.checkpoint

    def _add_left_out(self, record: LeftOut) -> None:
        message = without_surrogates(record.message)
        said = "SELECT EXISTS (SELECT 1 FROM alarms WHERE message = ?)"
        if not self.connection.execute(said, (message,)).fetchone()[0]:
            seq = self.event(record.agent_id, "alarm", None)
            self._rows.digested["alarms"].append((seq, message))
        self.connection.execute(
            "UPDATE plans SET cells = 0, trials = (SELECT coalesce(sum(y.count), 0) FROM cells c"
            " JOIN tallies y ON y.cell_id = c.id AND y.judge_id = 0"
            " WHERE c.protocol = plans.protocol AND c.target_id = plans.target_id"
            " AND c.superseded = 0 AND c.repetitions > 0)"
            " WHERE protocol = ? AND target_id = (SELECT id FROM targets WHERE name = ?)",
            (record.protocol, record.target),
        )

    def _add_gauge(self, gauge: Gauge) -> None:
        self._rows.gauges.append(
            (
                gauge.endpoint,
                self._at,
                gauge.in_flight,
                gauge.concurrency,
                gauge.concurrency_limit,
                gauge.waiting_until,
                without_surrogates(gauge.reason),
                without_surrogates(gauge.last_error),
                int(gauge.is_stopped),
            )
        )

    def _spend(self, call: CallRecord) -> None:
        is_unknown = call.state == "unknown"
        # A call that failed with an error was not charged; one that ended well without a known
        # price was charged something that nobody knows.
        is_unpriced = call.cost_usd is None and call.state == "ok"
        amounts = (
            1,
            call.attempt > 1,
            call.http_status == _RATE_LIMITED_STATUS,
            is_unknown,
            is_unpriced,
            call.input_tokens or 0,
            call.output_tokens or 0,
            call.cost_usd or 0.0,
            call.reserved_usd or 0.0,
            call.reserved_tokens or 0,
        )
        key = (call.agent_id, call.endpoint_id)
        sums = self._rows.spending.get(key)
        self._rows.spending[key] = list(amounts if sums is None else map(add, sums, amounts))
