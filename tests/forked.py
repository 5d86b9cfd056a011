"""Commands as processes that are forked from one in which everything is loaded.

To start one takes a hundredth of a second instead of seconds of loading: tests that start many can
afford it. What is forked has imported modules and done nothing else.
"""

from __future__ import annotations

import os
import sys
from multiprocessing import get_context
from pathlib import Path

_FORKING = get_context("forkserver")
_FORKING.set_forkserver_preload(
    [
        "agents.judges.model.asking",
        "agents.judges.model.choice",
        "agents.statistician",
        "auditor.cli.results",
        "auditor.cli.running",
        "auditor.live",
        "auditor.protocols.spatial_explicit.statistics",
        "auditor.providers.openai_chat",
        "auditor.scheduler.launch",
        "genai_prices.data",
    ]
)


class Forked:
    """`auditor` with some arguments, its words in the file `said`; it can be killed."""

    def __init__(self, *arguments: object, said: Path) -> None:
        self._said = said
        self._process = _FORKING.Process(
            target=_carry_out, args=([str(each) for each in arguments], said)
        )
        self._process.start()

    def is_running(self) -> bool:
        return self._process.is_alive()

    def kill(self) -> int:
        """SIGKILL; the exit code."""
        self._process.kill()
        return self.end()

    def end(self) -> int:
        """Wait for its end; the exit code. Raises AssertionError where it said an error."""
        self._process.join()
        code = self._process.exitcode
        assert code is not None
        words = self._said.read_text() if self._said.exists() else ""
        assert "error" not in words, words
        return code


def _carry_out(arguments: list[str], said: Path) -> None:
    file = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(file, 1)
    os.dup2(file, 2)
    from auditor.cli.app import run

    sys.exit(run(arguments))
