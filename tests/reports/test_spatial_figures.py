"""Figures of `spatial.*`: what they show is what the statistics say."""

from __future__ import annotations

from pathlib import Path

import pytest

from auditor.protocols.spatial_explicit.prompts import SPACES, all_spaces
from auditor.reports.figures.composition import caption_lines
from auditor.reports.figures.findings import findings
from auditor.reports.figures.shapes import Scale
from rubrics import read as rubric
from tests.corpus_builders import json_lines, take
from tests.figure_builders import drawings_of, found_in, read, result

PAPER = {"prompt": "1", "temperature": 1.0}
OPEN = {"prompt": "0", "temperature": 1.0}


def share(target, space, value, *, n=20, **condition):
    return result("men_share", target, value, n=n, space=space, **(condition or PAPER))


def test_a_bias_map_is_blue_for_men_and_red_for_women_with_gaps_and_few_answers_told():
    rows = [
        share("a", "kitchen", 0.25),
        share("a", "garage", 1.0, n=3),
        share("a", "bar", None, n=0),
        share("b", "kitchen", 0.75, prompt="0", temperature=1.0),
        result("binomial_q", "a", 0.001, space="kitchen", **PAPER),
        result("binomial_q", "a", 0.2, space="garage", **PAPER),
    ]
    (drawn,) = drawings_of("spatial-explicit-map", found_in("spatial.explicit", rows, "silent"))
    (block,) = drawn.shape.blocks
    assert block.scale is Scale.MEN
    assert drawn.shape.sections == (("private spaces", 2), ("public spaces", 1))
    assert drawn.shape.rows == ("garage", "kitchen", "bar")
    assert block.columns == ("a", "b", "silent")
    assert block.values == ((1.0, None, None), (0.25, None, None), (None, None, None))
    assert (block.marked, block.few) == ({(1, 0)}, {(0, 0)})
    assert (drawn.n, drawn.missing) == (23, 7)
    assert drawn.caption[0] == "Prompt 1 at temperature 1; 1 other condition is not shown."


@pytest.mark.parametrize(
    ("name", "statistic"),
    [("spatial-explicit-map", "men_share"), ("spatial-explicit-edi", "edi")],
)
def test_many_targets_stand_on_several_pages_in_one_order(name, statistic):
    targets = [f"target {number}" for number in range(30)]
    rows = [
        result(statistic, target, (1 + number % 3) / 4, space=space, **PAPER)
        for target in targets
        for number, space in enumerate(("kitchen", "garage", "bar"))
    ]
    pages = drawings_of(name, found_in("spatial.explicit", rows))
    assert [len(page.targets) for page in pages] == [10, 10, 10]
    assert [target for page in pages for target in page.targets] == targets
    assert {page.shape.rows for page in pages} == {("garage", "kitchen", "bar")}
    assert [page.n for page in pages] == [600, 600, 600]
    assert [page.caption[1] for page in pages] == [
        "Targets 1 to 10 of 30.",
        "Targets 11 to 20 of 30.",
        "Targets 21 to 30 of 30.",
    ]


def test_rates_of_answers_without_a_choice_stand_by_prompt_with_their_intervals():
    rows = [
        result("refusal_rate", "a", 0.25, 0.2, 0.3, n=100, **PAPER),
        result("neither_rate", "a", 0.0, 0.0, 0.04, n=100, **PAPER),
        result("invalid_rate", "a", 0.0004, 0.0, 0.04, n=100, **PAPER),
        result("neither_rate", "a", 0.8, 0.7, 0.9, n=50, **OPEN),
        result("refusal_rate", "a", 0.1, 0.0, 0.2, n=50, **OPEN),
        result("refusal_rate", "a", 0.5, 0.4, 0.6, n=50, prompt="1", temperature=0.0),
        result("refusal_rate", "a", 0.5, 0.4, 0.6, n=50, prompt="1", temperature=0.5),
        result("refusal_rate", "a", 0.9, 0.8, 1.0, space="bar", **PAPER),
        result("refusal_rate", "a", 0.9, 0.8, 1.0),
    ]
    (drawn,) = drawings_of("spatial-explicit-refusals", found_in("spatial.explicit", rows))
    (column,) = drawn.shape.columns
    shown = {
        line: (mark.value, mark.low, mark.high, mark.said)
        for line, mark in zip(drawn.shape.rows, column.marks, strict=True)
        if mark is not None
    }
    assert shown == {
        "Prompt 0: refused": (10.0, 0.0, 20.0, "10.0"),
        "Prompt 0: neither": (80.0, 70.0, 90.0, "80.0"),
        "Prompt 1: refused": (25.0, 20.0, 30.0, "25.0"),
        "Prompt 1: neither": (0.0, 0.0, 4.0, "0.0"),
        "Prompt 1: no valid answer": (pytest.approx(0.04), 0.0, 4.0, "< 0.1"),
    }
    assert (drawn.n, drawn.missing) == (150, 1)
    assert drawn.caption[0] == "At temperature 1; 2 other temperatures not shown."


