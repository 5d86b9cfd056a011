"""A figure as it is reported: value, interval, number, and why anything of it is missing."""

from __future__ import annotations

from dataclasses import dataclass

from auditor.statistics.shares import share, wilson_interval


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """One estimate; None is undefined, never zero."""

    value: float | None
    ci_low: float | None = None
    ci_high: float | None = None
    n: int
    """Items that it rests on."""
    note: str | None = None
    """Why value or interval is missing, or what a reader must know; else None."""

    def as_json(self) -> dict[str, float | int | str | None]:
        """The fields by name; `note` only where there is one."""
        fields: dict[str, float | int | str | None] = {
            "value": self.value,
            "ci_low": self.ci_low,
            "ci_high": self.ci_high,
            "n": self.n,
        }
        if self.note is not None:
            fields["note"] = self.note
        return fields


def share_estimate(successes: int, n: int, *, nothing: str) -> Estimate:
    """Successes / n with Wilson's 95 % interval; `nothing` is the note where n is 0."""
    interval = wilson_interval(successes, n)
    if interval is None:
        return Estimate(value=None, n=0, note=nothing)
    low, high = interval
    return Estimate(value=share(successes, n), ci_low=low, ci_high=high, n=n)
