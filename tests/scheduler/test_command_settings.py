"""A judge that is shown the response alone works in no setting that shows more."""

from __future__ import annotations

import sys

import pytest

from auditor.errors import UsageError
from auditor.scheduler.plan import make_plan
from auditor.spec.loading import parse_spec

SPEC = """name = "s"
judges = [
  {{task = "rubric", name = "mine", command = {command}{setting}}},
]
[[targets]]
model = "sim:m"
[protocols.grap]
"""
COMMAND = f'["{sys.executable}", "-SE", "-c", "import sys; sys.stdin.read()"]'


def test_a_setting_that_shows_more_than_the_response_is_refused_with_the_way_out():
    plan = make_plan(parse_spec(SPEC.format(command=COMMAND, setting=""), "s.toml"))
    with pytest.raises(UsageError) as caught:
        plan.record()
    assert caught.value.message == (
        's.toml:3: judges[0].setting: value "full", but this judge is shown the response alone;'
        ' allowed: setting = "response_only"'
    )


def test_the_setting_of_the_response_alone_is_part_of_what_a_command_is():
    setting = ', setting = "response_only"'
    plan = make_plan(parse_spec(SPEC.format(command=COMMAND, setting=setting), "s.toml"))
    (work,) = plan.judges
    assert work.record.configuration["setting"] == "response_only"
    assert work.record.configuration["configuration"]["command"][0] == sys.executable
