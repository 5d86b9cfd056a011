"""What agents go by, as data: prompts, word lists, benchmark tables, each with its source."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable

from auditor.errors import UsageError

__all__ = ["names", "read"]

_CODE = (".py", ".pyc", "py.typed")


def read(path: str) -> str:
    """Text of one rubric file, by its path under `rubrics/` ("spatial/spaces.csv").

    Line ends come as they are in the file. Raises UsageError, naming the file, where there is
    none of that path or where it is not UTF-8.
    """
    if path not in names():
        raise UsageError(
            f"rubrics: no file {path!r}; allowed: {', '.join(names())}", where=f"rubrics/{path}"
        )
    try:
        return files(__name__).joinpath(*path.split("/")).read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"rubrics/{path}: not UTF-8 at byte {error.start}", where=f"rubrics/{path}"
        ) from None


def names() -> tuple[str, ...]:
    """Paths of all rubric files, sorted, with `/` between folder and file on every system."""
    return tuple(sorted(_paths(files(__name__), "")))


def _paths(folder: Traversable, prefix: str) -> Iterator[str]:
    for entry in folder.iterdir():
        if entry.name.startswith((".", "__pycache__")):
            continue
        if entry.is_dir():
            yield from _paths(entry, f"{prefix}{entry.name}/")
        elif not entry.name.endswith(_CODE):
            yield f"{prefix}{entry.name}"
