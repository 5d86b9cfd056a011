"""What figures show is what the result table says: nothing is made up, nothing left out."""

import csv

import pytest

import rubrics
from auditor.errors import UsageError
from auditor.importing import import_file
from auditor.reports.figures import chosen_figures, figures, findings
from auditor.reports.figures.lettering import (
    fitted,
    legible,
    shortened,
    stacked,
    unlike,
    width,
    wrapped,
)
from auditor.reports.figures.page import style
from auditor.reports.figures.paging import pages
from auditor.reports.figures.scales import colour, ink, written
from auditor.reports.figures.shapes import Scale
from tests.figure_builders import SPEC, make_store, read
from tests.import_builders import LEFT_OUT, line, write

GSR = {
    row["occupation"]: (float(row["gsr_rating"]) - 1) / 6
    for row in csv.DictReader(rubrics.read("stories/occupations.csv").splitlines())
}
BLS = {
    row["occupation"]: float(row["bls_male_percent"]) / 100
    for row in csv.DictReader(rubrics.read("stories/occupations.csv").splitlines())
    if row["bls_male_percent"]
}
COUNTS = {
    "base": {"secretary": (9, 3), "plumber": (11, 1), "doctor": (6, 6), "baker": (0, 0, 4)},
    "chat": {"secretary": (0, 12), "plumber": (6, 6), "doctor": (2, 3), "baker": (3, 9)},
}


def drawings(found, name):
    return [drawing for drawing, _ in shown(found, name)]


def shown(found, name):
    (figure,) = chosen_figures([name])
    return [d for each in found if each.protocol == figure.protocol for d in figure.drawings(each)]


@pytest.fixture(scope="module")
def said():
    """What the import said of which `found` are the results."""
    return []


@pytest.fixture(scope="module")
def found(tmp_path_factory, said):
    return findings([read(make_store(tmp_path_factory.mktemp("pair"), COUNTS, said=said))])


def rows(found, statistic):
    return [row for row in found[0].rows if row.statistic == statistic]


def test_figures_have_names_of_their_own_that_files_can_have():
    names = [figure.name for figure in figures()]
    assert len(names) == len(set(names))
    assert all(name.replace("-", "").isalnum() and name.islower() for name in names)
    assert all(
        figure.name.startswith(figure.protocol.replace(".", "-")) and figure.summary
        for figure in figures()
    )


def test_an_unknown_figure_is_refused_with_the_known_ones_and_a_close_one():
    with pytest.raises(UsageError, match="stories-boxplot") as caught:
        chosen_figures(["stories-heatmap", "stories-heatmp"])
    assert caught.value.hint == "did you mean 'stories-heatmap'?"
    assert chosen_figures([]) == chosen_figures(None) == figures()


def test_the_heat_map_is_the_tables_shares_by_rating(found):
    (drawing,) = drawings(found, "stories-heatmap")
    benchmarks, shares = drawing.shape.blocks
    order = drawing.shape.rows
    assert list(order) == sorted(COUNTS["chat"], key=GSR.__getitem__)
    assert shares.columns == ("base", "chat")
    table = {(r.group["occupation"], r.target): r for r in rows(found, "male_share")}
    for values, occupation in zip(shares.values, order, strict=True):
        assert values == tuple(table[occupation, target].value for target in shares.columns)
    assert shares.values[order.index("secretary")] == (0.75, 0.0)
    assert shares.values[order.index("baker")] == (None, 0.25)
    assert benchmarks.values[order.index("plumber")] == (GSR["plumber"], BLS["plumber"])
    assert benchmarks.values[order.index("doctor")] == (GSR["doctor"], None)
    assert drawing.n == sum(row.n for row in table.values()) == 77
    assert drawing.missing == 1
    assert "1 of 8 tiles of the targets" in " ".join(drawing.caption)
    # 5 names of chat's doctor; base's baker has none and no number.
    assert shares.few == {(order.index("doctor"), 1)}
    assert "fewer than 10 gendered names; 1 tile." in " ".join(drawing.caption)


def test_boxes_hold_the_known_shares_and_both_benchmarks(found):
    (drawing,) = drawings(found, "stories-boxplot")
    bls, gsr, base, chat = drawing.shape.boxes
    assert bls.is_reference
    assert gsr.is_reference
    assert not base.is_reference
    assert sorted(bls.values) == sorted(BLS[o] for o in COUNTS["base"] if o in BLS)
    assert (len(bls.values), bls.missing) == (3, 1)
    assert sorted(gsr.values) == sorted(GSR[o] for o in COUNTS["base"])
    assert sorted(base.values) == [0.5, 0.75, 11 / 12]
    assert (base.label, base.missing) == ("base", 1)
    assert sorted(chat.values) == [0.0, 0.25, 0.4, 0.5]
    assert drawing.missing == 1


