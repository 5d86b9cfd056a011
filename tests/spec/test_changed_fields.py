"""Which fields of a spec have been edited."""

from __future__ import annotations

import pytest

from auditor.spec.changes import changed_fields

SPEC = """
name = "s"
seed = 1
budget = {usd = 2.0}
[[targets]]
name = "a"
model = "openai:a"
params = {temperature = 0.5, max_tokens = 20}
[[targets]]
name = "b"
model = "openai:b"
[protocols."spatial.explicit"]
repetitions = 3
"""


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("seed = 1", "seed = 2", "seed"),
        ("usd = 2.0", "usd = 3.0", "budget.usd"),
        ("budget = {usd = 2.0}", "", "budget"),
        ("temperature = 0.5", "temperature = 1.0", "targets.a.params.temperature"),
        ('model = "openai:b"', 'model = "openai:b"\nvariant = "q4"', "targets.b.variant"),
        ('name = "b"', 'name = "c"', "targets.b, targets.c"),
        ("repetitions = 3", "repetitions = 9", "protocols.spatial.explicit.repetitions"),
        ("seed = 1", "# a comment\nseed = 1", None),
        ("seed = 1", "seed = = 1", None),
    ],
)
def test_edited_fields_are_named(old: str, new: str, named: str | None) -> None:
    assert changed_fields(SPEC, SPEC.replace(old, new, 1)) == named


def test_a_few_are_named_and_the_others_counted() -> None:
    before = "\n".join(f"field_{i} = {i}" for i in range(9))
    assert changed_fields(before, "") == "field_0, field_1, field_2, field_3 and 5 more"


def test_tables_without_names_are_compared_as_one() -> None:
    assert changed_fields("[[x]]\ny = 1\n[[x]]\ny = 2", "[[x]]\ny = 1\n[[x]]\ny = 3") == "x.1.y"
    two = '[[x]]\nname = "a"\n[[x]]\nname = "a"\n'
    assert changed_fields(two, two + "y = 1") == "x"
