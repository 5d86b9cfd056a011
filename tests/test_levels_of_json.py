"""How deep JSON from outside may be: whoever reads a store has to be able to read it again."""

import json

import pytest

from agents.judges.command_lines import NO_VALUE, Garbage, parse_line
from auditor.canonical import MOST_LEVELS, canonical_json, is_too_deep
from auditor.reports.label_values import parsed


def nested(levels, kind="list"):
    value = []
    for _ in range(levels - 1):
        value = [value] if kind == "list" else {"a": 1, "b": value, "c": "x"}
    return value


@pytest.mark.parametrize("kind", ["list", "dict"])
def test_levels_are_counted(kind):
    assert not is_too_deep(nested(MOST_LEVELS, kind))
    assert is_too_deep(nested(MOST_LEVELS + 1, kind))
    assert not is_too_deep(nested(3, kind), 3)
    assert is_too_deep(nested(4, kind), 3)


def test_what_holds_nothing_has_no_level():
    assert not any(is_too_deep(value, 0) for value in ("x", 1, 1.5, None, True))


def test_the_deepest_that_is_taken_can_be_written_far_down_the_stack():
    def below(calls):
        return canonical_json(nested(MOST_LEVELS)) if calls == 0 else below(calls - 1)

    assert below(400).count("[") == MOST_LEVELS


@pytest.mark.parametrize("levels", [MOST_LEVELS + 1, 600, 900])
def test_a_command_judge_that_nests_deeper_has_given_no_value(levels):
    deep = "[" * levels + "]" * levels
    said = parse_line(f'{{"id": "1", "value": {deep}}}'.encode()).said
    assert (said.valid, said.reason) == (False, NO_VALUE)
    for field in ("error", "hello"):
        with pytest.raises(Garbage, match="too many levels"):
            parse_line(f'{{"id": "1", "{field}": {deep}}}'.encode())


def test_a_label_that_nests_deeper_is_no_json():
    assert parsed(json.dumps(nested(MOST_LEVELS))) == nested(MOST_LEVELS)
    assert parsed("[" * 600 + "]" * 600) is None
