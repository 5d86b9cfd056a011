"""Where a run's spec lies, seen from its store: files and commands of a spec start from there.

The store keeps the spec's path from its own folder, so that a resume finds the same folder from
wherever it is started, and after both have been moved together.
"""

from __future__ import annotations

import os
from pathlib import Path


def kept(source: str, store: Path) -> str:
    """The path of a spec as its store keeps it."""
    folder = os.path.abspath(store.parent)
    try:
        return Path(os.path.relpath(os.path.abspath(source), folder)).as_posix()
    except ValueError:  # on another drive
        return os.path.abspath(source)


def found(source: str | None, store: Path) -> str:
    """The path of a kept spec from the current folder; the store's own where none is kept."""
    if source is None:
        return str(store)
    beside = os.path.normpath(store.parent / source)
    # A store may also hold the path as a command was given it.
    is_as_given = not os.path.exists(beside) and os.path.exists(source)
    return source if is_as_given else beside
