"""What the overview of `spatial.profiling` holds."""

from __future__ import annotations

from auditor.protocols.base import Summary

OVERVIEW = (
    Summary(statistic="match_rate"),
    Summary(statistic="neutral_rate"),
    Summary(statistic="refusal_rate"),
    Summary(statistic="invalid_rate"),
    Summary(statistic="amplification", by=("space",)),
    Summary(statistic="match_rate", over=("space",)),
    Summary(statistic="neutral_rate", over=("space",)),
)
