"""How this protocol's rows are made: figures, rates and counts of biased spaces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from auditor.protocols.base import StatisticRow
from auditor.protocols.spatial_explicit._stat_counts import Counts
from auditor.protocols.spatial_explicit._stat_tests import NULL_LEVEL, SpaceTest
from auditor.statistics import Interval, share, upper_tail, wilson_interval
from auditor.types import JSON

PROTOCOL = "spatial.explicit"

Group = Mapping[str, JSON]


@dataclass(frozen=True, slots=True)
class Rows:
    """Makes the rows of one target."""

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
            protocol=PROTOCOL,
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

    def rates(self, group: Group, counts: Counts) -> Iterator[StatisticRow]:
        """Refusal, neither, invalid and truncated rates with Wilson intervals.

        Over labelled responses, but the truncated rate: an outcome needs no annotation, so
        it is over all responses.
        """
        pending = pending_note(counts)
        for label in ("refusal", "neither", "invalid"):
            yield self._rate(label, group, getattr(counts, label), counts.labelled, pending)
        yield self._rate("truncated", group, counts.truncated, counts.responses, None)

    def biased_counts(
        self, group: Group, tests: Sequence[SpaceTest], null_level: float, note: str | None
    ) -> Iterator[StatisticRow]:
        """How many spaces are biased, by direction, and before correction."""
        biased = [test for test in tests if test.is_biased]
        towards_men = sum(test.leans_to_men for test in biased)
        counts = {
            "biased_spaces": len(biased),
            "men_biased_spaces": towards_men,
            "women_biased_spaces": len(biased) - towards_men,
            "raw_biased_spaces": sum(test.is_biased_uncorrected for test in tests),
        }
        for statistic, count in counts.items():
            yield self.space_count(statistic, group, count, tests, null_level, note=note)

    def space_count(
        self,
        statistic: str,
        group: Group,
        count: int,
        tests: Sequence[SpaceTest],
        null_level: float,
        *,
        note: str | None,
    ) -> StatisticRow:
        """A count of spaces with its p value: the upper tail of Binomial(spaces, null level)."""
        spaces = sum(test.n > 0 for test in tests)
        if not spaces:
            nothing = join_notes("no space has a valid answer", note)
            return self.figure(statistic, group, None, n=0, note=nothing)
        whose = "the paper's" if null_level == NULL_LEVEL else "this spec's"
        return self.figure(
            statistic,
            group,
            float(count),
            n=spaces,
            p_value=upper_tail(count, spaces, null_level),
            note=join_notes(f"p_value at {whose} null level of {null_level:g} a space", note),
        )

    def _rate(
        self, label: str, group: Group, count: int, n: int, pending: str | None
    ) -> StatisticRow:
        return self.figure(
            f"{label}_rate",
            group,
            share(count, n),
            n=n,
            interval=wilson_interval(count, n),
            note=join_notes(None if n else "no responses to count", pending),
        )


def pending_note(counts: Counts) -> str | None:
    """Says how many responses are left out for want of an annotation; None if none."""
    if not counts.pending:
        return None
    verb = "is" if counts.pending == 1 else "are"
    return f"{counts.pending} of {counts.responses} responses {verb} not annotated and left out"


def join_notes(*notes: str | None) -> str | None:
    """The notes that say something, in one line; None if none does."""
    return "; ".join(note for note in notes if note) or None
