import json
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.harmless import harmless
from auditor.importing import import_file
from auditor.importing.lines import LineReader, Selection
from auditor.importing.run import import_run
from auditor.importing.values import Rejected, read_object
from auditor.store.reading import open_reader
from auditor.store.verification import verify
from tests.import_builders import line

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=20)
ANY_VALUE = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**80), 2**80)
    | st.floats()
    | ANY_TEXT
    | st.sampled_from(["spatial.explicit", "kitchen", "choice", "men", "response", "1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=6,
)
FIELDS = (
    *("protocol", "target", "factors", "repetition", "text", "annotation", "outcome", "logprobs"),
    *("model", "at", "task", "judge", "value", "valid", "reason", "setting", "repeat", "source"),
    *("simulated", "in_plan", "reasoning", "finish_reason"),
)
CHANGES = st.dictionaries(st.sampled_from(FIELDS), ANY_VALUE, max_size=4)
FACTOR_CHANGES = st.dictionaries(
    st.sampled_from(["space", "prompt", "temperature", "other"]), ANY_VALUE, max_size=3
)


def reader() -> LineReader:
    run = import_run(Path("/nowhere/a.db"), None, Path("lines.jsonl"))
    return LineReader(
        selection=Selection(), planned_targets=(), materials_of=run.protocol_materials
    )


READER = reader()


def check(error: Rejected) -> None:
    message = f"{error.field}: {error.said}; allowed: {error.allowed}"
    assert error.field
    assert error.allowed
    assert harmless(message) == message


@settings(max_examples=300, deadline=None)
@given(raw=st.binary(max_size=60) | ANY_VALUE.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_are_a_line_or_a_rejection(raw: bytes) -> None:
    try:
        READER.read(1, raw)
    except Rejected as error:
        check(error)


@settings(max_examples=300, deadline=None)
@given(changes=CHANGES, factors=FACTOR_CHANGES)
def test_any_values_in_the_fields_are_a_line_or_a_rejection(changes, factors) -> None:
    fields = line(factors={"space": "kitchen", **factors}) | changes
    try:
        READER.read(1, json.dumps(fields).encode())
    except Rejected as error:
        check(error)


@settings(max_examples=6, deadline=None)
@given(changes=st.lists(CHANGES, min_size=10, max_size=40))
def test_whatever_fits_is_stored_and_the_store_stays_whole(changes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file, store = Path(folder, "a.jsonl"), Path(folder, "a.db")
        lines = [line(repetition=n) | change for n, change in enumerate(changes)]
        file.write_text("".join(json.dumps(each) + "\n" for each in lines))
        report = import_file(file, store)
        assert report.taken + report.known + report.left_out + report.rejected == len(lines)
        if store.exists():
            connection = open_reader(store)
            assert [found for _, found in verify(connection) if found] == []
            connection.close()
            assert import_file(file, store).taken == 0


def test_one_name_that_stands_twice_among_thousands_is_found_in_a_moment() -> None:
    """Looking through all names for each of them would take ten seconds."""
    names = [*(f"n{number}" for number in range(30_000)), "last", "last"]
    raw = "{" + ", ".join(f'"{name}": 1' for name in names) + "}"
    begun = time.process_time()
    with pytest.raises(Rejected) as caught:
        read_object(raw.encode())
    assert time.process_time() - begun < 2.0
    assert (caught.value.field, caught.value.said) == ("last", "stands twice")
