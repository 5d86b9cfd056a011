"""A trial's key is the hash of the canonical form of its cell and repetition."""

import pytest

from auditor.canonical import digest16
from auditor.types import trial_key


@pytest.mark.parametrize("cell_key", [bytes(16), bytes(range(16)), b"\xff" * 16])
@pytest.mark.parametrize("repetition", [0, 1, 29, 10**6])
def test_the_written_out_form_is_the_canonical_one(cell_key, repetition):
    assert trial_key(cell_key, repetition) == digest16(["trial", cell_key.hex(), repetition])
