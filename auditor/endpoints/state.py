"""What an endpoint does at a moment, as plain data for whoever shows it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class EndpointState:
    """The state of one endpoint; holds no key and no URL."""

    endpoint: str
    in_flight: int
    """Slots held: calls under way, and calls whose response is not committed yet."""
    concurrency: int
    """Calls allowed at once right now."""
    concurrency_limit: int
    waiting_until: float | None
    """Unix seconds until which it sends nothing, or None."""
    reason: str | None
    """Why it waits, is slowed down or has stopped, or None."""
    is_stopped: bool
    """Whether it sends nothing any more."""
    last_error: str | None
    at: float
    """Unix seconds."""
    queued: int
    """Callers that wait for a slot."""
    pace: float | None
    """Calls a second that it holds to since it was refused, or None."""
