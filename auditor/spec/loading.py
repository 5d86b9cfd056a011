"""Spec files read, parsed and checked: either a sound spec, or everything that is wrong with it."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

import rubrics
from auditor import protocols
from auditor.errors import UsageError
from auditor.harmless import harmless, spelled_out
from auditor.protocols.base import AnyProtocol, Materials
from auditor.providers import Spellings
from auditor.spec.added import ADDED, with_added
from auditor.spec.endpoints import Endpoints
from auditor.spec.judges import checked_judges
from auditor.spec.model import Budget, Spec
from auditor.spec.positions import DEEPEST, Path, Positions, find_positions
from auditor.spec.problems import Problems
from auditor.spec.protocols import ChosenProtocol, MaterialsOf, chosen_protocols
from auditor.spec.stand_ins import ReadFile, file_reader
from auditor.spec.tables import SpecTable
from auditor.spec.targets import checked_targets
from auditor.spec.tuning import checked_bases
from auditor.spec.twins import check_twins
from auditor.spec.validation import validated
from auditor.user_files import read_whole

PROVIDERS: Mapping[str, str] = Spellings()
"""Providers by the names that a spec may give them; both of openai's mean the same calls."""

_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def load_spec(
    path: str | os.PathLike[str],
    *,
    providers: Mapping[str, str] = PROVIDERS,
    materials_of: MaterialsOf | None = None,
    needs_targets: bool = True,
) -> Spec:
    """The spec of a TOML file. Raises UsageError as `parse_spec`, or where it can't be read."""
    source = os.fspath(path)
    try:
        data = read_whole(path)
    except IsADirectoryError:
        _refuse(source, None, "a directory; allowed: a TOML file")
    except FileNotFoundError:
        _refuse(source, None, "no such file; allowed: the path of a TOML file")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        _refuse(source, None, f"cannot be read ({reason}); allowed: a readable TOML file")
    return parse_spec(
        _decoded(data, source),
        source,
        providers=providers,
        materials_of=materials_of,
        needs_targets=needs_targets,
    )


def parse_spec(
    text: str,
    source_name: str,
    *,
    providers: Mapping[str, str] = PROVIDERS,
    materials_of: MaterialsOf | None = None,
    read_file: ReadFile | None = None,
    needs_targets: bool = True,
    is_kept: bool = False,
) -> Spec:
    """The spec of a TOML text.

    Args:
        text: the file's text.
        source_name: what messages call the file.
        providers: known providers by the names that a spec may give them.
        materials_of: rubric files of a protocol; None reads them from the installed package, and
            the user's files that stand in for some. A resumed run passes those of its store.
        read_file: reads these files of the user's; None: as they lie, from the spec's folder.
        needs_targets: whether a spec without targets is a mistake. It is none for an import.
        is_kept: whether it is the spec of a store. Names of one look are no mistake there: answers
            stand under them.

    Raises UsageError, one for everything that is wrong, with a line for each problem:
    "file:line: key: value; allowed: ...". Keys in the environment are checked by `check_keys`.
    """
    data, positions = _parsed(text, source_name)
    problems = Problems(source_name, positions)
    top = validated(SpecTable, data, (), problems)
    added = _table(data.get(ADDED))
    declared = with_added(_tables(data.get("endpoints")), _tables(added.get("endpoints")))
    endpoints = Endpoints(declared, providers, problems)
    chosen = chosen_protocols(
        _tables(data.get("protocols")),
        materials_of or _packaged_materials,
        problems,
        read_file=None if materials_of else read_file or file_reader(source_name),
    )
    _check_presence(data, needs_targets, problems)
    targets = checked_targets(
        _numbered_tables(data.get("targets")), endpoints, chosen.values(), problems
    )
    bases = checked_bases(targets, data.get("targets"), _tuned(data), problems)
    named: list[tuple[Path, dict[str, Any]]] = [
        ((*path, place), table)
        for path, raw in ((("judges",), data), ((ADDED, "judges"), added))
        for place, table in _numbered_tables(raw.get("judges"))
    ]
    judges = checked_judges(named, endpoints, chosen, problems)
    problems.raise_any()
    if not is_kept:
        places = (path for path, _ in named)
        check_twins(targets, zip(places, judges, strict=True), problems)
        problems.raise_any()
    if top is None:
        raise AssertionError("a spec without problems has a top table")
    return Spec(
        name=top.name,
        seed=top.seed,
        max_failure_rate=top.max_failure_rate,
        budget=Budget(usd=top.budget.usd, calls=top.budget.calls, tokens=top.budget.tokens),
        judges=judges,
        endpoints=endpoints.configs,
        targets=tuple(target for _, target in targets),
        protocols={name: each.params for name, each in chosen.items() if each.params is not None},
        bases=bases,
        own_texts=_own_texts(chosen.values()),
        text=text,
        source=source_name,
        positions=positions,
    )


