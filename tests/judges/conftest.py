"""What tests of judges in processes of their own share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """How often `command_script.py` has come to a text at which it hangs."""
    notes = tmp_path / "hangs"
    notes.touch()
    monkeypatch.setenv("HANGS", str(notes))
    return lambda: notes.read_text().count("\n")
