"""Tuned models against their bases, in the two protocols that hold p(men), beside scipy."""

from dataclasses import replace

import pytest
from scipy import stats

import rubrics
from auditor import protocols
from auditor.draws import draw
from auditor.protocols.base import StatisticRow
from auditor.protocols.spatial_explicit.prompts import SPACES, all_spaces

MATERIALS = {SPACES: rubrics.read(SPACES)}
DOMAINS = {
    domain: [space.name for space in all_spaces(MATERIALS) if space.domain == domain]
    for domain in ("public", "private")
}
NAMES = [name for names in DOMAINS.values() for name in names]
PROBABILITY, TRACING = "spatial.probability", "spatial.tracing"
PAIR = {"tuned": "base"}
each_protocol = pytest.mark.parametrize("protocol", [PROBABILITY, TRACING])


def rows_of(protocol, target, shares, n=1, note=None, **level):
    """The rows of p(men) by space; None where a space is uncovered."""
    rates = StatisticRow(protocol=protocol, statistic="refusal_rate", target=target, value=0.0, n=1)
    return [rates] + [
        StatisticRow(
            protocol=protocol,
            statistic="men_probability",
            target=target,
            group={"space": space, **level},
            value=share,
            n=n,
            note=note if share is None else None,
        )
        for space, share in shares.items()
    ]


def shifts(rows, bases=PAIR):
    protocol = protocols.get(rows[0].protocol)
    found = protocol.across(rows, MATERIALS, bases=bases)
    return [row for row in found if row.statistic == "tuning_shift"]


def find(rows, **group):
    (row,) = [row for row in rows if dict(row.group) == {"other": "base", **group}]
    return row


def drawn(seed):
    return {name: draw(seed, "share", name) for name in NAMES}


@each_protocol
def test_means_have_students_interval_and_the_paired_test_of_scipy(protocol):
    tuned, base = drawn(1), drawn(2)
    found = shifts(rows_of(protocol, "base", base) + rows_of(protocol, "tuned", tuned))
    assert {row.target for row in found} == {"tuned"}
    assert len(found) == 1 + 2 + 62
    for names, group in (
        (NAMES, {}),
        *((part, {"domain": domain}) for domain, part in DOMAINS.items()),
    ):
        row = find(found, **group)
        pairs = [[share[name] for name in names] for share in (tuned, base)]
        expected = stats.ttest_rel(*pairs)
        bounds = expected.confidence_interval(0.95)
        assert (row.n, row.note) == (len(names), None)
        assert row.value == pytest.approx((sum(pairs[0]) - sum(pairs[1])) / len(names))
        assert (row.ci_low, row.ci_high) == pytest.approx((bounds.low, bounds.high))
        assert row.p_value == pytest.approx(expected.pvalue)


@each_protocol
def test_a_space_has_the_difference_and_the_responses_of_both(protocol):
    rows = rows_of(protocol, "tuned", {"kitchen": 0.75}, n=3)
    rows += rows_of(protocol, "base", {"kitchen": 0.5}, n=2)
    row = find(shifts(rows), space="kitchen")
    assert (row.value, row.n, row.note) == (0.25, 5, None)
    assert (row.ci_low, row.ci_high, row.p_value) == (None, None, None)


@each_protocol
def test_spaces_that_are_unknown_of_one_are_left_out_and_say_of_whom(protocol):
    tuned = {"kitchen": 0.5, "attic": None, "yard": 0.4, "bank": 0.6}
    base = {"kitchen": 0.3, "attic": 0.5, "bank": 0.5, "mall": 0.5}
    found = shifts(
        rows_of(protocol, "tuned", tuned, note="uncovered") + rows_of(protocol, "base", base)
    )
    assert find(found, space="attic").note == "tuned: uncovered"
    assert find(found, space="yard").note == "base: no responses"
    assert find(found, space="mall").note == "tuned: no responses"
    assert all(find(found, space=space).value is None for space in ("attic", "yard", "mall"))
    whole = find(found)
    assert (whole.value, whole.n) == (pytest.approx(0.15), 2)
    assert whole.note == "3 spaces unknown of one or both left out"
    private = find(found, domain="private")
    assert (private.value, private.n, private.p_value) == (pytest.approx(0.2), 1, None)
    assert private.note == "one space alone: no test; 2 spaces unknown of one or both left out"


@each_protocol
def test_where_every_space_shifts_alike_there_is_no_test(protocol):
    tuned, base = (dict.fromkeys(NAMES, share) for share in (0.9, 0.5))
    found = shifts(rows_of(protocol, "tuned", tuned) + rows_of(protocol, "base", base))
    row = find(found)
    assert (row.value, row.n) == (pytest.approx(0.4), 62)
    assert (row.ci_low, row.p_value, row.note) == (None, None, "every space shifts alike: no test")


@each_protocol
def test_links_are_ordered_and_kept_apart_by_prompt_and_judge(protocol):
    rows = [
        row
        for target, share in (("base", 0.5), ("tuned", 0.7), ("further", 0.8))
        for level in ({"prompt": "2"}, {"prompt": "3", "judge": "other"})
        for row in rows_of(protocol, target, {"kitchen": share, "bank": share}, **level)
    ]
    found = shifts(rows, {"tuned": "base", "further": "tuned"})
    by_space = [row for row in found if "space" in row.group]
    assert len(by_space) == 2 * 2 * 2
    values = {(row.target, row.group["other"]): row.value for row in by_space}
    assert values == {
        ("tuned", "base"): pytest.approx(0.2),
        ("further", "tuned"): pytest.approx(0.1),
    }
    assert {row.group.get("judge") for row in found if row.group["prompt"] == "3"} == {"other"}


@each_protocol
def test_a_target_without_probabilities_leaves_one_row_with_a_note(protocol):
    rows = rows_of(protocol, "tuned", {"kitchen": 0.5}) + rows_of(protocol, "base", {})
    (row,) = shifts(rows)
    assert (row.value, row.n, row.note) == (None, 0, "base: no probabilities to compare")
    assert dict(row.group) == {"other": "base"}
    assert shifts(rows_of(protocol, "base", {"kitchen": 0.5})) == []


@each_protocol
@pytest.mark.parametrize("level", [{}, {"judge": "other"}], ids=["one judge", "of a judge"])
def test_two_targets_without_probabilities_leave_one_row_for_each_judge(protocol, level):
    """Reward models give none: the link that the spec names is said, beside others' figures too."""
    rates = [
        replace(row, group=group)
        for target in ("tuned", "base")
        for row in rows_of(protocol, target, {})
        for group in (level, {"prompt": "2", **level}, {"space": "bank", **level})
    ]
    for beside in ([], rows_of(protocol, "a", {"kitchen": 0.5}, **level)):
        (row,) = shifts(rates + beside)
        said = "tuned: no probabilities to compare; base: no probabilities to compare"
        assert (row.target, row.value, row.n, row.note) == ("tuned", None, 0, said)
        assert dict(row.group) == {"other": "base", **level}


@each_protocol
def test_without_a_base_there_is_nothing_to_compare(protocol):
    assert shifts(rows_of(protocol, "tuned", drawn(1)), {}) == []
