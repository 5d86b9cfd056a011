"""Names in a spec that a reader takes for one: the same characters, otherwise composed."""

from __future__ import annotations

from collections.abc import Iterable

from auditor.normal_form import normal_form
from auditor.spec.model import Judge, Target
from auditor.spec.positions import Path
from auditor.spec.problems import Problems, shown


def check_twins(
    targets: Iterable[tuple[int, Target]],
    judges: Iterable[tuple[Path, Judge]],
    problems: Problems,
) -> None:
    """Report targets, and judges of one task, whose unequal names have one normal form (NFC).

    Each comes with its place in the spec.
    """
    named: list[tuple[Path, str, str]] = [
        (("targets", place), "target", target.name) for place, target in targets
    ]
    named += [(path, f"judge of {judge.task}", judge.name) for path, judge in judges]
    first: dict[tuple[str, str], tuple[Path, str]] = {}
    for path, kind, name in named:
        there, other = first.setdefault((kind, normal_form("NFC", name)), (path, name))
        if name != other:
            problems.add(
                (*path, "name"),
                f"value {shown(name)} looks like the name of the {kind} in line"
                f" {problems.line(there)}: the same characters, otherwise composed (Unicode normal"
                " forms)",
                "a name of its own",
            )


def twin_of(name: str, others: Iterable[str]) -> str | None:
    """The first of other names that is unequal and has the same normal form (NFC), or None."""
    form = normal_form("NFC", name)
    return next(
        (each for each in others if each != name and normal_form("NFC", each) == form), None
    )
