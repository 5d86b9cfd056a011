"""The results table: figures, notes, marks and widths."""

import io
from dataclasses import replace

import pytest
from rich.cells import cell_len
from rich.console import Console

from auditor.live.glyphs import ASCII
from auditor.live.tables import results_table
from auditor.protocols.base import StatisticRow
from tests.live.snapshots import HOSTILE

WIDTHS = [60, 80, 100, 160, 200]
PLACE = {"prompt": "1", "temperature": 1.0}


def row(statistic: str, value: float | None = None, **rest: object) -> StatisticRow:
    values: dict[str, object] = {"protocol": "spatial.explicit", "target": "llama"} | rest
    return StatisticRow(statistic=statistic, value=value, **values)


def explicit_rows(name: str = "llama", **place: object) -> list[StatisticRow]:
    """62 spaces from 0 to 61 of 61 men, and the overall figures."""
    group = PLACE | place
    rows = []
    for number in range(62):
        space = {"space": f"space {number:02}"} | group
        share = number / 61
        interval = {"ci_low": max(0.0, share - 0.1), "ci_high": min(1.0, share + 0.1)}
        rows.append(row("men_share", share, target=name, group=space, n=61, **interval))
        q = 0.0001 if abs(share - 0.5) > 0.2 else 0.2
        rows.append(row("binomial_q", q, target=name, group=space, p_value=q, n=61))
        rows.append(row("refusal_rate", 0.0, target=name, group=space, n=61))
    rates = {"refusal_rate": 0.012, "invalid_rate": 0.003, "neither_rate": 0.04}
    rows += [
        row(statistic, value, target=name, group=group, ci_low=value / 2, ci_high=value * 2, n=1860)
        for statistic, value in rates.items()
    ]
    counts = {"biased_spaces": 36.0, "men_biased_spaces": 18.0, "women_biased_spaces": 18.0}
    rows += [
        row(statistic, value, target=name, group=group, n=62, p_value=1e-9)
        for statistic, value in counts.items()
    ]
    rows.append(row("edi_mean", 0.412, target=name, group=group, n=62))
    rows.append(row("aggregated_biased_spaces", None, target=name, note="prompts 2-5 were not run"))
    return rows


OTHERS = [
    row("male_share", 0.25, protocol="stories", group={"occupation": "nurse"}, n=20),
    row("male_dominant", 1.0, protocol="stories", target="*", n=99),
    row(
        "kendall_tau",
        0.41,
        protocol="stories",
        group={"benchmark": "bls"},
        ci_low=0.2,
        ci_high=0.6,
        p_value=0.00012,
        n=97,
    ),
    row("ampd", None, protocol="stories", group={"benchmark": "gsr"}, note="no benchmark"),
]


def shown(rows: list[StatisticRow], width: int = 160, **rest: object) -> str:
    file = io.StringIO()
    console = Console(file=file, width=width, force_terminal=True, color_system=None)
    console.print(results_table(rows, **rest))
    return file.getvalue()


def line_with(text: str, words: str) -> str:
    (line,) = [line for line in text.splitlines() if words in line]
    return line


@pytest.mark.parametrize("width", WIDTHS)
def test_no_line_is_wider_than_the_terminal_and_the_key_figures_are_there(width: int) -> None:
    text = shown([*explicit_rows(), *OTHERS], width)
    assert max(cell_len(line) for line in text.splitlines()) <= width
    for fact in (
        "spatial.explicit",
        "36 of 62",
        "0.412",
        "1.2 [0.6, 2.4]",  # refusals
        "0.3 [0.1, 0.6]",  # invalid
        "space 61",
        "space 57",
        "space 00",
        "space 04",
        "[0.900, 1.000]",
        "< 0.001",
        "kendall_tau",
        "0.410",
        "[1] prompts 2-5 were not run",
    ):
        assert fact in text, fact
    assert "space 56" not in text
    assert "space 05" not in text


