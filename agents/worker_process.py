"""The other side of a `Worker`: reads batches from stdin, answers them on stdout, ends with it.

A frame is the length of its JSON as four bytes, big end first, and the JSON itself.
"""

from __future__ import annotations

import json
import os
import signal
import struct
import threading
from collections.abc import Callable
from importlib import import_module
from queue import SimpleQueue
from typing import BinaryIO

from auditor.types import JSON

HEADER = struct.Struct(">I")
Answering = Callable[[list[JSON]], list[JSON]]
"""Answers a batch: as many values as it was given, in their order."""


def frame(message: JSON) -> bytes:
    """One message as it travels. ASCII, so that lone surrogates come through."""
    body = json.dumps(message).encode("ascii")
    return HEADER.pack(len(body)) + body


def main() -> None:
    """Load what the first frame names, then answer batches until stdin ends."""
    # Whether Ctrl-C ends the work is for the parent to decide.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What a library prints must not get between the frames.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    frames: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_receive, args=(frames,), daemon=True).start()
    answer = _loaded(json.loads(frames.get()), answers)
    while answer is not None:
        _send(answers, _answered(answer, json.loads(frames.get())))


def _receive(frames: SimpleQueue[bytes]) -> None:
    """Pass frames on. stdin ends with the parent, however that ended: nobody is left to answer."""
    with os.fdopen(0, "rb", closefd=False) as stdin:
        while len(header := stdin.read(HEADER.size)) == HEADER.size:
            frames.put(stdin.read(*HEADER.unpack(header)))
    os._exit(0)


def _loaded(start: dict[str, JSON], answers: BinaryIO) -> Answering | None:
    try:
        module, name = str(start["place"]).split(":")
        factory: Callable[..., Answering] = getattr(import_module(module), name)
        settings = start["settings"]
        answer = factory(**settings) if isinstance(settings, dict) else None
    except Exception as error:  # told to the parent, who stops the judge
        _send(answers, {"error": _described(error)})
        return None
    _send(answers, {"loaded": True})
    return answer


def _answered(answer: Answering, batch: list[JSON]) -> JSON:
    try:
        values = answer(batch)
        if len(values) != len(batch):
            raise ValueError(f"{len(values)} answers to {len(batch)} values")
        json.dumps(values)
    except Exception as error:  # a bug loses its own batch, nothing else
        return {"error": _described(error)}
    return {"values": values}


def _described(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _send(answers: BinaryIO, message: JSON) -> None:
    answers.write(frame(message))
    answers.flush()
