"""Consoles of our own. Loads rich, which what prints data alone does without."""

from __future__ import annotations

from rich.console import Console


class Words(Console):
    """A console whose reader may leave: a run goes on without one."""

    def on_broken_pipe(self) -> None:
        """Say nothing from here on."""
        self.quiet = True