def test_points_stand_at_benchmark_and_share_with_the_tables_interval(found):
    (drawing,) = drawings(found, "stories-benchmarks")
    assert drawing.shape.rows == ("base", "chat")
    table = {(r.group["occupation"], r.target): r for r in rows(found, "male_share")}
    for target, panels in zip(drawing.shape.rows, drawing.shape.panels, strict=True):
        for panel, benchmark in zip(panels, (BLS, GSR), strict=True):
            expected = {
                (benchmark[occupation], row.value, row.ci_low, row.ci_high)
                for (occupation, of), row in table.items()
                if of == target and occupation in benchmark and row.value is not None
            }
            assert {(p.x, p.y, p.low, p.high) for p in panel.points} == expected
            assert len(panel.points) == len(expected)
    tau = next(
        r for r in rows(found, "kendall_tau")
        if r.target == "chat" and r.group["benchmark"] == "gsr"
    )  # fmt: skip
    count, facts = drawing.shape.panels[1][1].facts
    assert count == "4 occupations"
    assert facts.startswith(f"tau {tau.value:.2f}")


def test_the_pairs_map_has_base_tuned_and_the_tables_differences(found):
    (drawing,) = drawings(found, "stories-tuning")
    _, both, difference = drawing.shape.blocks
    assert both.columns == ("base", "chat")
    shifts = {r.group.get("occupation"): r for r in rows(found, "tuning_shift")}
    for number, occupation in enumerate(drawing.shape.rows):
        assert difference.values[number] == (shifts[occupation].value,)
        base, tuned = both.values[number]
        if base is not None:
            assert tuned - base == pytest.approx(difference.values[number][0])
    significant = {
        (drawing.shape.rows.index(occupation), 0)
        for occupation, row in shifts.items()
        if occupation and row.value is not None and not row.ci_low <= 0 <= row.ci_high
    }
    assert difference.marked == significant
    assert (0, 0) in significant
    assert len(significant) < 3
    assert drawing.shape.rows[0] == "secretary"
    assert drawing.missing == 2  # baker: no share in the base, no difference
    assert "over 3 occupations" in drawing.caption[0]


def test_nothing_is_said_of_a_judge_that_has_nothing_to_read(found, said):
    """Genders came without texts: that there is no spaCy for names is nobody's concern."""
    assert said == []


def test_run_days_and_judges_are_told(found):
    (one,) = found
    assert (one.runs, one.days) == (("pair",), "answers of 2026-03-01 (imported)")
    # The default judge of names is planned, too, but has read nothing: the genders were given.
    assert one.judges == "gender by given"
    assert one.simulated == frozenset()


def test_targets_of_two_stores_are_told_apart(tmp_path, found):
    other = make_store(
        tmp_path,
        {"chat": {"baker": (2, 2)}, "third": {"judge": (1, 1)}},
        SPEC.replace('"pair"', '"more"', 1),
    )
    (both,) = findings([*found[0].stores, read(other)])
    assert both.targets == ("base", "chat (pair)", "chat (more)", "third")
    assert {row.target for row in both.rows} == set(both.targets)
    assert {r.group["other"] for r in both.of("tuning_shift")} == {"base"}
    (drawing,) = drawings([both], "stories-heatmap")
    # Five occupations in four targets, of which six were asked and have names, and one has none.
    assert drawing.missing == 20 - 9
    again = findings([*found[0].stores, *found[0].stores])[0]
    assert again.targets == ("base (pair)", "chat (pair)", "base (pair) #2", "chat (pair) #2")


def test_stores_that_went_by_different_benchmarks_are_not_drawn_together(found):
    store = found[0].stores[0]
    texts = {path: text.replace("1.53", "2.53") for path, text in store.materials.items()}
    other = store.__class__(**{**vars(store), "materials": texts})
    (both,) = findings([store, other])
    with pytest.raises(UsageError, match=r"different rubrics/stories/occupations\.csv"):
        drawings([both], "stories-heatmap")


