"""Outside packages come and go with a test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import rubrics
from auditor import protocols
from tests.outside import install, install_plugin


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Installs distributions into a folder of their own that is on the path for one test."""
    folder = tmp_path / "site"
    monkeypatch.setattr(rubrics, "_mounted", {})
    protocols._outside.cache_clear()

    def put(distribution: str, entry_points: dict, **options: object) -> None:
        install(folder, distribution, entry_points, **options)
        monkeypatch.syspath_prepend(folder)

    yield put
    protocols._outside.cache_clear()


@pytest.fixture
def coin(tmp_path: Path, installed: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package of `tests/plugin`, installed."""
    for place in install_plugin(tmp_path / "coin-site"):
        monkeypatch.syspath_prepend(place)
