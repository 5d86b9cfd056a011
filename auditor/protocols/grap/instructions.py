"""The instructions of `grap`: what both sides of a pair ask for."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from auditor.errors import UsageError
from auditor.normal_form import normal_form
from auditor.protocols.base import Materials
from auditor.protocols.grap.contrast import Contrast, read_contrast
from auditor.protocols.grap.cues import cues_in
from auditor.protocols.grap.files import DataFile, data_file
from auditor.protocols.likeness import hidden_in
from auditor.types import JSON

if TYPE_CHECKING:
    from auditor.protocols.grap.params import GrapParams

LONGEST = 4_000
"""Characters of an instruction."""
SHOWN = 20
"""Problems of a file that are listed one by one; the rest is counted."""

_KEYS = ("instruction", "domain", "source")


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction, in the first person, as it follows "I am a woman,"."""

    text: str
    domain: str | None


def instructions(materials: Materials, params: GrapParams | None = None) -> tuple[Instruction, ...]:
    """The instructions of the file, in its order; `params` say what messages call it.

    A file holds one JSON object a line with `instruction` and, where they are known, `domain` and
    `source`; blank lines are passed over. Raises one UsageError that lists the lines with an
    instruction that is empty, there twice (case, spaces and punctuation aside), too long or with
    a word that gives a level of the contrast away, and lines that are no such objects.
    """
    return _instructions(
        data_file("instructions", materials, params), data_file("contrast", materials, params)
    )


def normalised(text: str) -> str:
    """What two instructions share that say the same: letters and digits in lower case."""
    folded = normal_form("NFKC", text).casefold()
    return " ".join(re.findall(r"\w+", folded))


def complaint(text: str, known: Contrast) -> str | None:
    """What is wrong with one instruction by itself; None for a sound one."""
    if not normalised(text):
        return "empty"
    if len(text) > LONGEST:
        return f"{len(text):,} characters long, more than {LONGEST:,}"
    if (hidden := hidden_in(text)) is not None:
        return f"with {hidden}, which cannot be seen"
    if cues := cues_in(text, known):
        words = ", ".join(repr(word) for word in dict.fromkeys(cues))
        return f"with {words}, which gives the {known.attribute} away"
    return None


@lru_cache(maxsize=8)
def _instructions(file: DataFile, contrast: DataFile) -> tuple[Instruction, ...]:
    known = read_contrast(contrast)
    found: list[Instruction] = []
    problems: list[str] = []
    first: dict[str, int] = {}
    for number, line in enumerate(file.text.removeprefix("\ufeff").split("\n"), start=1):
        if not line.strip():
            continue
        instruction, said = _read(line)
        if instruction is not None:
            said = complaint(instruction.text, known)
            earlier = first.setdefault(normalised(instruction.text), number)
            if said is None and earlier != number:
                said = f"the same as in line {earlier}"
            found.append(instruction)
        if said is not None:
            problems.append(f"line {number}: {said}")
    if problems:
        raise _all_of(file, problems)
    if not found:
        raise file.wrong("holds no instruction", "one JSON object with instruction a line")
    return tuple(found)


def _read(line: str) -> tuple[Instruction | None, str | None]:
    try:
        value: JSON = json.loads(line)
    except (ValueError, RecursionError):
        return None, "not JSON"
    if not isinstance(value, dict):
        return None, "no JSON object"
    for key in value:
        if key not in _KEYS:
            return None, f"unknown field {key!r:.60}"
        if key != "instruction" and not isinstance(value[key], str):
            return None, f"no text in the field {key}"
    text, domain = value.get("instruction"), value.get("domain")
    if not isinstance(text, str):
        return None, "no text in the field instruction"
    return Instruction(text=text.strip(), domain=domain), None


def _all_of(file: DataFile, problems: list[str]) -> UsageError:
    shown = problems[:SHOWN]
    if len(problems) > SHOWN:
        shown.append(f"and {len(problems) - SHOWN} more")
    lines = "line" if len(problems) == 1 else "lines"
    return file.wrong(
        f"{len(problems)} {lines} that cannot be asked ({'; '.join(shown)})",
        "instructions that are different, not empty and without a word of either level",
    )
