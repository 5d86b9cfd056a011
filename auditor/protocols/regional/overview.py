"""What the overviews of the regional protocols hold."""

from __future__ import annotations

from auditor.protocols.base import Summary

_LANGUAGE = ("language",)
_ALL_PAIRS = {"other": "*"}

STEREOTYPE = (
    Summary(statistic="mean_sd", by=_LANGUAGE),
    Summary(statistic="sd_above", by=_LANGUAGE),
    Summary(statistic="warmth_competence_spearman", by=_LANGUAGE),
    Summary(statistic="refusal_rate"),
    Summary(statistic="invalid_rate"),
    Summary(statistic="dimension_score", by=("dimension", "language"), over=("region",)),
    Summary(statistic="sd", by=_LANGUAGE, over=("trait",)),
    Summary(statistic="mean", by=_LANGUAGE, over=("trait",)),
    Summary(statistic="indicator_spearman", by=("dimension", "language"), over=("indicator",)),
    Summary(statistic="cross_model_spearman", by=("dimension", "language"), where=_ALL_PAIRS),
    Summary(statistic="language_spearman", over=("dimension",)),
)

DECISION = (
    Summary(statistic="mean_sd", by=_LANGUAGE),
    Summary(statistic="sd_above", by=_LANGUAGE),
    Summary(statistic="range_one", by=_LANGUAGE),
    Summary(statistic="refusal_rate"),
    Summary(statistic="invalid_rate"),
    Summary(statistic="domain_score", by=("domain", "language"), over=("region",)),
    Summary(statistic="sd", by=_LANGUAGE, over=("task",)),
    Summary(statistic="first_position_rate", by=_LANGUAGE, over=("task",)),
    Summary(statistic="swap_consistency", by=_LANGUAGE, over=("task",)),
    Summary(statistic="order_effect", by=_LANGUAGE, over=("task",)),
    Summary(statistic="indicator_spearman", by=("domain", "language"), over=("indicator",)),
    Summary(statistic="cross_model_spearman", by=("domain", "language"), where=_ALL_PAIRS),
    Summary(statistic="language_spearman", over=("domain",)),
)
