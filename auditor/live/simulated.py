"""The marks of simulated numbers, by which nobody takes one for a real one."""

from __future__ import annotations

from rich.text import Text

from auditor.counted import counted
from auditor.live.glyphs import Glyphs
from auditor.store.status import Snapshot

SIMULATED = "SIMULATED"
"""Stands wherever a number may come from `sim:`; capitals, so that it needs no colour."""

SIMULATED_TAG = "SIM"
"""The same behind the name of a target."""


def simulated_words(simulated: int, of: int) -> str:
    """What is simulated of so many targets: all of them, some, or a judge alone."""
    if simulated == of:
        return SIMULATED
    if simulated == 0:
        return f"{SIMULATED} JUDGE"
    return f"{simulated:,} of {counted(of, 'target')} {SIMULATED}"


def simulated_badge(glyphs: Glyphs, *, simulated: int = 1, of: int = 1) -> Text:
    """The mark of simulated numbers, by how many targets are simulated of those that there are."""
    return glyphs.text((f" {simulated_words(simulated, of)} ", "bold reverse magenta"))


def simulated_tag(glyphs: Glyphs) -> Text:
    """The tag, with the blank that parts it from a target's name."""
    return glyphs.text((f" {SIMULATED_TAG}", "magenta"))


def simulated_targets(snapshot: Snapshot) -> tuple[int, int]:
    """How many targets of a run are simulated, and how many there are."""
    found = {target.target: target.simulated for target in snapshot.targets}
    return sum(found.values()), len(found)


def is_partly_simulated(snapshot: Snapshot) -> bool:
    """Whether some targets of a run are simulated and others are not."""
    simulated, of = simulated_targets(snapshot)
    return 0 < simulated < of
