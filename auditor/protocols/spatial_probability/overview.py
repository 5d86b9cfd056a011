"""What the overview of `spatial.probability` holds."""

from __future__ import annotations

from auditor.protocols.base import Summary

_PROMPT = ("prompt",)
_DOMAIN = ("prompt", "domain")

OVERVIEW = (
    Summary(statistic="t_statistic", by=_DOMAIN),
    Summary(statistic="domain_binomial", by=_DOMAIN),
    Summary(statistic="uncovered_spaces", by=_PROMPT),
    Summary(statistic="t_statistic_paired", by=_DOMAIN),
    Summary(statistic="men_prior", by=_PROMPT),
    Summary(statistic="refusal_rate"),
    Summary(statistic="invalid_rate"),
    Summary(statistic="model_pearson", by=("prompt", "other")),
    Summary(statistic="tuning_shift", by=("prompt", "other", "domain")),
    Summary(statistic="men_probability", by=_PROMPT, over=("space",), ends=True),
    Summary(statistic="covered_mass", by=_PROMPT, over=("space",)),
)
