"""The store that a corpus is counted into: opened under lock, made if there is none."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import rubrics
from auditor.canonical import digest16
from auditor.corpus.lists import MATERIALS
from auditor.corpus.report import Say
from auditor.errors import UsageError
from auditor.importing.run import default_spec
from auditor.scheduler.opening import check_place, ready_store
from auditor.scheduler.plan import versions
from auditor.store import plan as stored
from auditor.store import sources
from auditor.store.connection import sqlite_errors
from auditor.store.corpus import StoredCorpus, read_corpus
from auditor.store.lock import last_holder
from auditor.store.plan_record import PlanRecord
from auditor.store.reading import open_reader
from auditor.store.store import Store


@dataclass(frozen=True, kw_only=True)
class Before:
    """What a store holds before files are counted into it."""

    materials: dict[str, str]
    """The rubric files that a corpus is counted by: the store's own before installed ones."""
    corpus: StoredCorpus | None
    """None: none of this name."""
    has_run: bool
    ending: str | None
    """How its run ended; None where it has none but counting."""

    def check_size(self, per_space: int | None, path: Path) -> None:
        """Raise UsageError where the corpus takes other documents of a space."""
        if self.corpus is None or self.corpus.per_space == per_space:
            return
        was = "without --per-space"
        if self.corpus.per_space is not None:
            was = f"with --per-space {self.corpus.per_space}"
        raise UsageError(
            f"--per-space: {path} has the corpus {self.corpus.name!r}, which was counted {was}",
            where="--per-space",
            hint="count it so again, or give this one another --name",
        )


def look_before(path: Path, name: str) -> Before:
    """What is at a place. Raises StoreMismatch where it is no store, and none can be made."""
    found: dict[str, str] = {}
    corpus, ending, has_run = None, None, False
    if not stored.exists(path):
        check_place(path, name)
    else:
        connection = open_reader(path)
        try:
            with sqlite_errors(path):
                found = sources.materials(connection)
                corpus = read_corpus(connection, name)
                has_run = connection.execute("SELECT 1 FROM runs").fetchone() is not None
                if connection.execute("SELECT 1 FROM plans").fetchone() is not None:
                    holder = last_holder(connection)
                    ending = None if holder is None else holder.ending
        finally:
            connection.close()
    return Before(
        materials={each: found.get(each) or rubrics.read(each) for each in MATERIALS},
        corpus=corpus,
        has_run=has_run,
        ending=ending,
    )


class CorpusStore:
    """A store while files are counted into it. How a run of its own ended stays as it was."""

    def __init__(self, path: Path, name: str, before: Before, *, say: Say) -> None:
        self._former_ending = before.ending
        with ready_store(path, say=say) as epoch:
            if not before.has_run:
                stored.write_plan(path, epoch, _empty_run(name), ())
            self.store = Store(path, epoch)

    async def close(self, *, is_done: bool) -> None:
        """Give the lock back."""
        ending = self._former_ending or ("complete" if is_done else "interrupted")
        await self.store.close("incomplete" if self.store.has_failed else ending)


def _empty_run(name: str) -> PlanRecord:
    """A run that asks nothing, as an import of no answers would begin it."""
    spec = default_spec(name, ())
    return PlanRecord(
        name=name,
        seed=1,
        simulated=False,
        spec=spec,
        spec_path=None,
        plan_hash=digest16(["imported", spec]),
        budget={},
        max_failure_rate=0.0,
        versions=versions(),
        materials={},
        targets=(),
        judges=(),
        endpoints=(),
        counts=(),
    )
