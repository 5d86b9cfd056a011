"""What a plan makes of its judges: what they are called, and whose annotations count."""

from __future__ import annotations

READS_THE_PLAN = """
    NOT EXISTS (SELECT 1 FROM _annotations s WHERE s.seq = {row}.source
                AND s.judge_id NOT IN (SELECT judge_id FROM planned_judges))"""
"""What was said of an annotation whose judge has left the plan is out of the counts with it."""


def judge_label(name: str, setting: str | None) -> str:
    """What a judge is called beside the others of its task: its name, and its setting if any."""
    return name if setting is None else f"{name} ({setting})"
