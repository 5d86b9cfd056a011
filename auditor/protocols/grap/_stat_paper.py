"""Rows of the authors' own probe: one split, and coefficients without the pairs that fit worst."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from auditor.counted import counted
from auditor.protocols.base import StatisticRow
from auditor.protocols.grap._stat_chosen import Chosen
from auditor.protocols.grap._stat_options import Options
from auditor.protocols.grap._stat_probe import SCALES, Setting
from auditor.protocols.grap._stat_quality import MEASURES
from auditor.protocols.rows import Rows, join_notes
from auditor.statistics import percentile_interval
from auditor.statistics.probe import fit_probe
from auditor.statistics.trimming import held_out_chances, well_fitted_pairs

PAPER = "paper"
_NO_INTERVAL = "no interval: pairs are chosen by how well they fit"


def paper_rows(
    rows: Rows, part: Chosen, options: Options, setting: Setting, note: str | None
) -> Iterator[StatisticRow]:
    """Quality on the pairs held out, and coefficients; null with the reason where none can be."""
    note = join_notes(part.note, note)
    mark = {"variant": PAPER}
    if part.obstacle is not None:
        for name in MEASURES:
            group = {"evaluation": "held_out", **setting.by_preset, **mark}
            yield rows.figure(
                f"probe_{name}", group, None, n=0, note=join_notes(part.obstacle, note)
            )
        return
    held_out, chances = held_out_chances(
        part.scores, options.shuffled(part.pairs), intercept=setting.intercept
    )
    times = options.times(len(held_out))
    for name, measure in MEASURES.items():
        yield rows.figure(
            f"probe_{name}",
            {"evaluation": "held_out", **setting.by_preset, **mark},
            measure.of(chances),
            n=chances.size,
            interval=percentile_interval(measure.resampled(chances, times)),
            note=note,
        )
    kept = well_fitted_pairs(part.scores, intercept=setting.intercept)
    dropped = len(part.pairs) - len(kept)
    probe = fit_probe(part.scores[kept], intercept=setting.intercept)
    values = {"raw": probe.raw_coefficients, "standardised": probe.coefficients}
    for place, dimension in enumerate(part.dimensions):
        for scale in SCALES:
            yield rows.figure(
                "probe_coefficient",
                {"scale": scale, "dimension": dimension, **setting.by_dimension, **mark},
                float(np.asarray(values[scale])[place]),
                n=2 * len(kept),
                note=join_notes(
                    f"{counted(dropped, 'pair')} with the highest loss dropped", _NO_INTERVAL, note
                ),
            )