def toml_text(data: bytes, source_name: str) -> str:
    """The text of a file that holds TOML, whatever it says. Raises UsageError as `parse_spec`."""
    text = _decoded(data, source_name)
    _parsed(text, source_name)
    return text


def _decoded(data: bytes, source: str) -> str:
    if data.startswith(b"SQLite format 3\x00"):
        _refuse(
            source,
            None,
            "a store; allowed: a TOML file",
            hint="a store goes on with `auditor resume`",
        )
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        _refuse(source, line, f"byte {data[error.start]:#04x} is not UTF-8; allowed: UTF-8 text")


def _parsed(text: str, source: str) -> tuple[dict[str, Any], Positions]:
    if text.startswith("\ufeff"):
        _refuse(source, 1, "begins with a byte order mark; allowed: UTF-8 without one")
    for place, char in enumerate(text):
        if "\ud800" <= char <= "\udfff":
            line = text.count("\n", 0, place) + 1
            _refuse(source, line, "holds a lone surrogate; allowed: UTF-8 text")
    try:
        return tomllib.loads(text), find_positions(text)
    except tomllib.TOMLDecodeError as error:
        _refuse_toml(source, text, str(error))
    except RecursionError:
        _refuse(source, 1, f"values nest too deeply; allowed: at most {DEEPEST} levels")
    except ValueError as error:  # numbers and dates beyond what Python reads
        _refuse(source, 1, f"holds a value that is none ({error}); allowed: TOML 1.0")


def _refuse_toml(source: str, text: str, message: str) -> NoReturn:
    place = _PLACE.search(message)
    said = _PLACE.sub("", message)
    if place is None:
        line = 1
    elif place[1] is None:
        line = text.count("\n") + (not text.endswith("\n"))
        said = f"{said} at the end of the file"
    else:
        line = int(place[1])
        said = f"{said} at column {place[2]}"
    _refuse(source, line, f"not TOML: {said}; allowed: TOML 1.0 (texts stand in quotes)")


def _refuse(source: str, line: int | None, said: str, hint: str | None = None) -> NoReturn:
    where = harmless(source) if line is None else f"{harmless(source)}:{line}"
    raise UsageError(f"{where}: {spelled_out(said)}", where=where, hint=hint)


def _packaged_materials(protocol: AnyProtocol) -> Materials:
    return {path: rubrics.read(path) for path in protocol.materials}


def _own_texts(chosen: Iterable[ChosenProtocol]) -> dict[str, str]:
    return {
        path: each.materials[path]
        for each in chosen
        if each.params is not None
        for path in each.params.stand_ins
    }


def _check_presence(data: Mapping[str, Any], needs_targets: bool, problems: Problems) -> None:
    # A store that no run has begun, but texts that were counted, asks nothing.
    is_empty = data.get("protocols", {}) == {}
    if is_empty and (needs_targets or "protocols" not in data):
        known = ", ".join(protocols.names())
        problems.add(("protocols",), "missing", f'a table [protocols."NAME"] of {known}')
    if needs_targets and data.get("targets", []) == []:
        problems.add(("targets",), "missing", "at least one table [[targets]]")


def _tables(raw: object) -> dict[str, Any]:
    items = raw.items() if isinstance(raw, dict) else ()
    return {name: table for name, table in items if isinstance(table, dict)}


def _tuned(data: Mapping[str, Any]) -> dict[str, Any]:
    return _table(data.get("tuned_from"))


def _table(raw: object) -> dict[str, Any]:
    return raw if isinstance(raw, dict) else {}


def _numbered_tables(raw: object) -> list[tuple[int, dict[str, Any]]]:
    items = enumerate(raw) if isinstance(raw, list) else ()
    return [(place, table) for place, table in items if isinstance(table, dict)]
