"""What the overview of `stories` holds."""

from __future__ import annotations

from auditor.protocols.base import Summary

OVERVIEW = (
    Summary(statistic="female_share"),
    Summary(statistic="median_male_share"),
    Summary(statistic="kendall_tau", by=("benchmark",)),
    Summary(statistic="ampd", by=("benchmark",)),
    Summary(statistic="tau_difference"),
    Summary(statistic="female_dominant", by=("threshold",)),
    Summary(statistic="male_dominant", by=("threshold",)),
    Summary(statistic="refusal_rate"),
    Summary(statistic="invalid_rate"),
    Summary(statistic="no_name_rate"),
    Summary(statistic="unknown_rate"),
    Summary(statistic="pronoun_agreement"),
    Summary(statistic="male_share", over=("occupation",), ends=True),
    Summary(statistic="tuning_shift", by=("other",), over=("occupation",), ends=True),
)
