"""The other side of an outside package's judge: makes it, then answers lines on stdin.

The first line names the plug-in and what its class is called with; see `command_lines` for the
rest.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import signal
import threading
from collections.abc import Sequence
from queue import Empty, SimpleQueue
from typing import Any, BinaryIO

from agents.judges.base import AnyJudge, Verdict, is_batch_judge, is_text_judge
from agents.judges.outside_making import find, make
from auditor.canonical import canonical_json
from auditor.plugins import described
from auditor.types import JSON

NO_VERDICT = "the judge gave no verdict"
NOT_JSON = "the judge gave a value that is not JSON"

_MOST_AT_ONCE = 64
_PATIENCE_SECONDS = 5.0


def main() -> None:
    """Make the judge that the first line names, then answer until stdin ends."""
    # Whether Ctrl-C ends the work is for the parent to decide.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What the package prints must not get between the lines.
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    lines: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_receive, args=(lines,), daemon=True).start()
    opening = json.loads(lines.get())
    judge = make(find(opening["plugin"]), opening["arguments"])
    _send(replies, {"hello": json.loads(canonical_json(dict(judge.configuration)))})
    asyncio.run(_answer(judge, lines, replies))
    os._exit(0)


def _receive(lines: SimpleQueue[bytes]) -> None:
    with os.fdopen(0, "rb", closefd=False) as stdin:
        for line in stdin:
            lines.put(line)
    lines.put(b"")
    # A judge that does not come back has nobody to answer any more.
    timer = threading.Timer(_PATIENCE_SECONDS, os._exit, (0,))
    timer.daemon = True
    timer.start()


async def _answer(judge: AnyJudge, lines: SimpleQueue[bytes], replies: BinaryIO) -> None:
    if is_batch_judge(judge):
        await judge.start()
    while batch := await asyncio.to_thread(_taken, lines):
        requests = [json.loads(line) for line in batch if line]
        texts = [_source(request) for request in requests]
        for request, said in zip(requests, await _said(judge, texts), strict=True):
            _send(replies, {"id": request["id"], **_reply(said)})
        if not batch[-1]:
            break
    if is_batch_judge(judge):
        await judge.close()


def _taken(lines: SimpleQueue[bytes]) -> list[bytes]:
    """The lines that are there, one at least; an empty one is the end."""
    batch = [lines.get()]
    while batch[-1] and len(batch) < _MOST_AT_ONCE:
        try:
            batch.append(lines.get_nowait())
        except Empty:
            break
    return batch


def _source(request: dict[str, JSON]) -> str:
    return str(request["text"]) if "text" in request else json.dumps(request["value"])


async def _said(judge: AnyJudge, texts: Sequence[str]) -> list[Any]:
    """What the judge says of each text: a verdict, if it is as it should be, or an exception."""
    if is_text_judge(judge):
        return [await _of_one(judge, text) for text in texts]
    assert is_batch_judge(judge)
    try:
        said = list(await judge.judge_batch(texts))
        if len(said) == len(texts):
            return said
        raise ValueError(f"{len(said)} verdicts on {len(texts)} texts")
    except Exception as error:
        if len(texts) <= 1:
            return [error] * len(texts)
    # One by one, so that a text at which it fails takes no other along.
    return [each for text in texts for each in await _said(judge, [text])]


async def _of_one(judge: Any, text: str) -> Any:
    try:
        said = judge.judge(text)
        return await said if inspect.isawaitable(said) else said
    except Exception as error:
        return error


def _reply(said: Any) -> dict[str, JSON]:
    if isinstance(said, Exception):
        return {"error": described(said)}
    if not isinstance(said, Verdict):
        return {"valid": False, "reason": NO_VERDICT}
    reason = said.reason if isinstance(said.reason, str | None) else None
    if not said.valid:
        return {"valid": False, "reason": reason}
    try:
        value = json.loads(canonical_json(said.value))
    except (ValueError, TypeError, RecursionError):
        return {"valid": False, "reason": NOT_JSON}
    return {"value": value, "reason": reason}


def _send(replies: BinaryIO, message: JSON) -> None:
    replies.write(json.dumps(message).encode("ascii") + b"\n")
    replies.flush()