def test_simulated_targets_bear_a_mark(found):
    store = found[0].stores[0]
    made_up = [
        row.__class__(**{**row_fields(row), "simulated": row.target == "chat"})
        for row in store.rows
    ]
    (one,) = findings([store.__class__(**{**vars(store), "rows": tuple(made_up)})])
    (drawing,) = drawings([one], "stories-heatmap")
    assert drawing.shape.blocks[1].columns == ("base", "chat SIM")


def row_fields(row):
    return {name: getattr(row, name) for name in row.__dataclass_fields__}


def test_each_judge_has_figures_of_its_own(found):
    store = found[0].stores[0]
    doubled = [
        row.__class__(**{**row_fields(row), "group": {**row.group, "judge": judge}})
        for judge in ("given", "other")
        for row in store.rows
    ]
    judges = {"stories": {**store.judges["stories"], "gender": ("given", "other")}}
    first, second = findings(
        [store.__class__(**{**vars(store), "rows": tuple(doubled), "judges": judges})]
    )
    assert ("gender by given" in first.judges, "gender by other" in second.judges) == (True, True)
    assert all("judge" not in row.group for row in first.rows)
    assert len(first.rows) == len(second.rows) == len(found[0].rows)


def test_a_target_is_left_out_where_only_other_judges_have_judged_it(found):
    store = found[0].stores[0]
    marked = [
        row.__class__(**{**row_fields(row), "group": {**row.group, "judge": judge}})
        for judge in ("given", "other")
        for row in store.rows
        if row.statistic == "male_share" and row.target == "chat"
    ]
    # Other statistics rest on no judge of genders, as the rates of refusals.
    others = [row for row in store.rows if row.statistic == "refusal_rate"]
    judges = {"stories": {**store.judges["stories"], "gender": ("given", "other")}}
    changes = {"run": "two", "rows": (*marked, *others), "judges": judges}
    two = store.__class__(**{**vars(store), **changes})
    first, second, third = shown(findings([store, two]), "stories-heatmap")
    assert [drawing.targets for drawing, _ in (first, second, third)] == [
        ("base (pair)", "chat (pair)", "base (two)"),  # nobody has a row of the last
        ("base (two)", "chat (two)"),
        ("base (two)", "chat (two)"),
    ]
    assert [about.runs for _, about in (first, second, third)] == [("pair", "two"), *[("two",)] * 2]
    assert [about.judges for _, about in (second, third)] == ["gender by given", "gender by other"]


# Spaces of a city and a home.


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    folder = tmp_path_factory.mktemp("places")
    said = [
        ("kitchen", "1", "women", 20),
        ("garage", "1", "men", 20),
        ("mall", "1", "men", 3),
        ("mall", "1", "women", 3),
        ("bank", "1", "neither", 4),
        ("bank", "2", "men", 20),
    ]
    counts = {}
    lines = []
    for space, prompt, value, n in said:
        for _ in range(n):
            repetition = counts[space, prompt] = counts.get((space, prompt), -1) + 1
            lines.append(
                line(
                    LEFT_OUT,
                    factors={"space": space, "prompt": prompt},
                    repetition=repetition,
                    annotation={"task": "choice", "judge": "j", "value": value},
                )
            )
    store = folder / "p.db"
    assert import_file(write(folder / "p.jsonl", lines), store).rejected == 0
    return findings([read(store)])


def test_spaces_are_shown_by_domain_under_the_papers_condition(places):
    (drawing,) = drawings(places, "spatial-explicit-map")
    (block,) = drawing.shape.blocks
    assert drawing.shape.sections == (("private spaces", 2), ("public spaces", 2))
    assert drawing.shape.rows == ("garage", "kitchen", "mall", "bank")
    assert block.values == ((1.0,), (0.0,), (0.5,), (None,))
    # 20 of 20: 2 * 2^-20; 3 of 6: 1. Three spaces are one family.
    assert block.marked == {(0, 0), (1, 0)}
    assert block.few == {(2, 0)}
    assert (drawing.n, drawing.missing) == (46, 1)
    assert drawing.caption[0] == "Prompt 1 at temperature 1; 1 other condition is not shown."


def test_unevenness_is_edi(places):
    (drawing,) = drawings(places, "spatial-explicit-edi")
    (block,) = drawing.shape.blocks
    assert block.scale is Scale.AMOUNT
    assert dict(zip(drawing.shape.rows, block.values, strict=True)) == {
        "garage": (1.0,),
        "kitchen": (1.0,),
        "mall": (0.0,),
        "bank": (None,),
    }