def test_the_sides_are_sorted_by_how_far_they_lean() -> None:
    lines = shown(explicit_rows(), 160).splitlines()
    start = next(n for n, line in enumerate(lines) if "men's side" in line)
    men, women = "space 61", "space 00"
    assert lines[start + 1].index(men) < lines[start + 1].index(women)
    assert "space 60" in lines[start + 2]
    assert "space 01" in lines[start + 2]


def test_each_prompt_and_temperature_has_its_own_line_and_sides() -> None:
    text = shown([*explicit_rows(), *explicit_rows(temperature=0.2), *explicit_rows("gpt")], 160)
    assert "llama  prompt 1, temperature 0.2" in text
    assert text.count("men's side") == 2 * 3
    assert text.count("36 of 62") == 3


def test_two_judges_are_told_apart() -> None:
    text = shown([*explicit_rows(judge="rules"), *explicit_rows(judge="opus")], 160)
    assert "llama  prompt 1, temperature 1.0, judge rules" in text
    assert "llama  prompt 1, temperature 1.0, judge opus" in text


def test_a_space_without_valid_answers_is_on_neither_side() -> None:
    rows = [
        row("men_share", None, group={"space": "attic"} | PLACE, n=0, note="no valid answers"),
        row("men_share", 0.5, group={"space": "bar"} | PLACE, n=4),
        row("edi_mean", 0.0, group=PLACE),
    ]
    text = shown(rows)
    assert "attic" not in text
    assert "bar" not in text
    assert text.count("none") == 2
    assert "0.000" in text


def test_missing_figures_are_dashes() -> None:
    text = shown([row("edi_mean", None, group=PLACE, note="no space has a valid answer")])
    cells = line_with(text, "llama   ").split()
    assert cells.count("—") == 7
    assert "[1] no space has a valid answer" in text


def test_simulated_targets_bear_a_mark_on_every_line_that_names_them() -> None:
    text = shown([*explicit_rows("sim-a"), *explicit_rows("real")], simulated={"sim-a"})
    assert "SIMULATED" in text
    for line in text.splitlines():
        if "sim-a" in line and "SIMULATED" not in line:
            assert "sim-a SIM" in line
        assert "real SIM" not in line
    assert "SIM" not in shown(explicit_rows())


def test_figures_over_all_targets_are_simulated_if_one_of_them_is() -> None:
    assert "all targets SIM" in shown(OTHERS, simulated={"other"})
    assert "SIM" not in shown(OTHERS)


def test_any_protocol_has_a_tidy_table() -> None:
    text = shown(OTHERS)
    assert line_with(text, "kendall_tau").split() == [
        "kendall_tau", "benchmark", "bls", "0.410", "[0.200,", "0.600]", "<", "0.001", "97",
    ]  # fmt: skip
    assert line_with(text, "male_dominant").split() == ["male_dominant", "1", "99"]
    assert line_with(text, "ampd").split() == ["ampd", "benchmark", "gsr", "—", "[1]"]
    assert "[1] no benchmark" in text


@pytest.mark.parametrize("statistic", ["pairs_left_out", "unread_stories", "male_dominant"])
def test_what_counts_is_shown_whole(statistic: str) -> None:
    text = shown([row(statistic, 6.0, protocol="any", target="a", n=150)])
    assert line_with(text, statistic).split() == [statistic, "6", "150"]


def regional_rows(targets: int = 2, languages: tuple[str, ...] = ("zh",)) -> list[StatisticRow]:
    """What a run of `regional.decision` has: three of its statistics, in full."""
    made = []
    for number in range(targets):
        for language in languages:
            base = {"protocol": "regional.decision", "target": f"model-{number}"}
            here = {"language": language}
            made.append(row("mean_sd", 0.2, group=here, n=9, **base))
            made.append(row("refusal_rate", 0.02, n=90, ci_low=0.01, ci_high=0.04, **base))
            for task in range(9):
                group = {**here, "task": f"T{task}"}
                made.append(row("sd", 0.1 + task / 100, group=group, n=34, **base))
                made += [
                    row(
                        "decision_score",
                        region / 5,
                        group={**group, "region": f"R{region}"},
                        n=66,
                        **base,
                    )
                    for region in range(6)
                ]
    return made


