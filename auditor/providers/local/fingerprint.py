"""What tells two versions of a model apart without reading all of it."""

from __future__ import annotations

import hashlib
from pathlib import Path

from auditor.providers.local.folder import weight_files

_SAMPLE_BYTES = 1 << 20
_SMALL = ("*.json", "*.jinja", "*.model", "vocab.txt")


def folder_fingerprint(folder: Path) -> str:
    """A BLAKE2b hash of a folder's small files, and of size, first and last MiB of its weights.

    Training changes all weights, so that a sample of them tells models apart; reading them whole
    would take as long as loading them.
    """
    digest = hashlib.blake2b(digest_size=16)
    for path in sorted({path for pattern in _SMALL for path in folder.glob(pattern)}):
        _add(digest, path.name.encode(), path.read_bytes())
    for path in weight_files(folder):
        size = path.stat().st_size
        with path.open("rb") as file:
            first = file.read(_SAMPLE_BYTES)
            file.seek(max(0, size - _SAMPLE_BYTES))
            _add(digest, path.name.encode(), str(size).encode(), first, file.read(_SAMPLE_BYTES))
    return f"files-{digest.hexdigest()}"


def _add(digest: hashlib.blake2b, *parts: bytes) -> None:
    for part in parts:
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
