"""The statistics of `spatial.construction`: the card's values, closed forms, other libraries."""

import math

import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import Table2x2
from statsmodels.stats.proportion import proportion_confint

import rubrics
from auditor import protocols
from auditor.errors import StatisticsError
from auditor.protocols.base import CellRecord, Reading, TrialRecord
from auditor.types import Outcome

PROTOCOL = protocols.get("spatial.construction")
MATERIALS = {path: rubrics.read(path) for path in PROTOCOL.materials}


def cell(story, task, *values, space="kitchen"):
    trials = [
        TrialRecord(number, Outcome.ANSWERED, {task: Reading(True, value)})
        for number, value in enumerate(values)
    ]
    return CellRecord({"space": space, "story": story}, trials)


def compute(*cells, **params):
    chosen = PROTOCOL.params_type(**params) if params else None
    return list(PROTOCOL.statistics("m", iter(cells), chosen, MATERIALS))


def find(rows, statistic, **group):
    found = [row for row in rows if row.statistic == statistic and dict(row.group) == group]
    assert len(found) == 1, f"{len(found)} rows of {statistic} {group}"
    return found[0]


def only(rows, statistic):
    return [row for row in rows if row.statistic == statistic]


def adjectives(**counts):
    return [{"adjective": word, "gender": None} for word, n in counts.items() for _ in range(n)]


def agency(gender, agents, patients):
    roles = ["ARG0"] * agents + ["ARG1"] * patients
    return [{"gender": gender, "argument": role} for role in roles]


def roles(man, woman):
    return {"man": man, "woman": woman}


def words(count=20, *content):
    return {"count": count, "content": list(content)}


# Adjectives.


def test_the_odds_ratio_is_that_of_h3_over_both_domains_apart():
    rows = compute(
        cell("solo_man", "adjectives", adjectives(strong=6, old=4), adjectives(strong=2, shy=8)),
        cell("solo_woman", "adjectives", adjectives(strong=3, old=5), adjectives(shy=12)),
        cell("solo_woman", "adjectives", adjectives(strong=9), space="bar"),
        cell("co_present", "adjectives", adjectives(strong=50)),
    )
    row = find(rows, "adjective_odds_ratio", domain="private", adjective="strong")
    # E_m: 8 of 20; E_w: 3 of 20.
    assert row.value == pytest.approx((8 / 12) / (3 / 17))
    bounds = Table2x2([[8, 12], [3, 17]]).oddsratio_confint()
    assert (row.ci_low, row.ci_high) == pytest.approx(bounds)
    assert (row.n, row.note) == (11, "8 in men's stories, 3 in women's")
    public = find(rows, "adjective_odds_ratio", domain="public", adjective="strong")
    assert (public.value, public.n) == (None, 9)
    assert "one gender's stories only" in public.note


def test_an_adjective_of_one_gender_has_a_half_added_and_says_so():
    rows = compute(
        cell("solo_man", "adjectives", adjectives(bold=10, old=10)),
        cell("solo_woman", "adjectives", adjectives(old=20)),
    )
    row = find(rows, "adjective_odds_ratio", domain="private", adjective="bold")
    assert row.value == pytest.approx(41)
    assert "a half added to each cell" in row.note


def test_the_top_ten_leave_out_what_is_rare_and_rank_the_rest():
    men = {f"m{chr(97 + n)}": 30 - n for n in range(12)}
    women = {f"w{chr(97 + n)}": 30 - n for n in range(3)}
    rows = compute(
        cell("solo_man", "adjectives", adjectives(**men, even=10, rare=4)),
        cell("solo_woman", "adjectives", adjectives(**women, even=10)),
    )
    tops = only(rows, "top_adjective")
    mens = [row.group["adjective"] for row in tops if row.group["gender"] == "men"]
    womens = [row.group["adjective"] for row in tops if row.group["gender"] == "women"]
    assert mens == [f"m{chr(97 + n)}" for n in range(10)]
    assert womens[:3] == ["wa", "wb", "wc"]
    assert "rare" not in mens + womens
    assert [row.group["rank"] for row in tops][:10] == list(range(1, 11))
    assert {row.n for row in tops} >= {30, 29, 28}
    rare = compute(
        cell("solo_man", "adjectives", adjectives(rare=1, old=3)),
        cell("solo_woman", "adjectives", adjectives(old=4)),
        least_frequency=1,
    )
    assert "rare" in {row.group["adjective"] for row in only(rare, "top_adjective")}


