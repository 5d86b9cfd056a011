"""What agents go by, as data: prompts, word lists, benchmark tables, each with its source."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from auditor.errors import UsageError

__all__ = ["mount", "names", "read"]

_CODE = (".py", ".pyc", "py.typed")
_mounted: dict[str, str] = {}
"""Packages of outside protocols and judges, by the folder that their files stand under."""


def mount(folder: str, package: str) -> None:
    """Take the files of a package for rubric files, under a folder of their own.

    Doing it again is nothing. Raises UsageError where the package has no files, or where the
    folder is a built-in one or another package's.
    """
    if _mounted.get(folder) == package:
        return
    if folder in _mounted or files(__name__).joinpath(folder).is_dir():
        raise UsageError(f"rubrics: the folder {folder!r} is taken")
    try:
        found = list(_paths(files(package), ""))
    except (ImportError, OSError, TypeError) as error:
        raise UsageError(f"rubrics: the package {package!r} has no files ({error})") from error
    if not found:
        raise UsageError(f"rubrics: the package {package!r} has no files")
    _mounted[folder] = package


def read(path: str) -> str:
    """Text of one rubric file, by its path under `rubrics/` ("spatial/spaces.csv").

    Line ends come as they are in the file. Raises UsageError, naming the file, where there is
    none of that path or where it is not UTF-8.
    """
    if path not in names():
        raise UsageError(
            f"rubrics: no file {path!r}; allowed: {', '.join(names())}", where=f"rubrics/{path}"
        )
    folder, _, rest = path.partition("/")
    package, inside = (_mounted[folder], rest) if folder in _mounted else (__name__, path)
    try:
        return files(package).joinpath(*inside.split("/")).read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"rubrics/{path}: not UTF-8 at byte {error.start}", where=f"rubrics/{path}"
        ) from None


def names() -> tuple[str, ...]:
    """Paths of all rubric files, sorted, with `/` between folder and file on every system."""
    found = list(_built_in())
    for folder, package in _mounted.items():
        found += _paths(files(package), f"{folder}/")
    return tuple(sorted(found))


@cache
def _built_in() -> tuple[str, ...]:
    # They stay what they are, and every file that is read is looked up among them.
    return tuple(_paths(files(__name__), ""))


def _paths(folder: Traversable, prefix: str) -> Iterator[str]:
    for entry in folder.iterdir():
        if entry.name.startswith((".", "__pycache__")):
            continue
        if entry.is_dir():
            yield from _paths(entry, f"{prefix}{entry.name}/")
        elif not entry.name.endswith(_CODE):
            yield f"{prefix}{entry.name}"
