"""What the overview of `spatial.explicit` holds below its table of conditions."""

from __future__ import annotations

from auditor.protocols.base import Summary

OVERVIEW = (
    Summary(statistic="aggregated_biased_spaces"),
    Summary(statistic="valid_significant_spaces"),
    Summary(statistic="mae_total", by=("over",)),
    Summary(statistic="dc_total", by=("over",)),
    Summary(statistic="bias_consistency", by=("change",)),
    Summary(statistic="excellent_mae", by=("over",)),
    Summary(statistic="excellent_dc", by=("over",)),
    Summary(statistic="mae_average", over=("prompt",)),
    Summary(statistic="mae_average", over=("temperature",)),
    Summary(statistic="dc_average", over=("prompt",)),
    Summary(statistic="dc_average", over=("temperature",)),
    Summary(statistic="mae_average", over=("other",)),
    Summary(statistic="dc_average", over=("other",)),
)
