"""What the workers of the tests load: they do what the values of a batch tell them to."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from typing import Any

Answering = Callable[[list[Any]], list[Any]]


def told(suffix: str = "") -> Answering:
    def answer(values: list[Any]) -> list[Any]:
        return [_done(value, suffix) for value in values if value != "skip"]

    return answer


def _done(value: Any, suffix: str) -> Any:
    match value:
        case "die":
            os.kill(os.getpid(), signal.SIGKILL)
        case "leave":
            os._exit(3)
        case "raise":
            raise ValueError("no such name")
        case "hang":
            time.sleep(60)
        case "print":
            print("a library's remark", flush=True)
        case "no json":
            return {1, 2}
        case "where":
            return [os.getpid(), os.getsid(0)]
    return f"{value}{suffix}" if isinstance(value, str) else value


def broken() -> Answering:
    raise FileNotFoundError("no table of names")


def leaving(note: str) -> Answering:
    with open(note, "a") as file:
        file.write("x")
    os._exit(4)