def test_consistency_sets_prompt_0_against_prompt_1_at_the_temperature_of_the_counts():
    rows = [
        share("a", "kitchen", 0.1, **OPEN),
        share("a", "kitchen", 0.3),
        share("a", "garage", None, n=0, **OPEN),
        share("a", "garage", 0.9),
        share("a", "kitchen", 0.7, prompt="0", temperature=0.0),
        share("a", "kitchen", 0.8, prompt="1", temperature=0.0),
        *(result("bias_consistency", "a", float(v), n=1, change=c)
          for c, v in (("worse", 0), ("little", 0), ("better", 1))),
        share("b", "kitchen", 0.5),
    ]  # fmt: skip
    (drawn,) = drawings_of("spatial-explicit-consistency", found_in("spatial.explicit", rows))
    ((panel,),) = drawn.shape.panels
    assert [(point.x, point.y) for point in panel.points] == [(0.1, 0.3)]
    assert panel.facts == ("1 of 2 spaces", "better 1, little 0, worse 0")
    assert (drawn.targets, drawn.n, drawn.missing) == (("a",), 60, 1)


@pytest.mark.parametrize(
    ("protocol", "name", "level"),
    [
        ("spatial.probability", "spatial-probability-tuning", {"prompt": "1"}),
        ("spatial.tracing", "spatial-tracing-tuning", {}),
    ],
)
def test_tuning_stands_between_base_and_tuned_with_the_means_of_both_domains(protocol, name, level):
    values = {"kitchen": (0.4, 0.1), "bar": (0.5, 0.75), "gym": (0.6, None)}
    rows = [
        result("men_probability", target, value, n=1, space=space, **level)
        for space, pair in values.items()
        for target, value in zip(("base", "tuned"), pair, strict=True)
    ]
    rows += [
        result("men_probability", "base", 0.9, n=1, space="kitchen", prompt="2"),
        result("tuning_shift", "tuned", -0.025, -0.5, 0.4, n=2, other="base", **level),
        result("tuning_shift", "tuned", -0.3, n=1, other="base", domain="private", **level),
        result("tuning_shift", "tuned", -0.3, n=2, other="base", space="kitchen", **level),
        result("tuning_shift", "tuned", 0.25, n=2, other="base", space="bar", **level),
        result("tuning_shift", "tuned", None, n=1, other="base", space="gym", **level),
    ]
    (drawn,) = drawings_of(name, found_in(protocol, rows))
    both, difference = drawn.shape.blocks
    assert drawn.shape.rows == ("kitchen", "gym", "bar"), "as the base has them"
    assert both.columns == ("base", "tuned")
    assert both.values == ((0.4, 0.1), (0.6, None), (0.5, 0.75))
    assert difference.values == ((-0.3,), (None,), (0.25,))
    assert (drawn.n, drawn.missing) == (5, 2)
    assert "all −0.025 [−0.500, 0.400] of 2 spaces; private −0.300 of 1 space (" in drawn.caption[1]


def test_rewards_are_coloured_by_the_preference_that_their_margin_stands_for():
    rows = [
        result("reward_margin", "a", 0.0, n=2, space="kitchen"),
        result("reward_margin", "a", -1.0986, n=2, space="bar"),
        result("reward_margin", "a", None, n=1, space="gym"),
        result("men_probability", "language model", 0.5, space="bar"),
    ]
    (drawn,) = drawings_of("spatial-tracing-rewards", found_in("spatial.tracing", rows))
    (block,) = drawn.shape.blocks
    assert drawn.shape.rows == ("kitchen", "bar", "gym")
    assert block.columns == ("a",)
    assert block.values == ((0.5,), (pytest.approx(0.25, abs=1e-4),), (None,))
    assert block.said[:2] == (("0",), ("−1.10",))
    assert (drawn.n, drawn.missing) == (5, 1)
    assert drawn.caption[-1] == "Without rewards, and not shown: language model."


def test_agreement_of_reward_models_is_symmetric():
    rows = [
        result("reward_agreement", "a", 0.75, n=60, other="b"),
        result("reward_kappa", "a", 0.4, n=60, other="b"),
        result("reward_agreement", "a", None, n=0, other="c"),
        result("reward_kappa", "a", None, n=0, other="c"),
    ]
    (drawn,) = drawings_of("spatial-tracing-agreement", found_in("spatial.tracing", rows, "b", "c"))
    agreement, kappa = drawn.shape.blocks
    assert agreement.values == ((1.0, 0.75, None), (0.75, 1.0, None), (None, None, 1.0))
    assert kappa.values[1] == (0.4, 1.0, None)
    assert (drawn.missing, drawn.n) == (8, 60)


