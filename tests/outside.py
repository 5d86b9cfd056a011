"""Outside packages as an installer leaves them: modules with a dist-info beside them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

PLUGIN = Path(__file__).parent / "plugin"


def install(
    folder: Path,
    distribution: str,
    entry_points: Mapping[str, Mapping[str, str]],
    *,
    version: str = "1.0",
    modules: Mapping[str, str] | None = None,
) -> None:
    """Write a distribution into a folder that is, or will be, on the path."""
    info = folder / f"{distribution.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n"
    )
    lines = []
    for group, entries in entry_points.items():
        lines += [f"[{group}]", *(f"{name} = {place}" for name, place in entries.items()), ""]
    (info / "entry_points.txt").write_text("\n".join(lines))
    for name, text in (modules or {}).items():
        (folder / f"{name}.py").write_text(text)


def install_plugin(folder: Path) -> list[Path]:
    """The package of `tests/plugin`, by its own pyproject.toml; gives what the path needs."""
    project = tomllib.loads((PLUGIN / "pyproject.toml").read_text())["project"]
    install(folder, project["name"], project["entry-points"], version=project["version"])
    return [folder, PLUGIN]


def put_on_path(monkeypatch: pytest.MonkeyPatch, *folders: Path) -> None:
    for folder in folders:
        monkeypatch.syspath_prepend(folder)
