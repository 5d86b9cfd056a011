"""How far a judge has come whose sources settle out of order."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable


class Frontier:
    """The checkpoint: below it, every source that was begun is settled.

    A source is settled when it has an annotation or has failed for good. Those that are left open
    (the run stopped first) hold the checkpoint, so that the next run begins with them.
    """

    def __init__(self, checkpoint: int) -> None:
        self.checkpoint = checkpoint
        self._begun: deque[int] = deque()
        self._settled: set[int] = set()

    def begin(self, sources: Iterable[int]) -> None:
        """Count sources that are taken up, in the order of their sequence numbers."""
        self._begun.extend(sources)

    def settle(self, source: int) -> None:
        """Count a source as settled; one that was not begun here changes nothing."""
        if not self._begun or source < self._begun[0]:
            return
        self._settled.add(source)
        while self._begun and self._begun[0] in self._settled:
            self.checkpoint = self._begun.popleft()
            self._settled.remove(self.checkpoint)
