"""Time of parsers by the length of a text: a piece repeated up to a megabyte."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from tests.fuzzing.inputs import PIECES
from tests.fuzzing.judges import IN_PROCESS, judged
from tests.fuzzing.parser import PARSERS

LENGTH = 1_000_000
LONGEST_SECONDS = 10.0
"""CPU time of a megabyte."""


def _takers() -> dict[str, Callable[[str], Any]]:
    found: dict[str, Callable[[str], Any]] = {}
    for protocol, task, name in IN_PROCESS:
        judge = judged(protocol, task, name)
        found[f"judge {protocol} {task}/{name}"] = lambda text, judge=judge: judge(text, None)
    for name in PARSERS:
        made = _EXAMPLE.get(name.split(" ")[0]) or _EXAMPLE.get(name)
        if made is not None:
            outcome = PARSERS[name].outcome
            found[name] = lambda text, made=made, outcome=outcome: outcome(made(text))
    return found


def _raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _error(text: str) -> bytes:
    return json.dumps({"error": {"message": text}}).encode()


_EXAMPLE: dict[str, Callable[[str], Any]] = {
    "model": lambda text: text,
    "reply": lambda text: (200, {"retry-after": text[:60_000]}, _error(text)),
    "error body": lambda text: (400, {}, _raw(text)),
    "rate headers": lambda text: {
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": text[:60_000],
    },
    "scrubber": lambda text: (text, "", ""),
    "line of a command judge": lambda text: _raw(json.dumps({"id": "1", "value": text})),
    "line of an import": _raw,
    "label file": lambda text: _raw(f"trial,task,label\n0,choice,{text}\n"),
    "cell of a label file": lambda text: (0, text, True),
    "instructions file": lambda text: json.dumps({"instruction": text}),
    "answer of an author": lambda text: text,
    "lines of a corpus": lambda text: (_raw(json.dumps({"text": text})), 3),
    "text of a corpus": lambda text: (_raw(text), 3),
    "spec": lambda text: f"name = {json.dumps(text[:100_000])}\n",
}


def time_long_texts(wanted: Sequence[str], longest: int = LENGTH) -> int:
    """Print the slowest piece of each; 1 where one takes too long."""
    slow = 0
    pieces = [*PIECES, *(f"{one}{two}" for one in PIECES[::7] for two in PIECES[::9])]
    print(f"{'parser':52}{'slowest of ' + str(len(pieces)) + ' pieces':>24}  piece")
    for name, take in _takers().items():
        if not any(word in name for word in wanted):
            continue
        worst, which = 0.0, ""
        for piece in pieces:
            seconds, length = 0.0, 10_000
            # Longer by and by: what is quadratic shows before it takes an hour.
            while length <= longest and seconds < LONGEST_SECONDS / 2:
                text = piece * (length // len(piece))
                begun = time.process_time()
                try:
                    take(text)
                except AssertionError as error:
                    print(name, repr(piece), length, str(error)[:200], file=sys.stderr)
                seconds = time.process_time() - begun
                length *= 10
            # Of one that was given up, as much as it would take if it were no more than linear.
            seconds *= longest * 10 / length if length <= longest else 1.0
            if seconds > worst:
                worst, which = seconds, f"{piece!r} at {length // 10:,}"
        slow += worst > LONGEST_SECONDS
        said = "TOO SLOW" if worst > LONGEST_SECONDS else ""
        print(f"{name:52}{worst:>21.2f} s   {which} {said}", flush=True)
    return 1 if slow else 0