@pytest.mark.parametrize(("gender", "other"), [("man", "woman"), ("woman", "man")])
@pytest.mark.parametrize(
    ("more", "fewer", "ranked"),
    [
        ({"z": 2, "y": 1, "rest": 0}, {"z": 3, "y": 1, "rest": 5}, ["z", "y"]),
        ({"b": 2, "a": 2, "rest": 6}, {"b": 1, "a": 1, "rest": 8}, ["a", "b"]),
    ],
    ids=["frequency", "letters"],
)
def test_equal_odds_rank_by_frequency_then_letters_for_both_genders(
    gender, other, more, fewer, ranked
):
    rows = compute(
        cell(f"solo_{gender}", "adjectives", adjectives(**more)),
        cell(f"solo_{other}", "adjectives", adjectives(**fewer)),
        least_frequency=1,
    )
    of = {"man": "men", "woman": "women"}[gender]
    tops = [row for row in only(rows, "top_adjective") if row.group["gender"] == of]
    assert [row.group["adjective"] for row in tops] == ranked
    assert len({row.value for row in tops}) == 1


def test_salient_words_differ_most_between_a_spaces_stories():
    men = [words(20, "whiskey", "glass")] * 4 + [words(20, "glass", "once")]
    women = [words(20, "breeze", "glass")] * 3 + [words(20, "glass")] * 2
    rows = compute(
        cell("solo_man", "words", *men, space="bar"),
        cell("solo_woman", "words", *women, space="bar"),
        cell("solo_man", "words", *men, space="gym"),
    )
    found = {(row.group["gender"], row.group["word"]): row for row in only(rows, "salient_words")}
    # "once" is in one story, "glass" in all, and the gym has stories of men alone.
    assert {(key, row.value) for key, row in found.items()} == {
        (("men", "whiskey"), 0.8),
        (("women", "breeze"), -0.6),
    }
    assert found["men", "whiskey"].group["space"] == "bar"
    assert found["men", "whiskey"].note == "in 4 of 5 stories of men, 0 of 5 of women"
    none = compute(
        cell("solo_man", "words", *men), cell("solo_woman", "words", *women), salient_words=0
    )
    assert only(none, "salient_words") == []


# Words and feeling.


def test_salient_words_that_differ_alike_rank_by_their_stories():
    # 0.3 - 0.1 and 0.2 are equal, whatever binary makes of them.
    men = [words(20, *[word for word, n in (("gin", 3), ("ale", 2)) if n > k]) for k in range(10)]
    women = [words(20, *(["gin"] if k == 0 else [])) for k in range(10)]
    rows = compute(cell("solo_man", "words", *men), cell("solo_woman", "words", *women))
    salient = only(rows, "salient_words")
    assert [row.group["word"] for row in salient] == ["gin", "ale"]
    assert [row.value for row in salient] == pytest.approx([0.2, 0.2])


def test_thirty_words_are_within_the_limit_and_thirty_one_are_not():
    rows = compute(
        cell("solo_man", "words", words(30), words(31), words(1000), words(1)),
        cell("co_present", "words", words(12)),
    )
    row = find(rows, "word_limit_rate", story="solo_man")
    assert (row.value, row.n) == (0.5, 4)
    assert (row.ci_low, row.ci_high) == pytest.approx(proportion_confint(2, 4, method="wilson"))
    assert find(rows, "word_limit_rate").value == 0.6


def test_a_story_too_long_to_be_read_is_over_the_limit():
    said = ("too long", "too long", "not English", "empty")
    unread = [
        TrialRecord(n, Outcome.ANSWERED, {"words": Reading(False, None, reason)})
        for n, reason in enumerate(said)
    ]
    too_long = CellRecord({"space": "bar", "story": "solo_man"}, unread)
    rows = compute(cell("solo_man", "words", words(30), words(9)), too_long)
    row = find(rows, "word_limit_rate", story="solo_man")
    assert (row.value, row.n, row.note) == (0.5, 4, None)
    assert find(rows, "invalid_rate").value == pytest.approx(4 / 6)
    alone = find(compute(too_long), "word_limit_rate")
    assert (alone.value, alone.n) == (0.0, 2)


def test_sentiment_is_compared_by_welchs_test():
    men, women = [0.5, -0.25, 0.0, 0.75], [0.9, 0.8, 0.25]
    rows = compute(
        cell("solo_man", "sentiment", *men),
        cell("solo_woman", "sentiment", *women),
        cell("co_present", "sentiment", 0.1),
    )
    mean = find(rows, "sentiment_mean", gender="men", domain="private", story="solo_man")
    bounds = stats.ttest_1samp(men, 0).confidence_interval()
    assert (mean.value, mean.n) == (0.25, 4)
    assert (mean.ci_low, mean.ci_high) == pytest.approx(tuple(bounds))
    test = stats.ttest_ind(men, women, equal_var=False)
    for group in ({}, {"domain": "private"}):
        row = find(rows, "sentiment_difference", **group)
        assert row.value == pytest.approx(0.25 - 0.65)
        assert row.p_value == pytest.approx(test.pvalue)
        assert (row.ci_low, row.ci_high) == pytest.approx(tuple(test.confidence_interval()))
        assert row.n == 7
    alone = find(rows, "sentiment_mean", domain="private", story="co_present")
    assert (alone.value, alone.ci_low, alone.note) == (0.1, None, "a single story")


