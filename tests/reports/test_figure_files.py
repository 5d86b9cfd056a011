"""Figures as files: whole or not there, the same for the same store, and nothing in them acts."""

import json
from dataclasses import replace
from xml.etree import ElementTree

import matplotlib
import pytest

from auditor.cli.app import run
from auditor.errors import AuditorError, UsageError
from auditor.reports.figures import Figure, chosen_figures, figures, findings, write_figures
from tests.figure_builders import make_lines, make_store, read

HOSTILE = "<script>alert(1)</script> & $\\frac{1}{0}$"
LONG = "m" * 90 + "-a"
COUNTS = {
    HOSTILE: {"secretary": (9, 3), "plumber": (11, 2), "baker": (0, 0, 2)},
    LONG: {"secretary": (1, 12), "plumber": (7, 8)},
}
HEAT = chosen_figures(["stories-heatmap"])


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return make_store(tmp_path_factory.mktemp("hostile"), COUNTS)


@pytest.fixture(scope="module")
def found(store):
    return findings([read(store)])


@pytest.fixture(scope="module")
def folder(found, tmp_path_factory):
    """All figures of the store."""
    folder = tmp_path_factory.mktemp("figures")
    write_figures(found, figures(), folder)
    return folder


def texts(path):
    """The texts of a picture."""
    tree = ElementTree.parse(path)
    return ["".join(e.itertext()) for e in tree.iter("{http://www.w3.org/2000/svg}text")]


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_each_figure_is_a_picture_of_both_kinds_and_stands_in_the_index(folder):
    names = ["stories-heatmap", "stories-boxplot", "stories-benchmarks"]
    pictures = {f"{name}.{kind}" for name in names for kind in ("svg", "png")}
    assert set(files(folder)) == {*pictures, "figures.json"}
    assert all(files(folder)[f"{n}.png"].startswith(b"\x89PNG\r\n\x1a\n") for n in names)
    index = json.loads((folder / "figures.json").read_text())
    assert [entry["figure"] for entry in index] == names
    assert {name for entry in index for name in entry["files"]} == pictures
    assert {entry["n"] for entry in index} == {53}
    assert index[0]["targets"] == [HOSTILE, LONG]
    assert index[0]["missing"] == 2


def test_a_picture_says_run_n_date_source_and_judges(folder):
    for name in ("stories-heatmap", "stories-boxplot", "stories-benchmarks"):
        said = " ".join(texts(folder / f"{name}.svg"))
        assert "run pair; n = 53 gendered names; answers of 2026-03-01" in said
        assert "Source: male_share" in said
        assert "judges: gender by given" in said
        assert "SIMULATED" not in said


def test_a_heat_map_holds_every_occupation_and_every_known_number(folder):
    said = texts(folder / "stories-heatmap.svg")
    assert {"secretary", "plumber", "baker"} <= set(said)
    # Rating and percentage of each occupation, four shares, nothing for what is missing.
    # 9/12, 11/13, 1/13 and 7/15; all of 10 names or more.
    numbers = [text for text in said if text.isdigit()]
    assert len(numbers) == 6 + 4
    assert {"75", "85", "8", "47"} <= set(numbers)


def test_hostile_names_are_texts_and_nothing_else(folder):
    for path in folder.glob("*.svg"):
        assert b"<script" not in path.read_bytes()
        assert HOSTILE in texts(path)
        assert any(text.startswith("mmm") and text.endswith("m-a") for text in texts(path))


def test_a_simulated_figure_says_so_and_control_characters_are_spelt_out(found, tmp_path):
    name = "a\x1b[2J\u202e\n"
    kept = [row for row in found[0].rows if row.target == LONG]
    made_up = replace(
        found[0],
        runs=(name,),
        targets=(name,),
        rows=tuple(replace(row, target=name, simulated=True) for row in kept),
        simulated=frozenset([name]),
    )
    write_figures([made_up], HEAT, tmp_path / "out")
    said = texts(tmp_path / "out/stories-heatmap.svg")
    assert any(text.startswith("SIMULATED: made-up answers") for text in said)
    assert "a\\x1b[2J\\u202e\\n SIM" in said
    assert any("run a\\x1b[2J" in text for text in said)
    assert json.loads((tmp_path / "out/figures.json").read_text())[0]["simulated"] == [name]


def test_equal_stores_give_equal_bytes_whatever_matplotlibs_settings_are(folder, tmp_path):
    again = findings([read(make_store(tmp_path, COUNTS))])
    with matplotlib.rc_context({"font.size": 30, "svg.hashsalt": None, "axes.grid": True}):
        before = dict(matplotlib.rcParams)
        write_figures(again, HEAT, tmp_path / "out")
        assert dict(matplotlib.rcParams) == before
    first, second = files(folder), files(tmp_path / "out")
    assert len(second) == 3
    assert all(first[name] == second[name] for name in second if name != "figures.json")


def test_files_are_overwritten_only_by_force(folder, found, tmp_path):
    before = files(folder)
    with pytest.raises(UsageError, match=r"holds stories-heatmap\.svg") as caught:
        write_figures(found, HEAT, folder)
    assert "--force" in caught.value.hint
    assert files(folder) == before
    (tmp_path / "stories-heatmap.svg").write_text("another")
    write_figures(found, HEAT, tmp_path, force=True)
    assert (tmp_path / "stories-heatmap.svg").read_bytes() == before["stories-heatmap.svg"]


