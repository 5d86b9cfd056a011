"""Which answers people are asked to label, and what their sheets hold."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from shutil import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.errors import AuditorError, UsageError
from auditor.reports.labels import read_labels
from auditor.reports.sampling import draw_sample
from auditor.reports.sheets import write_sheets
from auditor.reports.spreadsheet import as_meant, inert
from auditor.reports.strata import in_proportion
from auditor.reports.validation import validate
from auditor.store.reading import open_reader
from tests.import_builders import LEFT_OUT, line, take

PUBLIC, PRIVATE = ("mall", "bar", "cinema"), ("kitchen", "garage")


def answers(space: str, count: int, target: str = "m", **said: object):
    """`count` answers of one space; `said` is the choice that the judge "j" gives to all."""
    for repetition in range(count):
        place = {"factors": {"space": space}, "repetition": repetition, "target": target}
        yield line(f"{space} {repetition} by {target}", **place)
        if "value" in said:
            yield line(LEFT_OUT, annotation={"task": "choice", "judge": "j", **said}, **place)


def make_store(folder: Path, *groups) -> Path:
    assert take(folder, [each for group in groups for each in group], judge=False).rejected == 0
    return folder / "a.db"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return make_store(
        tmp_path_factory.mktemp("made"),
        *(answers(space, 10, target) for space in PUBLIC for target in ("m", "other")),
        *(answers(space, 5, target) for space in PRIVATE for target in ("m", "other")),
    )


@pytest.fixture
def store(made, tmp_path):
    """60 answers about public spaces, 20 about private ones, half of them by another target."""
    return Path(copy(made, tmp_path))


def sample(store: Path, **settings):
    connection = open_reader(store)
    try:
        return draw_sample(connection, "choice", **settings)
    finally:
        connection.close()


def sheets(store: Path, folder: Path, *, annotators: int = 2, force: bool = False, **settings):
    """The rows of each sheet, by its name."""
    connection = open_reader(store)
    try:
        drawn = draw_sample(connection, "choice", **settings)
        write_sheets(connection, drawn, folder, annotators=annotators, force=force)
    finally:
        connection.close()
    return {path.name: read(path) for path in sorted(folder.glob("*.csv"))}


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def taken(drawn) -> dict[tuple[str, ...], int]:
    return {count.levels: count.taken for count in drawn.strata}


class TestTheDraw:
    def test_is_the_same_for_the_same_seed(self, store):
        assert sample(store, n=20).trials == sample(store, n=20).trials

    def test_is_another_for_another_seed(self, store):
        assert set(sample(store, n=20, seed=1).trials) != set(sample(store, n=20, seed=2).trials)

    def test_has_no_answer_twice(self, store):
        drawn = sample(store, n=80).trials
        assert len(set(drawn)) == 80

    @pytest.mark.parametrize("stratify", [(), ("domain",), ("space", "target")])
    def test_keeps_the_first_where_more_are_drawn(self, store, stratify):
        last = ()
        for n in range(1, 81):
            drawn = sample(store, n=n, stratify=stratify).trials
            assert drawn[: len(last)] == last
            last = drawn

    def test_takes_all_where_more_are_asked_for_than_there_are(self, store):
        assert len(sample(store, n=500).trials) == 80

    def test_takes_100_by_default(self, tmp_path):
        store = make_store(tmp_path, answers("kitchen", 120))
        assert len(sample(store).trials) == 100

    def test_gives_every_answer_the_same_chance(self, tmp_path):
        """2,000 draws of 2 out of 8: each answer about 500 times, 4 standard errors are 77."""
        store = make_store(tmp_path, answers("kitchen", 8))
        connection = open_reader(store)
        drawn = Counter(
            trial
            for seed in range(2000)
            for trial in draw_sample(connection, "choice", n=2, seed=seed).trials
        )
        connection.close()
        assert len(drawn) == 8
        assert all(abs(count - 500) < 78 for count in drawn.values())

    def test_leaves_out_what_has_no_text(self, tmp_path):
        silent = [
            line("", factors={"space": "bar"}),
            line("no", factors={"space": "mall"}, outcome="refused"),
            line(LEFT_OUT, factors={"space": "garage"}, outcome="filtered"),
            line("cut o", factors={"space": "cinema"}, outcome="truncated"),
        ]
        store = make_store(tmp_path, answers("kitchen", 1), silent)
        assert taken(sample(store, stratify=["space"])) == {("cinema",): 1, ("kitchen",): 1}

    def test_of_an_empty_store_is_refused(self, tmp_path):
        store = make_store(tmp_path, [line("", factors={"space": "bar"})])
        with pytest.raises(UsageError, match="with a text yet"):
            sample(store)


class TestStrata:
    def test_get_their_share(self, store):
        assert taken(sample(store, n=20, stratify=["domain"])) == {("private",): 5, ("public",): 15}

    def test_may_be_told_apart_by_several_names(self, store):
        found = taken(sample(store, n=40, stratify=["domain", "target"]))
        assert found == {
            ("private", "m"): 5,
            ("private", "other"): 5,
            ("public", "m"): 15,
            ("public", "other"): 15,
        }

    def test_of_the_papers_sizes(self, tmp_path):
        """SPAGBias, Appendix D: 15 / 15 / 35 / 35, and two of a rare class in each."""
        store = make_store(
            tmp_path,
            *(answers("kitchen", 40, target, value="men") for target in ("m", "w")),
            *(answers("mall", 90, target, value="men") for target in ("m", "w")),
            *(answers("garage", 3, target, value="refusal") for target in ("m", "w")),
            *(answers("bar", 2, target, value="refusal") for target in ("m", "w")),
        )
        sizes = tmp_path / "sizes.csv"
        sizes.write_text("domain,target,n\nprivate,m,15\nprivate,w,15\npublic,m,35\npublic,w,35\n")
        drawn = sample(store, sizes=sizes, oversample={"refusal": 2})
        assert taken(drawn) == {
            ("private", "m"): 15,
            ("private", "w"): 15,
            ("public", "m"): 35,
            ("public", "w"): 35,
        }
        assert len(drawn.trials) == 100
        assert all(count.classes["refusal"] >= 2 for count in drawn.strata)

    def test_that_are_not_listed_get_none(self, store, tmp_path):
        sizes = tmp_path / "sizes.csv"
        sizes.write_bytes("\ufeffn;domain\r\n4;public\r\n".encode())
        assert taken(sample(store, sizes=sizes)) == {("private",): 0, ("public",): 4}

    def test_with_too_few_answers_say_so(self, store, tmp_path):
        sizes = tmp_path / "sizes.csv"
        sizes.write_text("domain,n\nprivate,50\n")
        (private, _) = sample(store, sizes=sizes).strata
        assert (private.available, private.asked, private.taken) == (20, 50, 20)

    def test_greater_sizes_keep_what_smaller_ones_take(self, store, tmp_path):
        sizes = tmp_path / "sizes.csv"
        last: set[int] = set()
        for n in range(1, 20):
            sizes.write_text(f"domain,n\nprivate,{n}\npublic,{2 * n}\n")
            drawn = set(sample(store, sizes=sizes).trials)
            assert last < drawn
            last = drawn

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", 'sizes.csv:1: columns: value "none"; allowed: domain, n'),
            ("domain\npublic\n", 'sizes.csv:1: columns: value "domain"; allowed: domain, n'),
            ("space,n\nbar,1\n", 'sizes.csv:1: columns: value "space, n"; allowed: domain, n'),
            ("domain,n\npublic,x\n", 'sizes.csv:2: n: value "x"; allowed: a whole number from 0'),
            ("domain,n\npublic,-1\n", 'sizes.csv:2: n: value "-1"; allowed'),
            ("domain,n\npublic\n", "sizes.csv:2: 1 cells; allowed: 2"),
            ("domain,n\npublic,1\npublic,2\n", "sizes.csv:3: public stands twice; allowed: once"),
            ("domain,n\npublic,0\n", "no stratum is to be drawn from"),
            ("domain,n\npubic,1\n", 'stratum "pubic" has no answer in this store; allowed: priv'),
        ],
    )
    def test_of_bad_sizes_are_refused(self, store, tmp_path, text, message):
        sizes = tmp_path / "sizes.csv"
        sizes.write_text(text)
        with pytest.raises(UsageError) as caught:
            sample(store, sizes=sizes, stratify=["domain"])
        assert message in str(caught.value)

    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ({"stratify": ["room"]}, "stratify: value 'room'; allowed: space, prompt, temp"),
            ({"stratify": ["space", "space"]}, "'space' stands twice"),
            ({"oversample": {"man": 2}}, "oversample: value 'man'; allowed: \"men\""),
            ({"protocol": "stories"}, "protocol: value 'stories' is not in this store"),
        ],
    )
    def test_of_unknown_names_are_refused(self, store, settings, message):
        with pytest.raises(UsageError) as caught:
            sample(store, **settings)
        assert message in str(caught.value)

    def test_of_an_unknown_task_are_refused(self, store):
        connection = open_reader(store)
        with pytest.raises(UsageError, match="task: value 'chioce'; allowed: choice"):
            draw_sample(connection, "chioce")
        connection.close()


class TestProportions:
    strata = st.dictionaries(
        st.tuples(st.sampled_from("abcdefgh")), st.integers(0, 40), min_size=1, max_size=8
    )

    @given(strata, st.integers(1, 200))
    def test_no_stratum_gives_more_than_it_has(self, available, n):
        drawn = Counter(in_proportion(available, n))
        assert sum(drawn.values()) == min(n, sum(available.values()))
        assert all(count <= available[stratum] for stratum, count in drawn.items())

    @given(strata, st.integers(1, 100))
    def test_more_keep_the_first(self, available, n):
        longer = in_proportion(available, n + 7)
        assert in_proportion(available, n) == longer[: min(n, len(longer))]

    def test_are_those_of_webster(self):
        """The usual example: 53, 24 and 23 thousand votes give 3, 2 and 2 of 7 seats."""
        drawn = Counter(in_proportion({("a",): 53_000, ("b",): 24_000, ("c",): 23_000}, 7))
        assert drawn == {("a",): 3, ("b",): 2, ("c",): 2}


class TestRareClasses:
    @pytest.fixture
    def rare(self, tmp_path):
        return make_store(
            tmp_path,
            answers("kitchen", 60, value="men"),
            answers("garage", 2, value="refusal"),
            answers("mall", 60, value="women"),
            answers("bar", 1, value="refusal"),
        )

    def test_are_there_as_far_as_there_are_any(self, rare):
        drawn = sample(rare, n=10, stratify=["domain"], oversample={"refusal": 2})
        private, public = drawn.strata
        assert (private.taken, private.classes) == (5, {"refusal": 2})
        assert (public.taken, public.classes) == (5, {"refusal": 1})

    def test_do_not_make_the_sample_larger(self, rare):
        assert len(sample(rare, n=2, oversample={"refusal": 9}).trials) == 2

    def test_change_nothing_where_enough_are_drawn_anyway(self, rare):
        plain = sample(rare, n=20)
        assert set(sample(rare, n=20, oversample={"men": 1}).trials) == set(plain.trials)

    def test_keep_the_first_where_more_are_drawn(self, rare):
        last = ()
        for n in range(1, 123):
            drawn = sample(rare, n=n, stratify=["domain"], oversample={"refusal": 2}).trials
            assert drawn[: len(last)] == last
            last = drawn

    def test_may_be_what_no_judge_could_read(self, tmp_path):
        store = make_store(
            tmp_path,
            answers("kitchen", 60, value="men"),
            answers("mall", 1, valid=False, value=None),
        )
        (stratum,) = sample(store, n=3, oversample={"invalid": 1}).strata
        assert stratum.classes == {"invalid": 1}


class TestBlindSheets:
    def test_hold_the_whole_text_and_what_validate_reads(self, store, tmp_path):
        found = sheets(store, tmp_path / "out", n=10)
        rows = found["annotator-1.csv"]
        assert len(rows) == 10
        assert list(rows[0]) == [
            *("trial", "task", "question", "text", "allowed", "label", "annotator", "remark"),
        ]
        assert {row["task"] for row in rows} == {"choice"}
        assert {row["annotator"] for row in rows} == {"annotator-1"}
        assert {row["label"] for row in rows} == {""}
        assert {row["allowed"] for row in rows} == {"men | women | neither | refusal | invalid"}

    def test_hold_no_verdict_and_no_target(self, tmp_path):
        store = make_store(tmp_path, answers("kitchen", 9, target="zzz", value="neither"))
        out = tmp_path / "out"
        connection = open_reader(store)
        write_sheets(connection, draw_sample(connection, "choice"), out, annotators=1)
        connection.close()
        rows = read(out / "annotator-1.csv")
        cells = [
            cell for row in rows for name, cell in row.items() if name not in ("allowed", "text")
        ]
        assert not [cell for cell in cells if "neither" in cell or "zzz" in cell or cell == "j"]

    def test_are_shuffled_for_each_annotator(self, store, tmp_path):
        found = sheets(store, tmp_path / "out", n=30, annotators=3)
        orders = [
            [row["trial"] for row in rows] for name, rows in found.items() if "annotator" in name
        ]
        assert len(orders) == 3
        assert len({tuple(order) for order in orders}) == 3
        assert len({frozenset(order) for order in orders}) == 1
        assert orders[0] != [row["trial"] for row in found["reconcile.csv"]]

    def test_are_the_same_bytes_each_time(self, store, tmp_path):
        for name in ("one", "two"):
            sheets(store, tmp_path / name, n=30)
        for file in ("annotator-1.csv", "annotator-2.csv", "reconcile.csv"):
            assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()

    def test_say_what_was_asked_by_its_factors_where_the_prompt_is_unknown(self, store, tmp_path):
        (row, *_) = sheets(store, tmp_path / "out", n=1, annotators=1)["annotator-1.csv"]
        space = row["text"].partition(" ")[0]
        assert row["question"] == f"prompt: 1, space: {space}, temperature: 1"

    @pytest.mark.parametrize(
        ("text", "cell"),
        [
            ('=HYPERLINK("http://x","y")', '\'=HYPERLINK("http://x","y")'),
            ("+1", "'+1"),
            ("-men", "'-men"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\tmen", "'\tmen"),
            ("＝1+1", "'＝1+1"),
            ("men\x00\x1b[2J\u202e", "men\\x00\\x1b[2J\\u202e"),
            ("men\r\nwomen", "men\nwomen"),
            ("\ud800", "\\ud800"),
            ('a "quoted", one;\nand more', 'a "quoted", one;\nand more'),
            ("مرد 男", "مرد 男"),
            ("x" * 200_000, "x" * 200_000),
        ],
    )
    def test_show_any_text_whole_and_harmless(self, tmp_path, text, cell):
        store = make_store(tmp_path, [line(text)])
        csv.field_size_limit(10**6)
        try:
            found = sheets(store, tmp_path / "out")
        finally:
            csv.field_size_limit(131_072)
        assert [rows[0]["text"] for rows in found.values()] == [cell] * 3

    def test_begin_so_that_spreadsheets_know_their_encoding(self, store, tmp_path):
        sheets(store, tmp_path / "out", n=1)
        assert (tmp_path / "out" / "annotator-1.csv").read_bytes().startswith(b"\xef\xbb\xbf")

    @given(st.text())
    def test_cells_never_begin_a_formula(self, text):
        assert not inert(text).startswith(("=", "+", "-", "@", "\t", "\r"))

    @given(st.from_regex(r"\A[=+\-@a-z][a-z=+\-@ ]*[a-z]\Z"))
    def test_short_cells_are_read_back_as_they_were_meant(self, text):
        assert as_meant(inert(text)) == text.strip()


class TestTheSheetToReconcile:
    def test_has_target_factors_verdicts_and_empty_columns(self, tmp_path):
        store = make_store(
            tmp_path,
            answers("kitchen", 2, value="men"),
            answers("mall", 1, valid=False, value=None),
            answers("bar", 1),
        )
        rows = sheets(store, tmp_path / "out")["reconcile.csv"]
        assert Counter((row["space"], row["judge j"]) for row in rows) == {
            ("kitchen", "men"): 2,
            ("mall", "invalid"): 1,
            ("bar", ""): 1,
        }
        for row in rows:
            assert row["target"] == "m"
            assert (row["prompt"], row["temperature"], row["simulated"]) == ("1", "1", "false")
            assert [row[name] for name in ("annotator-1", "annotator-2", "label")] == [""] * 3
            assert row["annotator"] == "reconciled"

    def test_says_which_answers_are_simulated(self, tmp_path):
        store = make_store(tmp_path, [line("Men", simulated=True)])
        (row,) = sheets(store, tmp_path / "out")["reconcile.csv"]
        assert row["simulated"] == "true"

    def test_and_the_blind_ones_are_read_by_validate_once_filled(self, tmp_path):
        store = make_store(tmp_path, answers("kitchen", 6, value="men"))
        found = sheets(store, tmp_path / "out", n=6)
        labels = {"annotator-1.csv": "men", "annotator-2.csv": "women", "reconcile.csv": "men"}
        for name, rows in found.items():
            with (tmp_path / "out" / name).open("w", encoding="utf-8-sig", newline="") as file:
                out = csv.DictWriter(file, list(rows[0]), delimiter=";")
                out.writeheader()
                out.writerows({**row, "label": labels[name]} for row in rows)
        connection = open_reader(store)
        paths = [tmp_path / "out" / name for name in found]
        report = validate(connection, read_labels(paths), resamples=50)
        connection.close()
        assert (report.taken, report.problems) == (18, ())
        first = report.tasks[0].parts[0].comparisons[0]
        assert (first.first, first.second, first.n, first.figures.accuracy.value) == (
            "people",
            "j",
            6,
            1.0,
        )


class TestFiles:
    def test_are_never_overwritten_unasked(self, store, tmp_path):
        sheets(store, tmp_path / "out", n=2)
        before = (tmp_path / "out" / "annotator-1.csv").read_bytes()
        with pytest.raises(UsageError, match="already, and they may hold labels"):
            sheets(store, tmp_path / "out", n=5)
        assert (tmp_path / "out" / "annotator-1.csv").read_bytes() == before
        found = sheets(store, tmp_path / "out", n=5, force=True)
        assert len(found["annotator-1.csv"]) == 5

    def test_leave_nothing_behind_where_they_cannot_be_written(self, store, tmp_path):
        (tmp_path / "file").write_text("")
        with pytest.raises(UsageError, match="is no folder"):
            sheets(store, tmp_path / "file")
        with pytest.raises(AuditorError, match="cannot be written"):
            sheets(store, tmp_path / "file" / "out")

    def test_are_never_left_half_written(self, store, tmp_path):
        """One of the names is a folder: what has no name of its own yet is taken away again."""
        out = tmp_path / "out"
        (out / "annotator-2.csv" / "x").mkdir(parents=True)
        with pytest.raises(AuditorError, match="cannot be written"):
            sheets(store, out, force=True)
        assert not [path.name for path in out.iterdir() if "partial" in path.name]
