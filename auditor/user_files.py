"""Files that a user names and that are read whole: none that never ends, none that fills memory."""

from __future__ import annotations

import os
import stat
from pathlib import Path

MOST_BYTES = 32 * 1024 * 1024
"""Bytes of the longest file that is read."""


def read_whole(path: str | os.PathLike[str], *, pipes: bool = True) -> bytes:
    """The bytes of a regular file, or of a pipe where `pipes` allows it: reading one waits.

    Raises OSError as `open` does, and ValueError with a sentence for any other kind of file and
    for one of more than MOST_BYTES. A device is not opened.
    """
    kind = Path(path).stat().st_mode
    # A directory is left to `open`, which says what it is.
    if not (stat.S_ISREG(kind) or stat.S_ISDIR(kind) or (pipes and stat.S_ISFIFO(kind))):
        raise ValueError("neither a regular file nor a pipe" if pipes else "no regular file")
    with Path(path).open("rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise ValueError(f"longer than {MOST_BYTES // 1024**2} MiB")
    return data
