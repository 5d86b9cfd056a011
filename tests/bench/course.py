"""A command followed from start to exit: CPU and memory of all its processes, moment by moment."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.bench.child import ROOT
from tests.bench.corpus_memory import memory_mb, process_tree

_EVERY_SECONDS = 0.25
_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
_USER_TIME = 11
"""Place of a process's own user time among its fields in /proc after the name; then come system
time and the same two of children that have ended."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What all processes together had used, and held, at one moment."""

    at: float
    """Unix seconds."""
    cpu_seconds: float
    rss_mb: float
    """Pages that several processes share count once for each."""
    pss_mb: float
    """Shared pages count once."""


@dataclass(frozen=True, slots=True)
class Course:
    """A command that has ended with 0."""

    started_at: float
    ended_at: float
    cpu_seconds: float
    """User and system time of all its processes, by the kernel's account at the end."""
    samples: Sequence[Sample]

    def cpu_at(self, at: float) -> float:
        """CPU seconds used by a moment, between two samples in proportion to time."""
        known = [(self.started_at, 0.0), *((s.at, s.cpu_seconds) for s in self.samples)]
        known.append((self.ended_at, self.cpu_seconds))
        place = min(max(bisect_right(known, (at, float("inf"))), 1), len(known) - 1)
        (before, used), (after, more) = known[place - 1], known[place]
        share = (at - before) / (after - before) if after > before else 1.0
        return used + (more - used) * min(max(share, 0.0), 1.0)

    def between(self, since: float, until: float) -> list[Sample]:
        """The samples of a time."""
        return [sample for sample in self.samples if since < sample.at <= until]

    def last_before(self, at: float) -> Sample | None:
        """The last sample up to a moment; None if there is none."""
        return next((sample for sample in reversed(self.samples) if sample.at <= at), None)


def followed(command: Sequence[str], variables: Mapping[str, str]) -> Course:
    """Carry a command out. Raises RuntimeError unless it ends with 0."""
    started_at = time.time()
    process = subprocess.Popen(
        command, cwd=ROOT, env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    samples: list[Sample] = []
    is_over = threading.Event()
    sampler = threading.Thread(target=_sample, args=(process.pid, samples, is_over))
    sampler.start()
    assert process.stdout is not None
    with process.stdout:
        said = process.stdout.read().decode("utf-8", "replace")
    is_over.set()
    sampler.join()
    _, status, usage = os.wait4(process.pid, 0)
    ended_at = time.time()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{command!r} ended with {process.returncode}:\n{said[-2000:]}")
    return Course(started_at, ended_at, usage.ru_utime + usage.ru_stime, samples)


def _sample(pid: int, samples: list[Sample], is_over: threading.Event) -> None:
    while not is_over.wait(_EVERY_SECONDS):
        tree = process_tree(pid)
        sizes = [size for each in tree if (size := memory_mb(each)) is not None]
        samples.append(
            Sample(
                at=time.time(),
                cpu_seconds=sum(map(_cpu_seconds, tree)),
                rss_mb=sum(rss for rss, _ in sizes),
                pss_mb=sum(pss for _, pss in sizes),
            )
        )


def _cpu_seconds(pid: int) -> float:
    """CPU of a process and of those of its children that it has waited for; 0 where it has gone."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return 0.0
    fields = text.rpartition(")")[2].split()
    return sum(map(int, fields[_USER_TIME : _USER_TIME + 4])) / _TICKS_PER_SECOND
