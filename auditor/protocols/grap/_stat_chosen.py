"""The part of a score table that a probe is fitted to, and what is left out of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from auditor.counted import counted
from auditor.protocols.grap._stat_scores import Floats, ScoreTable
from auditor.protocols.rows import join_notes
from auditor.statistics.rounding import tied

LEAST_PAIRS = 10
"""Two for each fold: below, nothing is fitted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """Pairs and dimensions without a gap."""

    scores: Floats
    """(pairs, 2, dimensions)"""
    pairs: tuple[int, ...]
    dimensions: tuple[str, ...]
    left_out: Mapping[str, str]
    """Dimensions that are wanted and not here, each with the reason."""
    incomplete: int
    """Pairs left out for want of a side or of a dimension."""

    @property
    def responses(self) -> int:
        """Both sides of all pairs."""
        return 2 * len(self.pairs)

    @property
    def obstacle(self) -> str | None:
        """Why no probe can be fitted; None where one can."""
        if len(self.pairs) < LEAST_PAIRS:
            return f"{len(self.pairs)} complete pairs; a probe needs {LEAST_PAIRS}"
        return None if self.dimensions else "no dimension is scored and varies"

    @property
    def note(self) -> str | None:
        """What is left out, in words; None if nothing."""
        reasons = [f"{dimension} ({reason})" for dimension, reason in self.left_out.items()]
        pairs = "pair" if self.incomplete == 1 else "pairs"
        return join_notes(
            f"{self.incomplete} {pairs} left out for want of a score" if self.incomplete else None,
            f"left out: {', '.join(reasons)}" if reasons else None,
        )


def chosen(table: ScoreTable, wanted: Sequence[str], also_without: Collection[str] = ()) -> Chosen:
    """The complete part of a table in the dimensions that are wanted, in the table's order.

    A dimension is left out where fewer than half of the pairs with both sides have it on both,
    and where it is the same in every response that is left; a pair is left out where it lacks a
    side or one of the dimensions that stay. `also_without` names dimensions to leave out for a
    reason of the caller's.
    """
    left_out: dict[str, str] = {}
    has_both = table.has_both
    known = ~np.isnan(table.scores[:, 0] + table.scores[:, 1])
    kept = []
    for place, dimension in enumerate(table.dimensions):
        if dimension not in wanted or dimension in also_without:
            continue
        scored = int(known[has_both, place].sum())
        if not scored or 2 * scored < has_both.sum():
            left_out[dimension] = f"scored in {counted(scored, 'pair')}" if scored else "not scored"
        else:
            kept.append(place)
    is_complete = known[:, kept].all(axis=1) & has_both
    scores = table.scores[is_complete][:, :, kept]
    varies = [bool(len(scores) and np.ptp(tied(scores[:, :, i]))) for i in range(len(kept))]
    for place, does_vary in zip(kept, varies, strict=True):
        if len(scores) and not does_vary:
            left_out[table.dimensions[place]] = "constant"
    return Chosen(
        scores=scores[:, :, np.flatnonzero(varies)],
        pairs=tuple(np.asarray(table.pairs, dtype=object)[is_complete]),
        dimensions=tuple(
            table.dimensions[place]
            for place, does_vary in zip(kept, varies, strict=True)
            if does_vary
        ),
        left_out=left_out,
        incomplete=len(table.pairs) - int(is_complete.sum()),
    )
