"""What the overview of `spatial.corpus` holds."""

from __future__ import annotations

from auditor.protocols.base import Summary

OVERVIEW = (
    Summary(statistic="nsgc", where={"gender": "women"}, over=("space",), ends=True),
    Summary(statistic="cooccurrence_rate", by=("gender",), over=("space",)),
)
"""The NSGC of men is what that of women leaves of 1: the ends of one are those of the other."""
