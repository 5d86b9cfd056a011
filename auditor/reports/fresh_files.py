"""Files that appear when all of them are complete, or not at all."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from auditor.errors import AuditorError, UsageError


@contextmanager
def fresh_files(
    folder: Path,
    names: Sequence[str],
    *,
    force: bool,
    loss: str = "",
    carried: Collection[str] = (),
) -> Iterator[Mapping[str, Path]]:
    """Paths to write the files to, by name; they get their names if all goes well.

    Until then they have other names, and after an error they are gone, with the folder if it was
    made for them. `loss` says what overwriting them may cost. `carried` names those that the writer
    fills with all that they hold: they may be there. Raises UsageError where another of them is
    there and `force` is not set, AuditorError where the folder cannot be written.
    """
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is no folder", where=str(folder), hint="name a folder")
    final = {name: folder / name for name in names}
    partial = {name: folder / f".{name}.{os.getpid()}.partial" for name in names}
    there = [name for name, path in final.items() if name not in carried and path.exists()]
    if there and not force:
        raise UsageError(
            f"{folder} holds {', '.join(there)} already{loss}",
            where=str(folder),
            hint="name another folder with -o, or overwrite them with --force",
        )
    is_new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield partial
        for name, path in final.items():
            partial[name].replace(path)
    except BaseException as error:
        _take_away(partial.values(), folder if is_new else None)
        if isinstance(error, OSError):
            raise AuditorError(
                f"{folder} cannot be written ({error.strerror or error})",
                where=str(folder),
                hint="check the folder's permissions and the disk's free space",
            ) from error
        raise


def _take_away(files: Iterable[Path], folder: Path | None) -> None:
    for path in files:
        with suppress(OSError):  # whatever kept us from writing may keep us from clearing up
            path.unlink(missing_ok=True)
    if folder is not None:
        with suppress(OSError):
            folder.rmdir()
