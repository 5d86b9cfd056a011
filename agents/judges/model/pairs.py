"""The pairs of a judge that is shown two responses in one call."""

from __future__ import annotations

from agents.judges.base import Verdict
from agents.judges.model.judge import NO_PARTNER, ModelJudge
from agents.judges.model.subject import Subject
from auditor.store.sources import Source
from auditor.store.store import Store
from auditor.store.subjects import Partner, has_failed, partner


class Pairs:
    """Finds the other response of a pair in the store; remembers nothing.

    The response that came last brings both: so a source that waits holds nothing up, and whatever
    brings its partner, be it in another run, brings it.
    """

    def __init__(self, store: Store, judge: ModelJudge, judge_id: int) -> None:
        self._store = store
        self._judge = judge
        self._judge_id = judge_id

    def of(self, source: Source) -> Subject | Verdict | None:
        """The pair that a source brings; None where the other one brings it, now or one day.

        A verdict where no judge will ever read the other one, since it has no text.
        """
        other = self._partner(source)
        if other is None:
            return None
        if not other.has_text:
            return NO_PARTNER
        if not other.is_judged and other.source.seq > source.seq:
            return None
        shown = self._judge.in_order((source, other.source))
        judged = frozenset((other.source.seq,) if other.is_judged else ())
        return Subject(source, shown, judged)

    def is_missed(self, source: Source) -> bool:
        """Whether the other one is not there, and nobody has said so yet."""
        return self._partner(source) is None and not has_failed(
            self._store.reader, self._judge_id, source.seq
        )

    def _partner(self, source: Source) -> Partner | None:
        pairing = self._judge.pairing
        factors = None if pairing is None else pairing.partner_of(source.factors or {})
        if factors is None:
            return None
        return partner(self._store.reader, self._judge_id, source, factors, sees=self._judge.sees)
