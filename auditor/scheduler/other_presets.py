"""The result table by other presets of a rubric than those that the run's spec names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pydantic import ValidationError

from auditor.errors import UsageError
from auditor.protocols.base import ProtocolParams
from auditor.scheduler.launch import stored_plan
from auditor.scheduler.plan import make_plan
from auditor.scheduler.refresh import compute_statistics
from auditor.store.results import ResultRow

_FIELD = "preset"


def statistics_by(path: Path, presets: Sequence[str]) -> list[ResultRow]:
    """The rows of the store's protocols that have presets, computed and not stored.

    Raises UsageError where no protocol of the store has any, and for a preset that its rubric
    lacks or that is named twice.
    """
    plan = stored_plan(path).plan
    changed = {
        name: _with_presets(params, presets)
        for name, params in plan.spec.protocols.items()
        if _FIELD in type(params).model_fields
    }
    if not changed:
        raise UsageError(
            f"--presets: {path} has no protocol with a rubric;"
            f" it has {', '.join(plan.spec.protocols)}"
        )
    plan = make_plan(replace(plan.spec, protocols=changed), plan.materials)
    for name, (protocol, params) in plan.protocols.items():
        try:
            protocol.count(params, plan.materials)
        except UsageError as error:
            raise UsageError(f"--presets ({name}): {error.message}") from error
    return compute_statistics(path, plan, only=changed)


def _with_presets(params: ProtocolParams, presets: Sequence[str]) -> ProtocolParams:
    try:
        return type(params).model_validate({**params.model_dump(), _FIELD: list(presets)})
    except ValidationError as error:
        reason = error.errors(include_url=False)[0]["msg"].removeprefix("Value error, ")
        raise UsageError(f"--presets {','.join(presets)}: {reason}") from error