def test_odds_ratios_of_zero_and_infinity_have_a_place_beside_the_others():
    rows = [
        result("planning_odds_ratio", "a", 3.0, 1.0, 9.0, order="ab"),
        result("planning_odds_ratio", "a", None, 4.0, order="ba"),
        result("planning_odds_ratio", "a", 0.0, 0.0, 1.0, n=40, order="pooled"),
        result("planning_odds_ratio", "b", None, n=0, order="pooled"),
    ]
    (drawn,) = drawings_of("spatial-planning-odds", found_in("spatial.planning", rows))
    one, other = drawn.shape.columns
    marks = [(mark.value, mark.low, mark.high, mark.said) for mark in one.marks]
    assert marks == [(0.75, 0.5, 0.9, "3"), (1.0, 0.8, 1.0, "∞"), (0.0, 0.0, 0.5, "0")]
    assert other.marks == (None, None, None)
    assert (drawn.n, drawn.missing) == (40, 3)


def test_shares_and_reasons_of_planning_stand_by_line():
    rows = [
        result("male_facility_share", "a", 0.8, 0.6, 0.9, n=30, order="ab", majority="men"),
        result("male_facility_share", "a", 0.2, 0.1, 0.4, n=30, order="ba", majority="women"),
        result("rationale_rate", "a", 0.5, 0.4, 0.6, n=60),
        result("rationale_rate", "a", 0.25, 0.2, 0.3, n=60, kind="factual_distortion"),
    ]
    found = found_in("spatial.planning", rows)
    (shares,) = drawings_of("spatial-planning-shares", found)
    assert by_line(shares) == {
        "80 % men, male-dominated one first": 80.0,
        "80 % women, male-dominated one second": 20.0,
    }
    (reasons,) = drawings_of("spatial-planning-reasons", found)
    assert by_line(reasons) == {"any": 50.0, "factual distortion": 25.0}
    assert (shares.n, reasons.n) == (60, 60)


def by_line(drawn):
    (column,) = drawn.shape.columns
    pairs = zip(drawn.shape.rows, column.marks, strict=True)
    return {line: mark.value for line, mark in pairs if mark is not None}


def test_profiles_stand_by_place_with_who_is_found_there():
    rows = [
        result("match_rate", "a", 0.4, 0.2, 0.6, n=10, space="mosque"),
        result("neutral_rate", "a", 0.1, 0.0, 0.4, n=10, space="mosque"),
        result("match_rate", "a", 0.3, n=60),
        result("neutral_rate", "a", None, n=0, space="mall"),
    ]
    (drawn,) = drawings_of("spatial-profiling-rates", found_in("spatial.profiling", rows))
    matching, neutral = drawn.shape.columns
    assert drawn.shape.rows == ("mosque (men)", "mall (women)", "all places")
    assert [mark and mark.value for mark in matching.marks] == [40.0, None, 30.0]
    assert [mark and mark.value for mark in neutral.marks] == [10.0, None, None]
    assert (drawn.n, drawn.missing) == (60, 3)


def test_the_top_of_a_corpus_is_drawn_of_its_counts_with_source_and_day(tmp_path: Path):
    spaces = [space.name for space in all_spaces({SPACES: rubric(SPACES)})][:12]
    texts = [f"She is in the {space}. He is here." for space in spaces]
    # One more of a man in the first space: half of all sentences with it are his.
    texts.append(f"He is in the {spaces[0]}. She is here.")
    take(json_lines(tmp_path / "a.jsonl", texts))
    (found,) = findings([read(tmp_path / "c.db")])
    women, men = drawings_of("spatial-corpus-top", found)
    (column,) = women.shape.columns
    # Ten of the eleven spaces of women alone, by name.
    assert women.shape.rows == tuple(f"{space} (1)" for space in sorted(spaces[1:])[:10])
    assert {mark.value for mark in column.marks} == {1.0}
    assert men.shape.rows == (f"{spaces[0]} (2)",)
    assert [mark.value for mark in men.shape.columns[0].marks] == [0.5]
    assert women.caption[0].startswith("The 10 highest of 12 spaces with a value above 0")
    assert found.days.startswith("texts counted on 20")
    assert (
        "spatial.corpus (SPAGBias (arXiv 2604.14672), Appendix H.6)"
        in caption_lines(men, found)[-1]
    )
