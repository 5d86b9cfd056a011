"""Instruction-tuned targets and their base models, as a spec marks them."""

import pytest

from auditor.errors import UsageError
from auditor.scheduler.plan import make_plan
from auditor.spec import parse_spec

TARGET = """[[targets]]
name = "{name}"
model = "sim:{name}"
extra_body = {{male = 0.5}}
{mark}
"""
END = """[protocols.stories]
occupations = ["baker"]
"""


def spec(top="", **marks):
    """A spec with a target for each name, marked with a line of its own or not at all."""
    targets = (TARGET.format(name=name, mark=mark) for name, mark in marks.items())
    return "\n".join(['name = "s"', top, *targets, END])


def from_(base):
    return f'tuned_from = "{base}"'


def refused(text):
    with pytest.raises(UsageError) as caught:
        parse_spec(text, "bad.toml", needs_targets=False)
    return caught.value.message


def test_a_mark_names_the_base_and_is_no_part_of_a_key():
    marked = parse_spec(spec(base="", tuned=from_("base"), more=from_("tuned")), "s.toml")
    plain = parse_spec(spec(base="", tuned="", more=""), "s.toml")
    assert marked.bases == {"tuned": "base", "more": "tuned"}
    assert plain.bases == {}
    assert [t.tuned_from for t in marked.targets] == [None, "base", "tuned"]
    keys = [[cell.key for cell in make_plan(each).all_cells()] for each in (marked, plain)]
    assert keys[0] == keys[1]
    assert make_plan(marked).hash == make_plan(plain).hash


def test_a_base_may_stand_behind_its_tuned_model():
    assert parse_spec(spec(tuned=from_("base"), base=""), "s.toml").bases == {"tuned": "base"}


@pytest.mark.parametrize(
    ("mark", "said"),
    [
        (from_("bse"), 'bad.toml:13: targets[1].tuned_from: value "bse"; allowed: the name of'),
        (from_("tuned"), 'bad.toml:13: targets[1].tuned_from: value "tuned"; allowed: the name of'),
        ("tuned_from = 1", "bad.toml:13: targets[1].tuned_from: value 1; allowed: the name of"),
    ],
)
def test_a_base_that_is_none_is_refused_at_its_line(mark, said):
    assert refused(spec(base="", tuned=mark)).startswith(said)


def test_the_refusal_lists_the_other_targets():
    assert refused(spec(a="", b="", c=from_("x"))).endswith('("a", "b")')
    assert refused(spec(a=from_("x"))).endswith("(there is none)")


def test_a_circle_is_told_once_with_all_that_it_goes_through():
    said = refused(spec(free=from_("a"), a=from_("b"), b=from_("c"), c=from_("a")))
    assert said == (
        'bad.toml:13: targets[1].tuned_from: value "b", a circle: "a" from "b" from "c" from "a";'
        " allowed: a base that was not tuned from this target"
    )


def test_another_mistake_in_a_target_is_not_told_as_a_missing_base():
    said = refused(spec(tuned=from_("base"), base="samples_per_request = 0"))
    assert "samples_per_request" in said
    assert "tuned_from" not in said


def test_a_table_marks_imported_targets():
    text = spec('tuned_from = {"their chat" = "their base", chat = "mine"}', mine="")
    assert parse_spec(text, "s.toml").bases == {"their chat": "their base", "chat": "mine"}


@pytest.mark.parametrize(
    ("top", "said"),
    [
        ("tuned_from = 1", "bad.toml:2: tuned_from: value 1; allowed: a table of imported targets"),
        ("tuned_from = {a = 1}", "bad.toml:2: tuned_from.a: value 1; allowed: the name of"),
        ('tuned_from = {a = "a"}', 'bad.toml:2: tuned_from.a: value "a"; allowed: the name of'),
        (
            'tuned_from = {a = "b", b = "a"}',
            'bad.toml:2: tuned_from.a: value "b", a circle: "a" from "b" from "a"; allowed: a base',
        ),
        (
            'tuned_from = {tuned = "other"}',
            "bad.toml:2: tuned_from.tuned: its base is also named in line 13; allowed: one of",
        ),
    ],
)
def test_a_wrong_table_of_imported_targets_is_refused_at_its_line(top, said):
    assert refused(spec(top, base="", tuned=from_("base"))).startswith(said)
