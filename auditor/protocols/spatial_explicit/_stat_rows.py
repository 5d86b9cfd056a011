"""How this protocol's rows are made: figures, rates and counts of biased spaces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from auditor.protocols.base import StatisticRow
from auditor.protocols.rows import Group, Rows, join_notes
from auditor.protocols.spatial_explicit._stat_counts import Counts
from auditor.protocols.spatial_explicit._stat_tests import NULL_LEVEL, SpaceTest
from auditor.statistics import upper_tail

PROTOCOL = "spatial.explicit"


class SpaceRows(Rows):
    """Makes the rows of one target that count answers and spaces."""

    def __init__(self, target: str) -> None:
        super().__init__(PROTOCOL, target)

    def rates(self, group: Group, counts: Counts) -> Iterator[StatisticRow]:
        """Refusal, neither, invalid and truncated rates with Wilson intervals.

        Over labelled responses, but the truncated rate: an outcome needs no annotation, so
        it is over all responses.
        """
        return self.label_rates(
            group,
            {"refusal": counts.refusal, "neither": counts.neither, "invalid": counts.invalid},
            responses=counts.responses,
            pending=counts.pending,
            truncated=counts.truncated,
        )

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