def test_an_overview_sums_up_what_has_many_rows_and_counts_what_it_leaves_out() -> None:
    rows = regional_rows()
    text = shown(rows, 80)
    assert line_with(text, "over").split()[-4:] == ["over", "lowest", "median", "highest"]
    ranges = [line.split() for line in text.splitlines() if "9 tasks" in line]
    assert ranges == [
        ["sd", "9", "tasks", "0.100", "(T0)", "0.140", "0.180", "(T8)"] for _ in range(2)
    ]
    # Of each target: mean SD, refusals, the lowest and the highest SD.
    assert f"{len(rows) - 8:,} of {len(rows):,} rows of regional.decision are not shown" in text


@pytest.mark.parametrize("width", [40, 80])
def test_an_overview_is_short_whatever_a_run_holds(width: int) -> None:
    conditions = [each for each in explicit_rows() if "space" not in each.group]
    for rows in (
        regional_rows(9, ("zh", "en")),
        [
            replace(each, target=f"m{target}", group={**each.group, "prompt": prompt})
            for target in range(9)
            for prompt in "012345"
            for each in conditions
        ],
        [
            row(f"s{number}", 0.5, protocol="outside", group={"item": item}, target=f"m{target}")
            for target in range(9)
            for number in range(20)
            for item in range(5)
        ],
    ):
        lines = shown(rows, width).splitlines()
        assert len(lines) <= 62
        assert "rows of" in " ".join(lines[-3:])


def test_a_level_that_all_lines_have_is_said_once() -> None:
    text = shown(regional_rows(), 80)
    assert "where not said otherwise: language zh" in text
    assert text.count("language zh") == 1
    both = shown(regional_rows(1, ("zh", "en")), 160)
    assert both.count("language zh") == both.count("language en") == 2


@pytest.mark.parametrize("width", [24, 40, 60, 80, 200])
def test_no_figure_is_dropped_and_no_group_is_cut_at_any_width(width: int) -> None:
    rows = [
        row(
            "warmth_competence_spearman",
            0.25 + number / 100,
            protocol="regional.stereotype",
            group={"domain": "Social Interaction", "indicator": f"per head {number}"},
            ci_low=0.125,
            ci_high=0.375,
            p_value=0.0312,
            n=1234,
        )
        for number in range(3)
    ]
    text = shown(rows, width, overview=False)
    assert max(cell_len(line) for line in text.splitlines()) <= width
    assert "…" not in text
    flat = " ".join(text.split())
    for number in range(3):
        assert f"per head {number}" in flat
        assert f"0.{25 + number}0" in flat
    for figure in ("[0.125, 0.375]", "0.031", "1,234"):
        assert flat.count(figure) == 3


@pytest.mark.parametrize("width", WIDTHS)
def test_conditions_of_two_judges_never_look_alike(width: int) -> None:
    name = "meta-llama/Llama-3.1-70B"
    rows = [*explicit_rows(name, judge="rules"), *explicit_rows(name, judge="opus")]
    text = shown([each for each in rows if "space" not in each.group], width)
    table = text[: text.index("\n\n")] if "\n\n" in text else text
    assert table.count("rules") == 1
    assert table.count("opus") == 1
    for fact in ("36 of 62", "p < 0.001", "1.2 [0.6, 2.4]", "4.0 [2.0, 8.0]"):
        assert text.count(fact) == 2, fact


def test_the_head_counts_the_simulated_targets_of_a_mixed_run() -> None:
    rows = [*explicit_rows("sim-a"), *explicit_rows("sim-b"), *explicit_rows("real")]
    head = shown(rows, 80, simulated={"sim-a", "sim-b"}).splitlines()[0]
    assert "2 of 3 targets SIMULATED" in head
    assert " SIMULATED" in shown(rows, 80, simulated={"sim-a", "sim-b", "real"}).splitlines()[0]
    assert "targets" not in shown(rows, 80, simulated={"sim-a", "sim-b", "real"}).splitlines()[0]


