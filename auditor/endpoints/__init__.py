"""Endpoints: limits, refusals, retries, budget and prices of what is called."""

from auditor.endpoints.budget import Budget, Estimate, estimate
from auditor.endpoints.endpoint import Endpoint, Slot
from auditor.endpoints.prices import Prices
from auditor.endpoints.retries import RetryPolicy, RetryQueue
from auditor.endpoints.state import EndpointState

__all__ = [
    "Budget",
    "Endpoint",
    "EndpointState",
    "Estimate",
    "Prices",
    "RetryPolicy",
    "RetryQueue",
    "Slot",
    "estimate",
]