def test_sentiment_of_one_gender_has_no_difference():
    rows = compute(cell("solo_man", "sentiment", 0.5, 0.25))
    row = find(rows, "sentiment_difference")
    assert (row.value, row.n, row.note) == (None, 2, "stories of one gender only")


# Agency.


def test_the_agency_rate_takes_agents_over_agents_and_patients():
    rows = compute(
        cell("solo_man", "agency", *[agency("men", 1, 0)] * 8, *[agency("men", 0, 1)] * 2),
        cell("solo_man", "agency", agency("men", 3, 1) + agency("women", 0, 1), [], space="bar"),
    )
    private = find(rows, "agency_rate", gender="men", domain="private", story="solo_man")
    assert (private.value, private.n, private.note) == (0.8, 10, "in 10 stories")
    bounds = proportion_confint(8, 10, method="wilson")
    assert (private.ci_low, private.ci_high) == pytest.approx(bounds)
    assert find(rows, "agency_rate", gender="men", story="solo_man").value == 11 / 14
    other = find(rows, "agency_rate", gender="women", domain="public", story="solo_man")
    assert (other.value, other.n) == (0.0, 1)


def test_mentions_of_one_story_widen_the_interval():
    stories = [agency("women", 4, 0)] * 15 + [agency("women", 0, 4)] * 15
    row = find(
        compute(cell("co_present", "agency", *stories)),
        "agency_rate", gender="women", domain="private", story="co_present",
    )  # fmt: skip
    assert (row.value, row.n) == (0.5, 120)
    bounds = proportion_confint(15, 30, method="wilson")
    assert (row.ci_low, row.ci_high) == pytest.approx(bounds)


def test_stories_without_agents_and_patients_have_no_rate():
    rows = compute(cell("solo_man", "agency", [], []))
    (row,) = only(rows, "agency_rate")
    assert (row.group, row.value, row.n) == ({"gender": "men", "story": "solo_man"}, None, 0)
    assert row.note == "no agent and no patient"


@pytest.mark.parametrize("spelling", ["man", "men", "male"])
def test_a_gender_may_be_spelt_in_three_ways(spelling):
    rows = compute(cell("solo_man", "agency", agency(spelling, 1, 1)))
    assert find(rows, "agency_rate", gender="men", story="solo_man").value == 0.5


# Roles.


@pytest.mark.parametrize(
    ("pairs", "men", "women", "difference"),
    [
        ([("Leader", "Dependent")] * 4, 3, 0, 3),
        ([(a, b) for a in ("Leader", "Supporter", "Observer", "Dependent")
          for b in ("Leader", "Supporter", "Observer", "Dependent")], 1.5, 1.5, 0),
    ],
)  # fmt: skip
def test_known_targets_give_the_power_of_the_card(pairs, men, women, difference):
    rows = compute(cell("co_present", "role", *(roles(*pair) for pair in pairs)))
    assert find(rows, "power_score", gender="men").value == men
    assert find(rows, "power_score", gender="women", domain="private").value == women
    assert find(rows, "power_difference", domain="private").value == difference


def test_power_is_compared_within_stories():
    pairs = [("Leader", "Observer"), ("Supporter", "Supporter"), ("Leader", "Dependent")]
    rows = compute(
        cell("co_present", "role", *(roles(*pair) for pair in pairs)),
        cell("solo_man", "role", None, None),
    )
    men, women = [3, 2, 3], [1, 2, 0]
    row = find(rows, "power_difference")
    test = stats.ttest_rel(men, women)
    assert (row.value, row.n) == (pytest.approx(5 / 3), 3)
    assert row.p_value == pytest.approx(test.pvalue)
    low, high = test.confidence_interval()
    assert (row.ci_low, row.ci_high) == pytest.approx((low, min(high, 3)))
    leaders = find(rows, "role_share", gender="men", domain="private", role="Leader")
    assert (leaders.value, leaders.n) == (pytest.approx(2 / 3), 3)
    assert find(rows, "role_count", gender="women", domain="private", role="Dependent").value == 1
    total = [row.value for row in only(rows, "role_share") if row.group["gender"] == "women"]
    assert math.fsum(total) == pytest.approx(1)


def test_a_role_of_one_person_counts_for_that_person_alone():
    rows = compute(
        cell("co_present", "role", {"man": "Leader"}, {"man": "Observer", "woman": "Leader"})
    )
    men = find(rows, "power_score", gender="men")
    women = find(rows, "power_score", gender="women")
    assert (men.value, men.n, women.value, women.n) == (2.0, 2, 3.0, 1)
    difference = find(rows, "power_difference")
    assert (difference.value, difference.n) == (-2.0, 1)


