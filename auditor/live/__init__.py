"""The live view of a run, off plain data: a dashboard, plain lines, and the results table."""

from auditor.live.dashboard import render
from auditor.live.plain import PlainView
from auditor.live.rates import UNKNOWN_RATES, RateMeter, Rates
from auditor.live.reading import Read
from auditor.live.tables import results_table
from auditor.live.view import LiveView, View, is_drawn, open_view

__all__ = [
    "UNKNOWN_RATES",
    "LiveView",
    "PlainView",
    "RateMeter",
    "Rates",
    "Read",
    "View",
    "is_drawn",
    "open_view",
    "render",
    "results_table",
]
