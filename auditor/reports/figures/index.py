"""The index of a folder of figures: what is in which file."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from pathlib import Path

from auditor.canonical import is_storable
from auditor.errors import UsageError
from auditor.types import JSON

INDEX = "figures.json"

Entry = dict[str, JSON]
"""One figure, with its name as `figure`, its `files`, and whether it was `kept`."""


def kept_entries(folder: Path, redrawn: Collection[str]) -> tuple[Entry, ...]:
    """Entries of the folder's index, if it has one, whose files stay while `redrawn` are written.

    They say of themselves that they are `kept`: an earlier report drew them. A file that is gone
    leaves its entry, and an entry without a file is left out. Raises UsageError for a file of the
    index's name that is none, since what stands in it would be lost.
    """
    kept = []
    for entry in _entries(folder / INDEX):
        files = [name for name in entry["files"] if name not in redrawn]
        files = [name for name in files if (folder / name).is_file()]
        if files:
            kept.append({**entry, "files": files, "kept": True})
    return tuple(kept)


def index_text(entries: Sequence[Entry]) -> str:
    """An index, as its file holds it."""
    return json.dumps(entries, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def _entries(path: Path) -> list[Entry]:
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []
    except (OSError, ValueError, RecursionError):
        entries = None
    if (
        not isinstance(entries, list)
        or not all(map(_is_entry, entries))
        or not is_storable(entries)
    ):
        raise UsageError(
            f"{path} is no index of figures",
            where=str(path),
            hint="move it away, or name another folder with -o",
        )
    return entries


def _is_entry(value: JSON) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("figure"), str):
        return False
    files = value.get("files")
    return isinstance(files, list) and all(
        isinstance(name, str) and name == Path(name).name for name in files
    )
