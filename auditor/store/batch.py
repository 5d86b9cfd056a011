"""One transaction's worth of records, turned into rows: ids given out, texts stored once."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping
from operator import add

from auditor.canonical import canonical_json, text_digest16
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
from auditor.store.schema import EVENT_KINDS
from auditor.store.statements import ManyRows, insert
from auditor.store.texts import stored_text
from auditor.types import Cell

_KIND = {name: number for number, name in enumerate(EVENT_KINDS, start=1)}
_CACHED_TEXTS = 4096
_CACHED_CHARACTERS = 512
_RATE_LIMITED_STATUS = 429
_CELLS_OF = ManyRows("SELECT key, id FROM cells WHERE key IN (", "?", ")")
_TEXTS_OF = ManyRows("SELECT hash, id FROM texts WHERE hash IN (", "?", ")")
_TEXTS = insert("texts", 3)


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
        self._events = self._rows.digested["events"]
        self._new_cells: dict[bytes, int] = {}
        self._target_ids: dict[str, int] = {}
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
                self._rows.digested["alarms"].append((seq, _valid(record.message)))
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

    def text_id(self, text: str | None) -> int | None:
        """The id of a text, stored if it is not yet; None stays None."""
        if text is None:
            return None
        cache = self._counters.text_ids
        short = len(text) <= _CACHED_CHARACTERS
        if short and text in cache:
            return cache[text]
        key = text_digest16(text)
        found = self.connection.execute("SELECT id FROM texts WHERE hash = ?", (key,)).fetchone()
        if found:
            number = int(found[0])
        else:
            self._counters.text += 1
            number = self._counters.text
            self.connection.execute(
                "INSERT INTO texts VALUES (?, ?, ?)", (number, key, stored_text(text))
            )
            self._rows.digested["texts"].append((number, key.hex()))
        if short:
            cache[text] = number
            if len(cache) > _CACHED_TEXTS:
                cache.popitem(last=False)
        return number

    def _text_ids(self, texts: list[str]) -> dict[str, int]:
        """The ids of long texts, stored if they are not yet, by few statements."""
        keys = {text_digest16(text): text for text in texts}
        found = {bytes(key): int(number) for key, number in _known(_TEXTS_OF, self, keys)}
        rows: list[tuple[int, bytes, str | bytes]] = []
        for key, text in keys.items():
            if key not in found:
                self._counters.text += 1
                number = found[key] = self._counters.text
                rows.append((number, key, stored_text(text)))
                self._rows.digested["texts"].append((number, key.hex()))
        _TEXTS(self.connection, rows)
        return {text: found[key] for key, text in keys.items()}

    def served_id(self, model: str | None, fingerprint: str | None) -> int | None:
        """The id of (served model, fingerprint), stored if it is new."""
        if model is None and fingerprint is None:
            return None
        known = self._counters.served_ids.get((model, fingerprint))
        if known is not None:
            return known
        key = (_valid(model), _valid(fingerprint))
        found = self.connection.execute(
            "SELECT id FROM served WHERE model IS ? AND fingerprint IS ?", key
        ).fetchone()
        if found is None:
            found = self.connection.execute(
                "INSERT INTO served (model, fingerprint) VALUES (?, ?) RETURNING id", key
            ).fetchone()
        self._counters.served_ids[model, fingerprint] = int(found[0])
        return int(found[0])

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
        cell_ids = self._cell_ids(cells) if cells else {}
        for trial in record.trials:
            if trial.cell_id is None:
                trial.cell_id = cell_ids[trial.cell.key]
            if trial.trial_id is None:
                trial.trial_id = self.new_trial(trial.cell_id, trial.repetition, trial.key, seq)
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

    def cell_id_of(self, key: bytes) -> int | None:
        """The id of a cell that is stored, or that this transaction stores; else None."""
        known = self._new_cells.get(key)
        if known is None:
            found = self.connection.execute("SELECT id FROM cells WHERE key = ?", (key,)).fetchone()
            known = int(found[0]) if found else None
        return known

    def _cell_ids(self, cells: Mapping[bytes, Cell]) -> dict[bytes, int]:
        """The ids of planned cells, stored if they are not yet, by few statements."""
        ids = {key: self._new_cells[key] for key in cells if key in self._new_cells}
        asked = [key for key in cells if key not in ids]
        ids.update((bytes(key), int(number)) for key, number in _known(_CELLS_OF, self, asked))
        new = [cells[key] for key in asked if key not in ids]
        prompts = [
            json.dumps([m.as_json() for m in cell.messages], ensure_ascii=False) for cell in new
        ]
        prompt_ids = self._text_ids(prompts)
        for cell, prompt in zip(new, prompts, strict=True):
            ids[cell.key] = self.new_cell(
                key=cell.key,
                protocol=cell.protocol,
                target_id=self._target_id(cell.target),
                factors=cell.factors_json,
                prompt_id=prompt_ids[prompt],
                params=canonical_json(cell.params),
                place=cell.place,
                repetitions=cell.repetitions,
                origin="planned",
            )
        return ids

    def _target_id(self, name: str) -> int:
        if name not in self._target_ids:
            found = self.connection.execute("SELECT id FROM targets WHERE name = ?", (name,))
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
                self.served_id(call.model, call.fingerprint),
                self.text_id(call.sent),
                call.reserved_usd,
                call.reserved_tokens,
                call.error_kind,
                _valid(call.error),
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
                self.text_id(response.text),
                self.text_id(response.reasoning),
                _valid(response.finish_reason),
                self.text_id(response.logprobs),
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
                self.text_id(annotation.raw),
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
                _valid(failure.message),
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
        message = _valid(record.message)
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
                _valid(gauge.reason),
                _valid(gauge.last_error),
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


def _known(statement: ManyRows, batch: Batch, keys: Iterable[bytes]) -> list[tuple[bytes, int]]:
    """(key, id) of those of these keys that are stored."""
    return statement(batch.connection, [(key,) for key in keys])


def _valid(text: str | None) -> str | None:
    """Short strings of an endpoint (errors, names), with lone surrogates made visible."""
    if text is None or text.isascii():
        return text
    return text.encode("utf-8", "backslashreplace").decode()
