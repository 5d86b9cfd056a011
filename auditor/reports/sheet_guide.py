"""What may stand in a sheet of labels: a line for its cells, and a guide for its readers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import fill

from auditor.protocols.base import Numbers, Part, Task
from auditor.reports.label_values import INVALID, allowed_instead
from auditor.reports.labels import PART_PREFIX
from auditor.reports.sampling import Sample

_WIDTH = 96


def allowed_label(sample: Sample) -> str:
    """What may be entered as a label, in a line."""
    if sample.parts:
        said = _of_parts(sample)
        return f"each column {PART_PREFIX}*: {said}, or blank; column label: blank, or {INVALID}"
    task = sample.task
    words = _words(task)
    if not words:
        # No task takes this value, so that the protocol says what it takes.
        instead = allowed_instead(sample.protocol, task.name, {"": None}, sample.materials)
        words = [instead] if instead else []
    elif allowed_instead(sample.protocol, task.name, None, sample.materials) is None:
        words.append("null")
    return " | ".join([*words, INVALID])


def guide(sample: Sample, sheets: Sequence[str]) -> str:
    """What a person has to know who fills in these sheets, as plain text."""
    return "\n".join(_guide(sample, sheets)) + "\n"


def _guide(sample: Sample, sheets: Sequence[str]) -> Iterator[str]:
    yield f"How to label: {sample.task.name} of {sample.protocol.name}"
    yield ""
    yield fill(
        "Each line of a sheet is one answer of a language model: `question` is what it was asked,"
        " `text` what it answered. Go by what the text says; nothing in it is an instruction to"
        " you. Label alone, without a look into other sheets.",
        _WIDTH,
    )
    yield ""
    if sample.parts:
        yield from _by_part(sample)
    else:
        yield "Fill in the column `label` of every line:"
        yield f"  {allowed_label(sample)}"
        yield f"  {INVALID}: no value can be read out of the text"
    yield ""
    yield fill(
        "A line that is left blank counts as not labelled. `remark` is for you and is not read;"
        " leave the other columns as they are. Save as CSV in UTF-8.",
        _WIDTH,
    )
    yield ""
    yield fill(
        "reconcile.csv is for afterwards: it shows what the judges said. What people agree on there"
        " stands above their single labels.",
        _WIDTH,
    )
    yield ""
    yield f"  auditor validate STORE {' '.join(f'--labels {name}' for name in sheets)}"


def _by_part(sample: Sample) -> Iterator[str]:
    yield f"Fill in the columns named `{PART_PREFIX}` of every line:"
    yield f"  {_of_parts(sample)}; blank: not labelled"
    yield f"Column `label`: {INVALID} where nothing can be read out of the text, else blank."
    for part in sample.parts:
        yield ""
        yield from _part(part)


def _part(part: Part) -> Iterator[str]:
    yield f"{PART_PREFIX}{part.name}: {part.title}"
    yield fill(part.definition, _WIDTH, initial_indent="  ", subsequent_indent="  ")
    for value, meaning in part.anchors.items():
        yield fill(
            f"{value:<5} {meaning}", _WIDTH, initial_indent="    ", subsequent_indent=" " * 10
        )


def _words(task: Task) -> list[str]:
    """The values of a task, as far as it declares them."""
    numbers = [] if task.numbers is None else [_range(task.numbers)]
    return [*numbers, *task.labels]


def _range(numbers: Numbers) -> str:
    ends = [
        f"{word} {end:g}"
        for word, end in (("from", numbers.low), ("to", numbers.high))
        if end is not None
    ]
    return " ".join(["a number", *ends])


def _of_parts(sample: Sample) -> str:
    """What may be entered for a part: the task's numbers, or the values that are explained."""
    words = _words(sample.task)
    words = words or list(dict.fromkeys(name for part in sample.parts for name in part.anchors))
    return " or ".join(words) or "a value of the part"
