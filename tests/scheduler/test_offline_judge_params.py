"""What a spec may set at an offline judge, and how a mistake in it is told."""

from __future__ import annotations

import pytest

from auditor.errors import UsageError
from auditor.scheduler.plan import Plan, make_plan
from auditor.spec.loading import parse_spec

SPEC = """name = "s"
judges = [
  {{task = "gender", judge = "nomquamgender", name = "plain"}},
  {judge},
]
[[targets]]
model = "sim:m"
[protocols.stories]
repetitions = 1
["protocols"."spatial.explicit"]
"""


def plan(judge: str) -> Plan:
    return make_plan(parse_spec(SPEC.format(judge=judge), "s.toml"))


def test_a_judges_settings_are_part_of_its_identity():
    judge = '{task = "gender", judge = "nomquamgender", params = {min_count = 10}}'
    records = [work.record for work in plan(judge).judges if work.record.task == "gender"]
    assert [record.name for record in records] == ["plain", "nomquamgender"]
    counts = [record.configuration["configuration"]["settings"]["min_count"] for record in records]
    assert counts == [0, 10]
    assert len({record.hash for record in records}) == 2
    assert {record.reads for record in records} == {"name"}


@pytest.mark.parametrize(
    ("judge", "said"),
    [
        (
            '{task = "gender", judge = "nomquamgender", params = {band_low = 2}}',
            "s.toml:4: judges[1].params.band_low: value 2; allowed: a number from 0 to 1",
        ),
        (
            '{task = "gender", judge = "nomquamgender", params = {temperature = 1}}',
            "s.toml:4: judges[1].params.temperature: unknown key;"
            " allowed: band_low, band_high, min_count, use",
        ),
        (
            '{task = "choice", judge = "rules", params = {band_low = 0.4}}',
            "s.toml:4: judges[1].params.band_low: unknown key; allowed: none at 'rules'",
        ),
    ],
)
def test_a_wrong_setting_is_refused_at_its_line(judge, said):
    with pytest.raises(UsageError) as caught:
        plan(judge).record()
    assert caught.value.message == said
    assert caught.value.where == "s.toml:4"
