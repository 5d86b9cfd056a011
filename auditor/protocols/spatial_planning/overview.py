"""What the overview of `spatial.planning` holds."""

from __future__ import annotations

from auditor.protocols.base import Summary

OVERVIEW = (
    Summary(statistic="planning_odds_ratio", by=("order",)),
    Summary(statistic="male_facility_share", by=("majority", "order")),
    Summary(statistic="refusal_rate"),
    Summary(statistic="invalid_rate"),
    Summary(statistic="rationale_rate", by=("kind",)),
)
