"""The table of names that nomquamgender brings: its fingerprint, and looking names up in it.

`lookup` is for a process of its own: importing the package takes seconds and some 300 MB.
"""

from __future__ import annotations

import gc
import hashlib
import warnings
from collections.abc import Callable
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from math import isnan
from pathlib import Path

from auditor.errors import UsageError
from auditor.types import JSON

PACKAGE = "nomquamgender"
_TABLE = "name_data.json"


def fingerprint() -> dict[str, str]:
    """Version of the package and SHA-256 of its table, without importing it.

    Raises UsageError where it is not installed.
    """
    found = find_spec(PACKAGE)
    folders = found.submodule_search_locations if found else None
    tables = [path for folder in folders or () if (path := Path(folder) / _TABLE).is_file()]
    try:
        installed = version(PACKAGE)
    except PackageNotFoundError:
        installed = None
    if not tables or installed is None:
        raise UsageError(
            f"the judge {PACKAGE} of gender needs the package {PACKAGE} with its {_TABLE},"
            " which is not installed",
            hint=f"pip install {PACKAGE}",
        )
    stat = tables[0].stat()
    return {
        "package": f"{PACKAGE} {installed}",
        "table_sha256": _sha256(tables[0], stat.st_size, stat.st_mtime_ns),
    }


@lru_cache(maxsize=4)
def _sha256(path: Path, _size: int, _changed_ns: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def lookup() -> Callable[[list[JSON]], list[JSON]]:
    """A function from names to [p(gendered female), count] each, both null where unknown."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=DeprecationWarning, module=rf"{PACKAGE}(\.|\Z)")
        # The table is 720,000 lists that stay: looking through them for garbage doubles the time.
        gc.disable()
        try:
            import nomquamgender
        finally:
            gc.freeze()
            gc.enable()
    model = nomquamgender.NBGC()

    def look_up(names: list[JSON]) -> list[JSON]:
        rows = model.annotate([str(name) for name in names])
        return [[None, None] if isnan(p) else [float(p), int(count)] for *_, count, p in rows]

    return look_up
