"""What the overview of `grap` holds, beside its dimensions."""

from __future__ import annotations

from auditor.protocols.base import Summary

_JUDGED = ("setting", "mask_cues", "calls", "paired")
"""What tells apart the ways in which the same answers were judged."""
_PROBED = (*_JUDGED, "preset", "evaluation", "intercept", "variant")
_COMPARED = (*_PROBED, "measure", "other_judge", "other_calls", "other_paired")
_HELD_OUT = {"evaluation": "cross_validated"}

OVERVIEW = (
    Summary(statistic="probe_auc", by=_PROBED, where=_HELD_OUT),
    Summary(statistic="scored_rate", by=_JUDGED),
    Summary(statistic="refusal_rate", by=_JUDGED),
    Summary(statistic="invalid_rate", by=_JUDGED),
    Summary(statistic="probe_accuracy", by=_PROBED, where=_HELD_OUT),
    Summary(statistic="pairs_left_out", by=_JUDGED),
    Summary(statistic="order_effect", by=_JUDGED),
    Summary(statistic="probe_cross_entropy", by=_PROBED, where=_HELD_OUT),
    Summary(statistic="setting_difference", by=(*_PROBED, "measure"), where={"measure": "auc"}),
    Summary(statistic="judge_correlation", by=_COMPARED, over=("dimension",)),
    Summary(statistic="judge_difference", by=_COMPARED, where={"measure": "auc"}),
)