def test_equal_notes_share_a_number() -> None:
    rows = [row(f"s{n}", None, protocol="x", note="why") for n in range(3)]
    text = shown(rows)
    assert text.count("[1]") == 4
    assert "[2]" not in text


def test_no_rows_is_said() -> None:
    assert shown([]) == "no statistics yet\n"


@pytest.mark.parametrize("width", WIDTHS)
def test_hostile_names_do_nothing(width: int) -> None:
    rows = [
        row("men_share", 0.9, target=HOSTILE, group={"space": HOSTILE} | PLACE, note=HOSTILE, n=3),
        row("edi_mean", 0.9, target=HOSTILE, group=PLACE, note=HOSTILE),
        row(HOSTILE, 0.9, protocol=HOSTILE, target=HOSTILE, group={HOSTILE: HOSTILE}, note=HOSTILE),
    ]
    text = shown(rows, width, simulated={HOSTILE})
    text.encode("utf-8")
    assert max(cell_len(line) for line in text.splitlines()) <= width
    assert all(character.isprintable() or character == "\n" for character in text)


def test_an_ascii_terminal_gets_ascii() -> None:
    lines = results_table([*explicit_rows("größe"), *OTHERS]).lines(100, ASCII)
    assert all(line.plain.isascii() for line in lines)


def story_rows(shares: dict[str, float | None]) -> list[StatisticRow]:
    made = [
        row(
            "male_share",
            share,
            protocol="stories",
            group={"occupation": name},
            ci_low=0.0,
            ci_high=1.0,
            n=5,
        )
        for name, share in shares.items()
    ]
    return [row("female_share", 0.6, protocol="stories", n=100), *made]


@pytest.mark.parametrize("width", WIDTHS)
def test_an_overview_of_stories_shows_the_occupations_at_both_ends_only(width: int) -> None:
    shares = {f"job {number:02}": number / 99 for number in range(100)}
    shares["unknown job"] = None
    out = io.StringIO()
    Console(file=out, width=width, color_system=None).print(results_table(story_rows(shares)))
    text = out.getvalue()
    assert "female_share" in text
    assert [f"job {number:02}" in text for number in (99, 95, 94, 50, 5, 4, 0)] == [
        True,
        True,
        False,
        False,
        False,
        True,
        True,
    ]
    assert "unknown job" not in text
    assert max(cell_len(line) for line in text.splitlines()) <= width


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(
    ("known", "heads"),
    [(0, []), (1, ["highest"]), (3, ["highest", "lowest"])],
)
def test_ends_of_few_values_show_each_of_them(known: int, heads: list[str], width: int) -> None:
    shares: dict[str, float | None] = {f"job {number}": number / 7 for number in range(known)}
    shares |= {"unknown job": None, "another job": None}
    out = io.StringIO()
    Console(file=out, width=width, color_system=None).print(results_table(story_rows(shares)))
    text = out.getvalue()
    assert all(text.count(f"job {number}") == 1 for number in range(known))
    assert [head for head in ("highest", "lowest") if head in text] == heads
    assert ("no value" in text) == (not known)


def test_every_row_of_stories_is_there_where_no_overview_is_asked_for() -> None:
    shares = {f"job {number:02}": number / 99 for number in range(100)}
    out = io.StringIO()
    table = results_table(story_rows(shares), overview=False)
    Console(file=out, width=100, color_system=None).print(table)
    assert all(name in out.getvalue() for name in shares)


def test_what_has_no_headline_yet_shows_what_there_is() -> None:
    rates = [row(name, None, n=0, note="no responses") for name in ("refusal_rate", "neither_rate")]
    text = shown(rates, 80)
    assert "refusal_rate" in text
    assert "neither_rate" in text
    assert "[1] no responses" in text
    assert "not shown" not in text
