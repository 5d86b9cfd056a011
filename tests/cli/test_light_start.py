"""What the command line loads before it has anything heavy to do."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence

from auditor.cli.app import app
from tests.cli.driving import auditor, environment, simulated

HEAVY = {
    "openai",
    "anthropic",
    "pydantic_ai",
    "aiohttp",
    "scipy",
    "sklearn",
    "pandas",
    "spacy",
    "matplotlib",
    "nomquamgender",
}
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


def test_no_help_loads_anything_heavy():
    helps = [(str(command.name), "--help") for command in app.registered_commands]
    assert len(helps) > 10
    assert not loaded(["--help"], *helps) & HEAVY


def test_looking_at_a_store_loads_nothing_heavy(tmp_path):
    spec = simulated(tmp_path / "s.toml")
    assert auditor("run", spec).code == 0
    store = spec.with_suffix(".db")
    looking = (["status", store], ["status", store, "--json"], ["watch", store], ["verify", store])
    assert not loaded(*looking) & HEAVY


def test_listing_loads_nothing_heavy():
    assert not loaded(*(["list", what] for what in SUBJECTS)) & HEAVY
