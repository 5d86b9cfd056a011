"""Words for a user who waits: spoken by whatever takes long, wherever in the program that is."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar

Speaker = Callable[[str], None]

_speaker: ContextVar[Speaker] = ContextVar("speaker", default=lambda _: None)


def speak_by(speaker: Speaker) -> None:
    """Have such words spoken by this, from now on; the default is silence."""
    _speaker.set(speaker)


def speaker() -> Speaker:
    """What speaks. A thread of its own does not inherit it: ask before one is started."""
    return _speaker.get()