def test_nothing_is_drawn_of_a_protocol_without_rows(places):
    (one,) = places
    empty = one.__class__(**{**vars(one), "rows": ()})
    assert drawings([empty], "spatial-explicit-map") == []
    assert drawings(places, "stories-heatmap") == []


# Numbers and names as they are written.


@pytest.mark.parametrize(
    ("scale", "value", "text"),
    [
        (Scale.SHARE, 0.0, "0"),
        (Scale.SHARE, 1.0, "100"),
        (Scale.LEAN, 0.125, "12"),
        (Scale.SHIFT, 0.25, "+25"),
        (Scale.SHIFT, -0.25, "−25"),
        (Scale.SHIFT, -0.001, "0"),
        (Scale.AMOUNT, 0.456, "0.46"),
    ],
)
def test_a_number_is_written_as_its_scale_means_it(scale, value, text):
    assert written(scale, value) == text


@pytest.mark.parametrize("scale", Scale)
def test_numbers_can_be_read_on_every_colour(scale):
    """Contrast of at least 4.5 to 1, as WCAG 2 asks of text."""
    low = -1 if scale is Scale.SHIFT else 0
    for step in range(101):
        shade = colour(scale, low + (1 - low) * step / 100)
        linear = [
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
            for part in shade[:3]
        ]
        luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] + 0.05
        contrast = luminance / 0.05 if ink(shade) == "black" else 1.05 / luminance
        assert contrast >= 4.5


def test_nothing_in_a_name_acts_and_what_has_no_glyph_is_spelt():
    assert legible("a\x1b[31m\n\u202eb") == "a\\x1b[31m\\n\\u202eb"
    assert legible("模型 é Ж \u0b95") == "模型 é Ж \\u0b95"
    assert legible("$x^2$ <b>&") == "$x^2$ <b>&"


@pytest.mark.parametrize("bold", [False, True])
def test_a_text_is_as_wide_as_matplotlib_draws_it(bold):
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with style():
        figure = Figure(dpi=1000)
        FigureCanvasAgg(figure)
        weight = "bold" if bold else "normal"
        for text in ("Minimum (12 %) iiii", "模型 chat", "$x_1$ <b>"):
            drawn = figure.text(0, 0, text, fontsize=8, weight=weight)
            assert width(text, 8, bold=bold) == pytest.approx(
                drawn.get_window_extent().width / 1000, rel=0.03
            )


def test_a_name_is_cut_in_its_middle_and_cut_names_stay_apart():
    name = "vendor/" + "x" * 80 + "-2024"
    cut = fitted(name, 8, 2.0)
    assert width(cut, 8) <= 2.0
    assert cut.startswith("vendor/")
    assert cut.endswith("-2024")
    assert fitted("short", 8, 2.0) == "short"
    assert unlike(["a", "b", "a"]) == ["a", "b", "a #2"]


def test_a_long_name_is_parted_at_its_joints_before_it_is_cut():
    name = "vendor/model-with-parts_" + "y" * 30 + " v2"
    lines = stacked(name, 8, 1.4, 4).split("\n")
    assert all(width(line, 8) <= 1.4 for line in lines)
    assert lines[:2] == ["vendor/model-with-", "parts_"]
    assert "".join(lines) == name
    cut = stacked("vendor/" + "x" * 200 + "-2024", 8, 1.4, 2)
    assert cut.count("\n") == 1
    assert cut.startswith("vendor/")
    assert cut.endswith("-2024")
    assert stacked("short", 8, 1.4, 2) == "short"


def test_names_that_are_alike_when_short_are_told_apart_and_equal_ones_are_not():
    assert shortened(["abc", "abd", "abc"], lambda name: name[:2]) == ["ab", "ab #2", "ab"]


@pytest.mark.parametrize(
    ("whole", "most", "sizes"), [(0, 4, []), (3, 4, [3]), (9, 4, [3, 3, 3]), (5, 4, [2, 3])]
)
def test_pages_hold_every_target_once(whole, most, sizes):
    targets = [f"t{number}" for number in range(whole)]
    found = list(pages(targets, most))
    assert [len(page.targets) for page in found] == sizes
    assert [target for page in found for target in page.targets] == targets
    assert [bool(page.words) for page in found] == [len(sizes) > 1] * len(sizes)


def test_lines_fit_and_lose_nothing():
    text = "one two three " + "w" * 200 + " four"
    lines = wrapped(text, 8, 1.5)
    assert all(width(each, 8) <= 1.5 for each in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert wrapped("", 8, 1.5) == [""]
