"""Memory of a process and all that it started, sampled from /proc while it runs."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path

_EVERY_SECONDS = 0.5
_PROC = Path("/proc")


@dataclass(slots=True)
class Peak:
    """The most that was seen at once, over all processes together, in 2**20 bytes."""

    rss_mb: float = 0.0
    """Pages that several processes share count once for each."""
    pss_mb: float = 0.0
    """Shared pages count once."""
    processes: int = 0


class MemoryWatch:
    """Samples a process tree in a thread until it is left."""

    def __init__(self, pid: int) -> None:
        self.peak = Peak()
        self._pid = pid
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> Peak:
        self._thread.start()
        return self.peak

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._is_over.wait(_EVERY_SECONDS):
            sizes = [
                size for pid in process_tree(self._pid) if (size := memory_mb(pid)) is not None
            ]
            peak = self.peak
            peak.rss_mb = max(peak.rss_mb, sum(rss for rss, _ in sizes))
            peak.pss_mb = max(peak.pss_mb, sum(pss for _, pss in sizes))
            peak.processes = max(peak.processes, len(sizes))


def process_tree(pid: int) -> list[int]:
    """A process and all that it started, those that have gone left out."""
    found = [pid]
    for parent in found:
        for task in (_PROC / str(parent) / "task").glob("*/children"):
            try:
                found += map(int, task.read_text().split())
            except OSError:
                continue
    return found


def memory_mb(pid: int) -> tuple[float, float] | None:
    """(RSS, PSS) of a process; None where it has gone."""
    try:
        text = (_PROC / str(pid) / "smaps_rollup").read_text()
    except OSError:
        return None
    fields = dict(line.split(":", 1) for line in text.splitlines()[1:])
    rss, pss = (int(fields[name].split()[0]) / 1024 for name in ("Rss", "Pss"))
    return rss, pss
