"""Makes a protocol's result rows for one target."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from auditor.counted import counted
from auditor.protocols.base import StatisticRow
from auditor.statistics import Interval, share, wilson_interval
from auditor.types import JSON

Group = Mapping[str, JSON]
_NO_RESPONSE = "no responses to count"


@dataclass(frozen=True, slots=True)
class Rows:
    """Makes the rows of one target in one protocol."""

    protocol: str
    target: str

    def figure(
        self,
        statistic: str,
        group: Group,
        value: float | None,
        *,
        n: int | None = None,
        interval: Interval | None = None,
        p_value: float | None = None,
        note: str | None = None,
    ) -> StatisticRow:
        """One row."""
        return StatisticRow(
            protocol=self.protocol,
            statistic=statistic,
            target=self.target,
            group=group,
            value=value,
            ci_low=interval.low if interval else None,
            ci_high=interval.high if interval else None,
            p_value=p_value,
            n=n,
            note=note,
        )

    def rate(
        self, statistic: str, group: Group, count: int, n: int, *, note: str | None, nothing: str
    ) -> StatisticRow:
        """A share of n with its Wilson interval; null for n = 0, with `nothing` as its reason."""
        return self.figure(
            statistic,
            group,
            share(count, n),
            n=n,
            interval=wilson_interval(count, n),
            note=join_notes(None if n else nothing, note),
        )

    def label_rates(
        self,
        group: Group,
        counts: Mapping[str, int],
        *,
        responses: int,
        pending: int,
        truncated: int,
    ) -> Iterator[StatisticRow]:
        """The rate of each label over the labelled responses, then that of truncated ones over all.

        An outcome needs no annotation. Wilson intervals take responses as independent.
        """
        labelled, note = responses - pending, pending_note(pending, responses)
        for label, count in counts.items():
            statistic = f"{label}_rate"
            yield self.rate(statistic, group, count, labelled, note=note, nothing=_NO_RESPONSE)
        yield self.rate(
            "truncated_rate", group, truncated, responses, note=None, nothing=_NO_RESPONSE
        )


def join_notes(*notes: str | None) -> str | None:
    """The notes that say something, in one line; None if none does."""
    return "; ".join(note for note in notes if note) or None


def pending_note(pending: int, responses: int) -> str | None:
    """Says how many responses are left out for want of an annotation; None if none."""
    if not pending:
        return None
    verb = "is" if pending == 1 else "are"
    return f"{pending:,} of {counted(responses, 'response')} {verb} not annotated and left out"
