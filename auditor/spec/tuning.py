"""Which targets of a spec are instruction-tuned, and from which base models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from auditor.spec.model import Target
from auditor.spec.positions import Path
from auditor.spec.problems import Problems, shown
from auditor.spec.tables import BASE
from auditor.types import JSON

_KEY = "tuned_from"


def checked_bases(
    targets: Sequence[tuple[int, Target]],
    raw: JSON,
    imported: Mapping[str, JSON],
    problems: Problems,
) -> dict[str, str]:
    """Base models by the names of the targets that were tuned from them.

    `targets` are the sound ones with their places, `raw` the list that they come from, and
    `imported` the spec's table `tuned_from`, for targets whose answers an import brings: their
    names are not known beforehand. A target of the spec has its base among the targets of the
    spec. Reports unknown bases, targets that are their own base, and circles of them.
    """
    bases: dict[str, str] = {}
    places: dict[str, Path] = {}
    names = {target.name for _, target in targets}
    # The name of a target that is not sound may be the one that is looked for.
    all_known = isinstance(raw, list) and len(raw) == len(targets)
    for place, target in targets:
        base = target.tuned_from
        if base is None:
            continue
        path: Path = ("targets", place, _KEY)
        if base == target.name or (all_known and base not in names):
            others = ", ".join(shown(name) for name in sorted(names - {target.name}))
            problems.add_value(path, base, f"{BASE} ({others or 'there is none'})")
            continue
        bases[target.name], places[target.name] = base, path
    for name, base in imported.items():
        path = (_KEY, name)
        if name in bases:
            line = problems.line(places[name])
            problems.add(path, f"its base is also named in line {line}", "one of the two")
        elif not isinstance(base, str) or not base or base == name:
            problems.add_value(path, base, BASE)
        else:
            bases[name], places[name] = base, path
    _check_circles(bases, places, problems)
    return bases


def _check_circles(
    bases: Mapping[str, str], places: Mapping[str, Path], problems: Problems
) -> None:
    told: set[str] = set()
    for name in bases:
        chain = [name]
        while (base := bases.get(chain[-1])) is not None and base not in chain:
            chain.append(base)
        if base == name and not told & set(chain):
            told |= set(chain)
            circle = " from ".join(shown(each) for each in (*chain, name))
            problems.add(
                places[name],
                f"value {shown(bases[name])}, a circle: {circle}",
                "a base that was not tuned from this target",
            )
