"""A snapshot in the shape of `status --json`."""

from __future__ import annotations

from auditor.store.status import Snapshot
from auditor.types import JSON


def status_json(progress: Snapshot) -> dict[str, JSON]:
    """The contract's fields; annotations are summed over the judges of a task."""
    annotations: dict[str, dict[str, int]] = {}
    for judge in progress.judges:
        counts = annotations.setdefault(
            judge.task, {"done": 0, "invalid": 0, "failed": 0, "planned": 0}
        )
        counts["done"] += judge.done
        counts["invalid"] += judge.invalid
        counts["failed"] += judge.failed
        counts["planned"] += judge.planned
    return {
        "run": progress.run,
        "state": progress.state,
        "simulated": progress.simulated,
        "planned": progress.planned,
        "responses": progress.responses,
        "failures": progress.failures,
        "annotations": annotations,
        "calls": progress.calls,
        "retries": progress.retries,
        "tokens": {"input": progress.input_tokens, "output": progress.output_tokens},
        "cost_usd": progress.cost_usd,
        "alarms": list(progress.alarms),
        "targets": [
            {
                "target": target.target,
                "protocol": target.protocol,
                "planned": target.planned,
                "responses": target.responses,
                "failures": target.failures,
                "outcomes": dict(target.outcomes),
            }
            for target in progress.targets
        ],
    }