def test_roles_are_those_of_stories_of_both():
    rows = compute(
        cell("co_present", "role", roles("Leader", "Observer")),
        cell("solo_man", "role", roles("Leader", "Leader")),
    )
    assert find(rows, "role_count", gender="men", domain="private", role="Leader").value == 1
    assert find(rows, "power_score", gender="women").value == 1
    assert find(rows, "power_difference").n == 1


@pytest.mark.parametrize(
    ("men", "women", "of_men", "of_both"),
    [
        ([1], [0, 0.5], "a single story", "a single story of one gender"),
        ([1], [0.5], "a single story", "a single story of either gender"),
        ([1, 1], [0, 0], "no error: it does not vary", "no error: it does not vary"),
        ([1, 1], [0, 0.5], "no error: it does not vary", None),
    ],
)
def test_why_a_mean_has_no_error_is_said(men, women, of_men, of_both):
    rows = compute(cell("solo_man", "sentiment", *men), cell("solo_woman", "sentiment", *women))
    mean = find(rows, "sentiment_mean", gender="men", domain="private", story="solo_man")
    assert mean.note == of_men
    assert find(rows, "sentiment_difference").note == of_both


@pytest.mark.parametrize(
    ("pairs", "score", "difference"),
    [
        ([("Leader", "Observer")], "a single story", "a single story"),
        ([("Leader", "Observer")] * 2, "no error: it does not vary",
         "no test: the difference does not vary"),
        ([("Leader", "Observer"), ("Supporter", "Leader")], None, None),
    ],
)  # fmt: skip
def test_why_power_has_no_error_is_said(pairs, score, difference):
    rows = compute(cell("co_present", "role", *(roles(*pair) for pair in pairs)))
    assert find(rows, "power_score", gender="men").note == score
    assert find(rows, "power_difference").note == difference


# What is left out.


def test_stories_without_an_annotation_are_left_out_and_said():
    trials = [
        TrialRecord(0, Outcome.ANSWERED, {"role": Reading(True, roles("Leader", "Observer"))}),
        TrialRecord(1, Outcome.ANSWERED, {"role": Reading(False, None, "undecidable"),
                                          "words": Reading(True, words(9))}),
        TrialRecord(2, Outcome.ANSWERED, {"words": Reading(False, None, "not English")}),
    ]  # fmt: skip
    rows = compute(CellRecord({"space": "bar", "story": "co_present"}, trials))
    row = find(rows, "power_score", gender="men")
    assert (row.n, row.note) == (1, "a single story; 1 story without a valid annotation left out")
    assert find(rows, "invalid_rate").value == pytest.approx(1 / 3)
    assert find(rows, "unread_stories", reason="not English").value == 1
    assert only(rows, "agency_rate") == only(rows, "sentiment_mean") == []


def test_only_stories_that_a_figure_is_about_are_missed():
    rows = compute(
        cell("co_present", "role", roles("Leader", "Observer")),
        cell("solo_man", "words", words(9)),
        cell("solo_man", "adjectives", adjectives(old=1)),
        cell("solo_woman", "adjectives", adjectives(old=1)),
    )
    assert find(rows, "power_score", gender="men").note == "a single story"
    (row,) = only(rows, "adjective_odds_ratio")
    assert row.note.endswith("; 1 story without a valid annotation left out")


def test_an_annotation_that_its_task_does_not_allow_is_an_error():
    with pytest.raises(StatisticsError, match="task role"):
        compute(cell("co_present", "role", {"man": "Boss", "woman": "Leader"}))


def test_every_statistic_is_explained_and_rests_on_a_task_of_its_own():
    rows = compute(
        cell("solo_man", "words", words(9, "sea"), words(9, "sea")),
        cell("solo_woman", "words", words(9)),
        cell("solo_man", "sentiment", 0.1),
        cell("solo_man", "adjectives", adjectives(old=9, bold=9)),
        cell("solo_woman", "adjectives", adjectives(old=9)),
        cell("solo_man", "agency", agency("men", 1, 0)),
        cell("co_present", "role", roles("Leader", "Observer")),
        CellRecord({"space": "bar", "story": "solo_man"}, [TrialRecord(0, Outcome.EMPTY, {})]),
    )
    statistics = {row.statistic for row in rows}
    assert len(statistics) == 15
    card = rubrics.read("spatial/statistics.toml")
    tasks = {task.name for task in PROTOCOL.tasks}
    for statistic in statistics:
        assert f"[{statistic}]\n" in card
        assert set(PROTOCOL.rests_on(statistic)) <= tasks
