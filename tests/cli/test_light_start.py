"""What the command line loads before it has anything heavy to do."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence

import pytest

from auditor.cli.commands import GROUPS
from tests.cli.driving import auditor, environment, simulated

HEAVY = {
    "openai",
    "anthropic",
    "pydantic_ai",
    "aiohttp",
    "numpy",
    "scipy",
    "sklearn",
    "pandas",
    "spacy",
    "matplotlib",
    "nomquamgender",
}
CHECKING = {"pydantic", "importlib.metadata"}
"""What checks a spec, and finds outside packages: a fifth of a second that a look does without."""
DRAWING = {"rich.console"}
STORING = {"sqlite3", "auditor.types"}
SUBJECTS = ("protocols", "judges", "providers", "rubrics", "statistics", "figures")
_PROGRAM = """
import json, sys
from auditor.cli.app import run
for arguments in json.loads(sys.argv[1]):
    assert run(arguments) == 0, arguments
sys.stdout.flush()
sys.stderr.write("loaded " + " ".join(sys.modules))
"""


def loaded(*commands: Sequence[object]) -> set[str]:
    """What is loaded after these commands, one after the other in one process."""
    arguments = json.dumps([[str(word) for word in command] for command in commands])
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, arguments],
        capture_output=True,
        text=True,
        env=environment(),
        check=True,
    )
    return set(done.stderr.rpartition("loaded ")[2].split())


def test_no_help_loads_more_than_the_command_line():
    helps = [(name, "--help") for commands in GROUPS.values() for name in commands]
    assert len(helps) > 10
    unwanted = HEAVY | CHECKING | DRAWING | STORING
    assert not loaded(["--help"], *helps) & unwanted


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    spec = simulated(tmp_path_factory.mktemp("light") / "s.toml")
    assert auditor("run", spec).code == 0
    return spec.with_suffix(".db")


def test_looking_at_a_run_loads_nothing_heavy(store):
    assert not loaded(["status", store], ["watch", store]) & (HEAVY | CHECKING)


def test_a_status_for_programs_loads_nothing_to_draw_with(store):
    assert not loaded(["status", store, "--json"]) & (HEAVY | CHECKING | DRAWING)


def test_verifying_a_store_loads_nothing_heavy(store):
    assert not loaded(["verify", store]) & HEAVY


def test_listing_loads_nothing_heavy():
    assert not loaded(*(["list", what] for what in SUBJECTS)) & HEAVY
