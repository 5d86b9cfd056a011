"""What the overview of `spatial.construction` holds."""

from __future__ import annotations

from auditor.protocols.base import Summary

OVERVIEW = (
    Summary(statistic="word_limit_rate", by=("story",)),
    Summary(statistic="agency_rate", by=("gender", "story")),
    Summary(statistic="power_difference"),
    Summary(statistic="power_score", by=("gender",)),
    Summary(statistic="sentiment_difference"),
    Summary(statistic="refusal_rate"),
    Summary(statistic="invalid_rate"),
    Summary(statistic="unread_stories", by=("reason",)),
    Summary(statistic="power_difference", over=("domain",)),
    Summary(statistic="sentiment_difference", over=("domain",)),
    Summary(statistic="top_adjective", by=("domain", "gender", "adjective"), where={"rank": 1}),
)
