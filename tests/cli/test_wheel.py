"""What is installed: the three packages with their data, and nothing else."""

from __future__ import annotations

import subprocess
import sys
import zipfile

import pytest

from tests.cli.driving import ROOT, as_process, environment

PACKAGES = ("agents", "auditor", "rubrics")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (path,) = folder.glob("*.whl")
    return path


def test_it_holds_the_three_packages_and_every_file_of_theirs(wheel):
    names = {name for name in zipfile.ZipFile(wheel).namelist() if not name.endswith("/")}
    packed = {name for name in names if ".dist-info/" not in name}
    there = {
        str(path.relative_to(ROOT))
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert packed == there
    assert {name.partition("/")[0] for name in packed} == set(PACKAGES)
    assert {"rubrics/spatial/spaces.csv", "rubrics/spatial/README.md"} <= packed
    assert {f"{package}/py.typed" for package in PACKAGES} <= packed


def test_it_works_from_where_it_is_installed(wheel, tmp_path):
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    listed = as_process(
        "list", "rubrics", "--json", env={"PYTHONPATH": str(tmp_path / "site")}, cwd=tmp_path
    )
    assert listed.code == 0, listed.err
    assert any(row["file"] == "spatial/spaces.csv" for row in listed.data)
    assert not (ROOT / "dist").exists()
