"""The live view of a run, off plain data: a dashboard and plain lines.

Tables of results (`auditor.live.tables`) know every statistic, and are loaded by who prints them.
"""

from auditor.live.dashboard import render
from auditor.live.plain import PlainView
from auditor.live.rates import UNKNOWN_RATES, RateMeter, Rates
from auditor.live.reading import Read
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
]
