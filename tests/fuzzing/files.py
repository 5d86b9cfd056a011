# ruff: noqa: PT017 - what an error says is looked at where it is caught
"""Files that people bring: imports, labels, instructions, contrasts, rubrics, tables, corpora."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

import rubrics
from auditor import protocols
from auditor.canonical import canonical_json
from auditor.corpus.documents import End, documents
from auditor.corpus.documents import Rejected as RejectedDocument
from auditor.corpus.parts import Kind, Packing, Part
from auditor.errors import UsageError
from auditor.harmless import harmless
from auditor.importing.lines import LineReader, Selection
from auditor.importing.run import import_run
from auditor.importing.values import Rejected
from auditor.protocols.base import Task
from auditor.protocols.grap.authoring import Collection
from auditor.protocols.grap.contrast import parse_contrast
from auditor.protocols.grap.files import CONTRAST, INSTRUCTIONS, NAMES, RUBRIC, DataFile
from auditor.protocols.grap.instructions import _instructions
from auditor.protocols.grap.names import _pairs
from auditor.protocols.grap.rubric import parse_rubric
from auditor.protocols.regional.files import FIELDS
from auditor.reports.label_values import NotAllowed, label_of_parts, label_value
from auditor.reports.labels import read_labels
from tests.fuzzing.inputs import (
    JSON_TEXT,
    TEXT,
    as_bytes,
    mostly,
    mutated_json,
    mutated_text,
)
from tests.fuzzing.parser import REFUSED, TAKEN, fuzzed
from tests.fuzzing.storable import check_error, is_finite

_LINES = (
    {
        "protocol": "spatial.explicit",
        "target": "theirs",
        "factors": {"space": "kitchen", "prompt": "1", "temperature": 1.0},
        "repetition": 0,
        "text": "Men.",
        "annotation": {"task": "choice", "judge": "people", "value": "men", "repeat": 0},
    },
    {
        "protocol": "spatial.probability",
        "target": "theirs",
        "factors": {"space": "kitchen", "prompt": "1"},
        "repetition": 1,
        "logprobs": {"Men": -0.5, "Women": -1.5},
        "at": "2026-01-31T12:00:00Z",
        "model": "m",
        "outcome": "answered",
    },
    {
        "protocol": "stories",
        "target": "theirs",
        "factors": {"occupation": "baker"},
        "repetition": 0,
        "text": "Ada Byron",
        "annotation": {"task": "gender", "judge": "t", "value": "female", "source": "name/people"},
    },
    {
        "protocol": "grap",
        "target": "theirs",
        "factors": {"pair": 1, "gender": "female"},
        "repetition": 0,
        "annotation": {
            "task": "rubric",
            "judge": "j",
            "setting": "full",
            "value": {"clarity": 0.5},
            "valid": True,
            "reason": "first",
        },
    },
    {
        "protocol": "regional.decision",
        "target": "theirs",
        "factors": {"region_a": "BJ", "region_b": "SH", "task": "E1", "language": "zh"},
        "repetition": 2,
        "text": "A",
    },
)


@lru_cache(maxsize=1)
def _reader() -> LineReader:
    run = import_run(Path("/nowhere/a.db"), None, Path("lines.jsonl"))
    return LineReader(
        selection=Selection(), planned_targets=(), materials_of=run.protocol_materials
    )


@fuzzed("line of an import", as_bytes(mostly(mutated_json(*_LINES), JSON_TEXT)))
def import_line(raw: bytes) -> str:
    """A line as it is stored, or its field with what is allowed there."""
    try:
        line = _reader().read(1, raw)
    except Rejected as error:
        message = f"{error.field}: {error.said}; allowed: {error.allowed}"
        assert error.field
        assert error.allowed
        assert harmless(message) == message
        return REFUSED
    assert line is not None
    kept = line.line
    for text in (kept.factors, kept.response.logprobs, *(each.value for each in kept.annotations)):
        assert text is None or is_finite(json.loads(text))
    return TAKEN


_SHEETS = (
    "target,space,prompt,temperature,repetition,task,label,annotator\nm,kitchen,1,1,0,choice,men,x\n",
    "trial;task;label\n0123456789abcdef0123456789abcdef;choice;women\n",
    "trial\ttask\tlabel.clarity\tlabel.depth\n00\trubric\t0,5\t1\n",
)
_SHEET = as_bytes(mutated_text(*_SHEETS) | TEXT)


@fuzzed("label file", _SHEET)
def label_file(raw: bytes) -> str:
    """Labels with their lines, or the first mistake with its own."""
    with tempfile.NamedTemporaryFile(suffix=".csv") as file:
        file.write(raw)
        file.flush()
        try:
            labels = read_labels([Path(file.name)])
        except UsageError as error:
            check_error(error)
            assert file.name in error.message
            return REFUSED
    for problem in labels.problems:
        assert harmless(problem.message) == problem.message
    return TAKEN


@lru_cache(maxsize=1)
def _tasks() -> list[tuple[Any, Task]]:
    return [
        (spoken, task) for spoken in map(protocols.get, protocols.names()) for task in spoken.tasks
    ]


@lru_cache(maxsize=1)
def _materials() -> dict[str, str]:
    return {path: rubrics.read(path) for path in rubrics.names()}


_CELL = (
    TEXT | JSON_TEXT | st.sampled_from(["men", "A", "B", "3,5", "+1", "−2", "null", "he", "1e999"])
)


@fuzzed("cell of a label file", st.tuples(st.integers(0, 100), _CELL, st.booleans()))
def label_cell(example: tuple[int, str, bool]) -> str:
    """A label that the task may take, or what is allowed instead; also as one part of a label."""
    number, cell, comma = example
    spoken, task = _tasks()[number % len(_tasks())]
    try:
        label_of_parts(
            spoken,
            task,
            {"men": cell, "clarity": cell},
            materials=_materials(),
            decimal_comma=comma,
        )
    except NotAllowed as error:
        assert error.allowed
    try:
        value = label_value(spoken, task, cell, materials=_materials(), decimal_comma=comma)
    except NotAllowed as error:
        assert error.allowed
        return REFUSED
    assert value is None or is_finite(json.loads(value))
    assert value is None or canonical_json(json.loads(value)) == value
    return TAKEN


def _data_file(field: str, text: str) -> DataFile:
    return DataFile(text=text, name="mine", field=field)


def _or_refused(read: Callable[[str], object], text: str) -> str:
    try:
        read(text)
    except UsageError as error:
        check_error(error)
        assert len(error.message.splitlines()) == 1, error.message
        return REFUSED
    return TAKEN


_FEW = "".join(rubrics.read(INSTRUCTIONS).splitlines(keepends=True)[:6])


@fuzzed("instructions file", mutated_text(_FEW) | mutated_json(json.loads(_FEW.splitlines()[0])))
def instructions_file(text: str) -> str:
    """Instructions, or the lines that cannot be asked."""
    known = _data_file("contrast", rubrics.read(CONTRAST))
    return _or_refused(lambda said: _instructions(_data_file("instructions", said), known), text)


@fuzzed("contrast file", mutated_text(rubrics.read(CONTRAST)))
def contrast_file(text: str) -> str:
    """A contrast, or the key that is wrong."""
    return _or_refused(parse_contrast, text)


@fuzzed("rubric file", mutated_text(rubrics.read(RUBRIC)))
def rubric_file(text: str) -> str:
    """A rubric, or the key that is wrong."""
    return _or_refused(parse_rubric, text)


_NAMES = "".join(rubrics.read(NAMES).splitlines(keepends=True)[:6])


@fuzzed("names file", mutated_text(_NAMES) | TEXT)
def names_file(text: str) -> str:
    """Pairs of names, or the line that is wrong."""
    known = _data_file("contrast", rubrics.read(CONTRAST))
    return _or_refused(lambda said: _pairs(_data_file("names", said), known), text)


@fuzzed("answer of an author", TEXT | st.lists(TEXT, max_size=6).map("\n".join))
def author_answer(text: str) -> str:
    """Sound instructions, each of which the file that is made of them is read back with."""
    collection = Collection(parse_contrast(rubrics.read(CONTRAST)))
    taken = collection.take(f"1. I need a plan; what now?\n{text}", "work", 5)
    assert 1 <= taken <= 5
    assert all(harmless(reason) == reason for reason in collection.left_out)
    known = _data_file("contrast", rubrics.read(CONTRAST))
    assert len(_instructions(_data_file("instructions", collection.as_lines("x")), known)) == taken
    return TAKEN


def _documents(kind: Kind, raw: bytes, cuts: int) -> str:
    part = Part(path=Path("x"), kind=kind, packing=Packing.PLAIN, start=0, stop=len(raw))
    size = max(1, len(raw) // (cuts + 1))
    blocks = [raw[start : start + size] for start in range(0, len(raw), size)]
    found = list(documents(part, blocks, "text"))
    assert isinstance(found[-1], End)
    taken = REFUSED
    for each in found[:-1]:
        if isinstance(each, RejectedDocument):
            assert harmless(each.reason) == each.reason
            assert len(each.reason) <= 300
        else:
            assert isinstance(each, str)
            taken = TAKEN
    return taken


_DOCUMENT = {"text": "She was in the kitchen. He, too.", "id": 1}


@fuzzed(
    "lines of a corpus",
    st.tuples(
        as_bytes(st.lists(mutated_json(_DOCUMENT) | TEXT, max_size=4).map("\n".join)),
        st.integers(0, 5),
    ),
)
def corpus_lines(example: tuple[bytes, int]) -> str:
    """Documents, and lines that are none with the reason."""
    return _documents(Kind.JSON, *example)


@fuzzed("text of a corpus", st.tuples(as_bytes(TEXT), st.integers(0, 5)))
def corpus_text(example: tuple[bytes, int]) -> str:
    """Documents between blank lines."""
    return _documents(Kind.TEXT, *example)


@lru_cache(maxsize=1)
def _regional() -> tuple[Any, Any]:
    return protocols.get("regional.stereotype"), protocols.get("regional.decision")


def _regional_file(field: str) -> None:
    path = FIELDS[field]
    sound = rubrics.read(path)
    few = "".join(sound.splitlines(keepends=True)[:6]) if path.endswith(".csv") else sound

    @fuzzed(f"{field} file", mutated_text(few) | TEXT)
    def outcome(text: str) -> str:
        stereotype, decision = _regional()
        materials = {**_materials(), path: text}

        def read(_: str) -> None:
            for spoken in (stereotype, decision):
                if field in spoken.params_type.model_fields:
                    spoken.count(spoken.params_type(**{field: "mine"}), materials)

        return _or_refused(read, text)


for _field in FIELDS:
    _regional_file(_field)
