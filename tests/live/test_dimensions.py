"""Results of `grap` by dimension: both figures side by side, limited, and nothing made up."""

import io

import pytest
from rich.console import Console

from auditor.live.tables import results_table
from auditor.protocols.base import StatisticRow

BASE = {"setting": "full"}


def rows(values, *, target="m", group=BASE, probe=BASE):
    """Raw difference, q, coefficient in both scales, and flag of each dimension."""
    for name, (raw, coefficient) in values.items():
        here = {"dimension": name, **group}
        there = {"dimension": name, **probe}
        figures = (
            ("raw_difference", here, raw),
            ("wilcoxon_q", here, 0.011),
            ("d_z", here, 0.2),
            ("probe_coefficient", {"scale": "raw", **there}, 99.0),
            ("probe_coefficient", {"scale": "standardised", **there}, coefficient),
            ("sign_differs", there, float(raw * (coefficient or 0) < 0)),
        )
        for statistic, place, value in figures:
            yield StatisticRow(
                protocol="grap", statistic=statistic, target=target, group=place, value=value, n=40
            )


def printed(table, **settings):
    console = Console(file=io.StringIO(), width=140, color_system=None, legacy_windows=False)
    console.print(results_table(list(table), **settings))
    return console.file.getvalue().splitlines()


FOUR = {"warm": (0.12, 0.81), "able": (-0.2, -0.7), "safe": (0.03, -0.15), "bold": (0.0, 0.1)}


def test_raw_difference_and_coefficient_stand_in_one_line_by_coefficient():
    lines = printed(rows(FOUR))
    shown = [line.split()[0] for line in lines if line.split()[:1] and line.split()[0] in FOUR]
    assert shown == ["warm", "bold", "safe", "able"]
    (warm,) = [line for line in lines if line.strip().startswith("warm")]
    assert warm.split()[:-1] == ["warm", "0.120", "0.011", "0.200", "0.810"]
    assert not any("99.0" in line for line in lines)


def test_a_turned_sign_is_said():
    lines = printed(rows(FOUR))
    assert [line.split()[0] for line in lines if "signs differ" in line] == ["safe"]


def test_only_the_ends_are_shown_and_the_others_counted():
    many = {f"d{number:02}": (0.1, 1 - number / 10) for number in range(1, 13)}
    lines = printed(rows(many))
    assert [line.split()[0] for line in lines if line.split()[:1] and line.split()[0] in many] == [
        *("d01", "d02", "d03", "d04", "d05"),
        *("d08", "d09", "d10", "d11", "d12"),
    ]
    assert any("and 2 more dimensions" in line for line in lines)


def test_a_narrow_table_names_the_columns_that_it_has_no_room_for():
    long = {f"a_dimension_with_a_long_name_{number}": (0.1, 0.2) for number in range(3)}
    file = io.StringIO()
    Console(file=file, width=60, color_system=None).print(results_table(list(rows(long))))
    text = file.getvalue()
    assert all(name in text for name in long)
    assert "d_z" in text
    heads = next(line for line in text.splitlines() if "coefficient" in line)
    assert "d_z" not in heads
    assert "at this width there is no room for d_z" in " ".join(text.split())


def test_a_probe_of_another_preset_has_the_same_raw_differences_beside_it():
    made = [*rows(FOUR), *rows({"warm": (0.12, 0.5)}, probe={**BASE, "preset": "C"})]
    lines = printed(made)
    titles = [line for line in lines if line.startswith("m ")]
    assert [title.split(maxsplit=1)[1] for title in titles] == [
        "setting full",
        "setting full, preset C",
    ]
    (other,) = [line for line in lines if "0.500" in line]
    assert "0.120" in other


def test_dimensions_without_a_coefficient_are_counted_and_no_probe_is_no_table():
    lines = printed(rows({**FOUR, "flat": (0.0, None)}))
    assert any("and 1 more dimension" in line for line in lines)
    assert not any("coefficient" in line for line in printed(rows({"flat": (0.0, None)})))


def test_an_overview_leaves_single_sides_and_fits_in_sample_out():
    made = [
        StatisticRow(protocol="grap", statistic=name, target="m", group=group, value=value)
        for name, group, value in (
            ("probe_auc", {"evaluation": "in_sample"}, 0.91),
            ("probe_auc", {"evaluation": "cross_validated"}, 0.62),
            ("refusal_rate", {"gender": "male"}, 0.93),
            ("refusal_rate", {}, 0.64),
            ("predicted_probability", {"gender": "male", "bin": 0.5}, 0.95),
        )
    ]
    text = "\n".join(printed(made))
    assert [value in text for value in ("0.910", "0.620", "0.930", "0.640", "0.950")] == [
        *(False, True, False, True, False),
    ]
    assert "3 of 5 rows of grap are not shown" in text
    assert "0.950" in "\n".join(printed(made, overview=False))


@pytest.mark.parametrize("width", [30, 60, 80, 200])
def test_no_line_is_longer_than_the_terminal(width):
    console = Console(file=io.StringIO(), width=width, color_system=None, legacy_windows=False)
    console.print(results_table(list(rows(FOUR))))
    assert max(map(len, console.file.getvalue().splitlines())) <= width
