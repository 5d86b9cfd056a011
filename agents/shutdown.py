"""The word to stop: set once by whoever finds a reason, read by every agent."""

from __future__ import annotations

import asyncio
from enum import StrEnum


class Ending(StrEnum):
    """How a run's process ended; stored with its holder."""

    COMPLETE = "complete"
    INCOMPLETE = "incomplete"
    BUDGET = "budget"
    INTERRUPTED = "interrupted"


class Shutdown:
    """While it drains, nothing new is sent; what is in flight is let finish."""

    def __init__(self) -> None:
        self.draining = asyncio.Event()
        self.ending: Ending | None = None
        """Why the run drains; None while it does not."""
        self.excess: str | None = None
        """A call used more than was reserved for it: said to the user."""

    @property
    def is_draining(self) -> bool:
        """Whether nothing new may be sent."""
        return self.draining.is_set()

    def drain(self, ending: Ending) -> None:
        """Stop sending. The first reason stands, but a user's wish wins over the budget."""
        if self.ending is None or ending is Ending.INTERRUPTED:
            self.ending = ending
        self.draining.set()

    def budget_spent(self, excess: str | None) -> None:
        """The next call does not fit the budget, or the last one took more than it was given."""
        self.excess = self.excess or excess
        self.drain(Ending.BUDGET)
