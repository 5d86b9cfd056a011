"""What the overview of `spatial.tracing` holds."""

from __future__ import annotations

from auditor.protocols.base import Summary

_PROMPT = ("prompt",)

OVERVIEW = (
    Summary(statistic="reward_men_spaces", by=("prompt", "domain")),
    Summary(statistic="reward_agreement", by=("prompt", "other")),
    Summary(statistic="tuning_shift", by=("prompt", "other", "domain")),
    Summary(statistic="reward_kappa", by=("prompt", "other")),
    Summary(statistic="refusal_rate"),
    Summary(statistic="invalid_rate"),
    Summary(statistic="reward_margin", by=_PROMPT, over=("space",), ends=True),
    Summary(statistic="men_probability", by=_PROMPT, over=("space",), ends=True),
    Summary(statistic="tuning_shift", by=("prompt", "other"), over=("space",), ends=True),
)
