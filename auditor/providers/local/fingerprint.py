"""What tells two versions of a model apart without reading all of it."""

from __future__ import annotations

import hashlib
from pathlib import Path

from auditor.providers.local.folder import weight_files

_PIECES = 256
_PIECE_BYTES = 1 << 14
_SMALL = ("*.json", "*.jinja", "*.model", "vocab.txt")


def folder_fingerprint(folder: Path) -> str:
    """A BLAKE2b hash of a folder's small files, and of size and a sample of its weights.

    The sample is 4 MiB of each file, in pieces spread evenly over it: reading it whole would take
    as long as loading it. Training that changes no more than a hundredth of a file (an adapter of
    few weights that was merged into it) may go unseen.
    """
    digest = hashlib.blake2b(digest_size=16)
    for path in sorted({path for pattern in _SMALL for path in folder.glob(pattern)}):
        _add(digest, path.name.encode(), path.read_bytes())
    for path in weight_files(folder):
        size = path.stat().st_size
        _add(digest, path.name.encode(), str(size).encode())
        with path.open("rb") as file:
            for place in range(_PIECES):
                file.seek(max(0, size - _PIECE_BYTES) * place // (_PIECES - 1))
                _add(digest, file.read(_PIECE_BYTES))
    return f"files-{digest.hexdigest()}"


def _add(digest: hashlib.blake2b, *parts: bytes) -> None:
    for part in parts:
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
