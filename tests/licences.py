"""Licences of the locked packages, as their own metadata says them: `python -m tests.licences`.

One line a package: whether an installation needs it ("runtime") or an extra alone, its licence,
and a mark where that is copyleft (strong: GPL, AGPL; weak: LGPL, MPL, EPL). A package that is
locked for another platform is listed as not installed.
"""

from __future__ import annotations

import re
import tomllib
from contextlib import suppress
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
_WEAK = re.compile(r"\bL-?GPL|\bMPL|Mozilla|\bEPL|Lesser", re.IGNORECASE)
_STRONG = re.compile(r"\bA?-?GPL|GNU (?:Affero )?General Public", re.IGNORECASE)
_LONGEST = 60


def locked() -> dict[str, str]:
    """Version of each package in the lock file, by name."""
    found = re.findall(
        r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", (ROOT / "requirements.lock").read_text(), re.MULTILINE
    )
    return {canonicalize_name(name): version for name, version in found}


def runtime() -> set[str]:
    """What an installation without extras brings."""
    seen: set[tuple[str, ...]] = set()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted: list[tuple[list[Requirement], set[str]]] = [
        ([Requirement(each) for each in project["dependencies"]], set())
    ]
    while wanted:
        needs, extras = wanted.pop()
        for need in needs:
            marker = need.marker
            if marker and not any(marker.evaluate({"extra": e}) for e in extras or {""}):
                continue
            key = (canonicalize_name(need.name), *sorted(need.extras))
            if key not in seen:
                seen.add(key)
                with suppress(metadata.PackageNotFoundError):
                    further = [Requirement(each) for each in metadata.requires(need.name) or ()]
                    wanted.append((further, need.extras))
    return {name for name, *_ in seen}


def licence(name: str) -> str:
    """What a package says of its licence; a reason where it says nothing."""
    try:
        said = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return "not installed here"
    if expression := said.get("License-Expression"):
        return str(expression)
    classifiers = [c for c in said.get_all("Classifier") or () if c.startswith("License ::")]
    if classifiers:
        return "; ".join(each.rpartition(" :: ")[2] for each in classifiers)
    return (said.get("License") or "says nothing").splitlines()[0][:_LONGEST]


def copyleft(said: str) -> str:
    """ "weak", "strong" or nothing."""
    if _WEAK.search(said):
        return "weak"
    return "strong" if _STRONG.search(said) else ""


def main() -> None:
    """Print the table."""
    needed = runtime()
    print(f"{'package':24}{'version':20}{'needed by':12}{'copyleft':10}licence")
    for name, version in sorted(locked().items()):
        said = licence(name)
        kind = "runtime" if name in needed else "an extra"
        print(f"{name:24}{version:20}{kind:12}{copyleft(said):10}{said}")


if __name__ == "__main__":
    main()