def test_other_figures_that_are_there_stay_in_the_index_and_are_marked(folder, found, tmp_path):
    """One figure drawn anew leaves the files of the others, so it leaves their entries."""
    for name, content in files(folder).items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "stories-benchmarks.svg").unlink()
    (tmp_path / "stories-benchmarks.png").unlink()
    written = write_figures(found, HEAT, tmp_path, force=True)
    index = json.loads((tmp_path / "figures.json").read_text())
    assert [(entry["figure"], entry["kept"]) for entry in index] == [
        ("stories-heatmap", False),
        ("stories-boxplot", True),
    ]
    assert [entry["figure"] for entry in written.kept] == ["stories-boxplot"]
    before = json.loads((folder / "figures.json").read_text())
    assert {**index[1], "kept": False} == before[1]


def test_figures_beside_those_of_an_earlier_report_need_no_force(folder, found, tmp_path):
    """Nothing is lost: of what is there, only the index is written, with all that it holds."""
    boxplot = {name: body for name, body in files(folder).items() if "boxplot" in name}
    for name, content in {**boxplot, "figures.json": files(folder)["figures.json"]}.items():
        (tmp_path / name).write_bytes(content)
    write_figures(found, HEAT, tmp_path)
    index = json.loads((tmp_path / "figures.json").read_text())
    assert [entry["figure"] for entry in index] == ["stories-heatmap", "stories-boxplot"]
    assert boxplot.items() <= files(tmp_path).items()
    with pytest.raises(
        UsageError, match=r"holds stories-heatmap\.svg, stories-heatmap\.png already"
    ):
        write_figures(found, HEAT, tmp_path)


INDEXES_THAT_ARE_NONE = (
    "{",
    '{"a": 1}',
    '[{"files": ["../secret"]}]',
    "[1]",
    "\udcff",
    '[{"figure": "a", "files": ["figures.json"], "n": NaN}]',
    '[{"figure": "a", "files": ["figures.json"], "n": 1e999}]',
)


@pytest.mark.parametrize("force", [True, False])
@pytest.mark.parametrize("text", INDEXES_THAT_ARE_NONE)
def test_an_index_that_is_none_is_not_overwritten(found, tmp_path, text, force):
    (tmp_path / "figures.json").write_text(text, errors="surrogateescape")
    with pytest.raises(UsageError, match=r"figures\.json is no index of figures"):
        write_figures(found, HEAT, tmp_path, force=force)
    assert list(files(tmp_path)) == ["figures.json"]


def test_what_fails_half_way_leaves_nothing(found, tmp_path):
    def broken(one):
        (drawing,) = HEAT[0].draw(one)
        return [drawing, replace(drawing, shape=None)]

    figure = Figure(name="stories-broken", protocol="stories", summary="-", draw=broken)
    with pytest.raises(AssertionError):
        write_figures(found, [figure], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_what_fails_leaves_the_files_that_were_there(found, tmp_path):
    def broken(one):
        (drawing,) = HEAT[0].draw(one)
        return [replace(drawing, shape=None)]

    (tmp_path / "stories-heatmap.svg").write_text("mine")
    with pytest.raises(AssertionError):
        write_figures(found, [replace(HEAT[0], draw=broken)], tmp_path, force=True)
    assert files(tmp_path) == {"stories-heatmap.svg": b"mine"}


def test_a_place_that_cannot_be_written_is_said(found, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(AuditorError, match="is no folder"):
        write_figures(found, HEAT, tmp_path / "file")


def test_nothing_to_draw_is_said_and_makes_no_folder(found, tmp_path):
    with pytest.raises(UsageError, match="no result for spatial-explicit-edi"):
        write_figures(found, chosen_figures(["spatial-explicit-edi"]), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_report_writes_the_figures_that_are_asked_for_and_lists_them(store, tmp_path, capsys):
    arguments = ["report", str(store), "-o", str(tmp_path / "out"), "--figure", "stories-boxplot"]
    assert run([*arguments, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [each["files"] for each in told["figures"]] == [
        ["stories-boxplot.svg", "stories-boxplot.png"]
    ]
    assert set(files(tmp_path / "out")) == {*told["figures"][0]["files"], "figures.json"}
    assert run(arguments) == 2
    assert "--force" in capsys.readouterr().err
    assert run([*arguments[:-1], "boxplot"]) == 2
    assert "did you mean 'stories-boxplot'?" in capsys.readouterr().err
    assert run([*arguments, "--force"]) == 0
    shown = capsys.readouterr()
    out = tmp_path / "out"
    assert shown.out.splitlines() == [
        "Men among protagonists, over occupations",
        *(f"  {out / name}" for name in told["figures"][0]["files"]),
        f"index: {out / 'figures.json'}",
    ]
    assert "2 values are missing" in shown.err
    assert run([*arguments[:-1], "stories-heatmap", "--force"]) == 0
    shown = capsys.readouterr()
    kept = "1 figure of an earlier report stays there and in the index: stories-boxplot\n"
    assert kept in shown.err


def test_report_computes_what_the_store_does_not_hold(tmp_path, capsys):
    """Statistics that are out of date are computed first, pairs among them, and stored."""
    store = make_store(tmp_path, {"base": {"baker": (5, 5)}})
    more = make_lines(tmp_path, {"chat": {"baker": (1, 9)}}, "more")
    assert run(["import", str(more), "--store", str(store), "--no-judge"]) == 0
    arguments = ["report", str(store), "-o", str(tmp_path / "out"), "--figure", "stories-tuning"]
    assert run([*arguments, "--json"]) == 0
    (entry,) = json.loads(capsys.readouterr().out)["figures"]
    assert (entry["targets"], entry["n"]) == (["base", "chat"], 20)
    stored = [row for row in read(store).rows if row.statistic == "tuning_shift"]
    assert [(row.target, row.group["other"]) for row in stored] == [("chat", "base")] * 2
    assert [row.value for row in stored] == [pytest.approx(-0.4)] * 2
