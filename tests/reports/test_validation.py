"""Judges held against labels of people: what is read, what is compared, what is left out."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from rich.console import Console

from auditor.errors import UsageError
from auditor.live.glyphs import ASCII, UNICODE
from auditor.protocols.base import Task
from auditor.reports.agreement_figures import Kind
from auditor.reports.comparing import Draws, compare
from auditor.reports.labels import read_labels
from auditor.reports.scales import Scale
from auditor.reports.validation_report import PartValidation, TaskValidation, ValidationReport
from auditor.reports.validation_view import ValidationTable
from auditor.store.reading import open_reader
from tests.import_builders import LEFT_OUT, line, take
from tests.label_builders import AGAINST_PEOPLE, comparison, only_part, report, write_csv

SPACES = ("kitchen", "garage", "mall", "bar", "cinema")


def at(number: int) -> dict[str, object]:
    """The place of the n-th answer: a space and a repetition."""
    return {"factors": {"space": SPACES[number % 5]}, "repetition": number // 5}


def judged(number: int, value: object, judge: str = "j") -> dict[str, object]:
    body = {"task": "choice", "judge": judge}
    body |= {"valid": False, "reason": "two"} if value is None else {"value": value}
    return line(LEFT_OUT, annotation=body, **at(number))


def make_store(folder: Path, *judges: list[object], texts: int | None = None, **changes) -> Path:
    """A store of answers, and what each judge ("j", "k", ...) says of them; None is invalid."""
    most = max([texts or 0, *map(len, judges)])
    lines = [line("Men", **at(number), **changes) for number in range(most)]
    for name, said in zip("jkl", judges, strict=False):
        lines += [
            {**judged(number, value, name), **changes}
            for number, value in enumerate(said)
            if value != "unjudged"
        ]
    assert take(folder, lines, judge=False).rejected == 0
    return folder / "a.db"


def keys(store: Path) -> list[str]:
    """Keys of the answers, by their numbers."""
    connection = open_reader(store)
    rows = connection.execute(
        "SELECT json_extract(c.factors, '$.space'), t.repetition, lower(hex(t.key))"
        " FROM trials t JOIN cells c ON c.id = t.cell_id"
    ).fetchall()
    connection.close()
    return [key for *_, key in sorted(rows, key=lambda row: (row[1], SPACES.index(row[0])))]


def by_key(store: Path, **annotators: list[object]) -> Path:
    """A label file with what each annotator says of the n-th answer; None is not labelled."""
    rows = [
        {"trial": key, "task": "choice", "label": label, "annotator": name}
        for name, labels in annotators.items()
        for key, label in zip(keys(store), labels, strict=False)
        if label is not None
    ]
    return write_csv(store.with_name("labels.csv"), rows)


class TestAJudgeAgainstPeople:
    @pytest.fixture
    def found(self, tmp_path):
        store = make_store(tmp_path, ["men", "men", "women", None, "women", "unjudged"])
        return report(store, by_key(store, me=["men", "men", "women", "women", "men", "men"]))

    def test_every_class_is_counted_and_invalid_is_one(self, found):
        assert comparison(found, AGAINST_PEOPLE).confusion.as_json() == {
            "men": {"men": 2, "women": 1},
            "women": {"invalid": 1, "women": 1},
        }

    def test_accuracy_counts_what_is_invalid_as_wrong(self, found):
        accuracy = comparison(found, AGAINST_PEOPLE).figures.accuracy
        assert (accuracy.value, accuracy.n) == (3 / 5, 5)

    def test_what_was_not_judged_is_left_out_and_counted(self, found):
        one = comparison(found, AGAINST_PEOPLE)
        assert (one.n, one.excluded) == (5, {"not judged": 1})

    def test_precision_and_recall_take_people_as_right(self, found):
        confusion = comparison(found, AGAINST_PEOPLE).confusion
        assert confusion.recall("men").value == 2 / 3
        assert confusion.precision("men").value == 1
        assert confusion.precision("women").value == 1 / 2

    def test_kappa_is_that_of_the_table(self, found):
        # Chance: men 3/5 * 2/5, women 2/5 * 2/5, invalid 0: 10/25. (15 - 10) / (25 - 10).
        assert comparison(found, AGAINST_PEOPLE).figures.kappa.value == pytest.approx(5 / 15)

    def test_intervals_are_there_and_the_same_each_time(self, found, tmp_path):
        again = report(tmp_path / "a.db", tmp_path / "labels.csv")
        assert again.as_json() == found.as_json()
        pi = comparison(found, AGAINST_PEOPLE).figures.pi
        assert pi.ci_low <= pi.value <= pi.ci_high

    def test_the_report_says_what_it_rests_on(self, found):
        shown = found.as_json()
        (task,) = shown["tasks"]
        assert (shown["taken"], shown["rejected"], shown["simulated"]) == (6, 0, False)
        assert (task["protocol"], task["task"], task["items"]) == ("spatial.explicit", "choice", 6)
        assert task["annotators"] == {"me": 6}


class TestPeopleAsOne:
    def test_more_than_half_of_the_annotators_speak_for_people(self, tmp_path):
        store = make_store(tmp_path, ["men", "men", "men"])
        labels = by_key(
            store, a=["men", "women", "men"], b=["men", "women", "women"], c=["women", None, None]
        )
        one = comparison(report(store, labels), AGAINST_PEOPLE)
        assert one.confusion.as_json() == {"men": {"men": 1}, "women": {"men": 1}}
        assert one.excluded == {"no majority": 1}

    def test_a_reconciled_label_stands_above_the_others(self, tmp_path):
        store = make_store(tmp_path, ["men", "men"])
        labels = by_key(
            store, a=["men", "women"], b=["women", "women"], reconciled=["neither", None]
        )
        found = report(store, labels)
        assert comparison(found, AGAINST_PEOPLE).confusion.as_json() == {
            "neither": {"men": 1},
            "women": {"men": 1},
        }
        assert only_part(found).reconciled == 1

    def test_reconciled_labels_are_nobodys_own(self, tmp_path):
        store = make_store(tmp_path, ["men", "men"])
        found = report(store, by_key(store, a=["men", "men"], reconciled=["men", "men"]))
        assert found.tasks[0].annotators == {"a": 2}
        assert {each.kind for each in only_part(found).comparisons} == {AGAINST_PEOPLE}

    def test_annotators_are_compared_over_what_both_labelled(self, tmp_path):
        store = make_store(tmp_path, texts=4)
        labels = by_key(store, a=["men", "men", "women", None], b=["men", "women", None, "men"])
        one = comparison(report(store, labels), "annotator against annotator", "a", "b")
        assert (one.n, one.figures.accuracy.value) == (2, 1 / 2)
        assert one.excluded == {"labelled by one of them": 2}

    def test_alpha_of_all_annotators_is_krippendorffs_example(self, tmp_path):
        """Krippendorff (2011), section C, with his values 1 to 5 as our labels."""
        rows = {
            "a": "1 2 3 3 2 1 4 1 2 . . .",
            "b": "1 2 3 3 2 2 4 1 2 5 . 3",
            "c": ". 3 3 3 2 3 4 2 2 5 1 .",
            "d": "1 2 3 3 2 4 4 1 2 5 1 .",
        }
        names = dict(zip("12345", ["men", "women", "neither", "refusal", "invalid"], strict=True))
        store = make_store(tmp_path, texts=12)
        labels = by_key(
            store, **{k: [names.get(v) for v in row.split()] for k, row in rows.items()}
        )
        alpha = only_part(report(store, labels)).annotators_alpha
        assert (alpha.value, alpha.n) == (pytest.approx(0.743, abs=5e-4), 11)

    def test_judges_are_held_against_each_of_several_annotators(self, tmp_path):
        store = make_store(tmp_path, ["men", "women"])
        found = report(store, by_key(store, a=["men", "women"], b=["men", "men"]))
        kind = "judge against annotator"
        assert comparison(found, kind, "a").figures.accuracy.value == 1
        assert comparison(found, kind, "b").figures.accuracy.value == 1 / 2


class TestJudgesAgainstEachOther:
    def test_they_are_compared_over_all_answers_not_only_labelled_ones(self, tmp_path):
        first = ["men", "women", "men", None, "men", "unjudged"]
        second = ["men", "women", "women", "men", "unjudged", "men"]
        store = make_store(tmp_path, first, second)
        one = comparison(report(store, by_key(store, me=["men"])), "judge against judge", "j", "k")
        assert one.confusion.as_json() == {
            "invalid": {"men": 1},
            "men": {"men": 1, "women": 1},
            "women": {"women": 1},
        }

    def test_precision_needs_a_reference(self, tmp_path):
        store = make_store(tmp_path, ["men"], ["men"])
        one = comparison(report(store, by_key(store, me=["men"])), "judge against judge")
        assert "classes" not in one.as_json()
        assert one.as_json()["table"] == {"men": {"men": 1}}

    def test_without_any_judge_people_are_still_compared(self, tmp_path):
        store = make_store(tmp_path, texts=2)
        found = report(store, by_key(store, a=["men", "men"], b=["men", "women"]))
        assert [each.kind for each in only_part(found).comparisons] == [
            "annotator against annotator"
        ]


class TestTasksThatReadAnother:
    """Names by two judges, and their genders by one judge that reads both."""

    @pytest.fixture
    def store(self, tmp_path):
        lines = []
        for repetition in range(3):
            place = {
                "protocol": "stories",
                "factors": {"occupation": "accountant"},
                "repetition": repetition,
            }
            lines.append(line("Kim Lee, an accountant, ...", **place))
            for judge, name, gender in (("j", "Kim", "neutral"), ("k", None, "unknown")):
                said = {"task": "name", "judge": judge, "value": name}
                read = {"task": "gender", "judge": "g", "source": f"name/{judge}", "value": gender}
                lines += [line(LEFT_OUT, annotation=body, **place) for body in (said, read)]
        assert take(tmp_path, lines, judge=False).rejected == 0
        return tmp_path / "a.db"

    def label(self, store, task, *labels):
        path = store.with_name("labels.csv")
        rows = [
            {
                "target": "m",
                "occupation": "accountant",
                "repetition": n,
                "task": task,
                "label": said,
            }
            for n, said in enumerate(labels)
        ]
        return write_csv(path, rows)

    def test_are_told_apart_by_what_their_judge_reads(self, store):
        found = report(store, self.label(store, "gender", "neutral", "neutral", "female"))
        assert comparison(found, AGAINST_PEOPLE, second="g on j").figures.accuracy.value == 2 / 3
        assert comparison(found, AGAINST_PEOPLE, second="g on k").figures.accuracy.value == 0
        one = comparison(found, "judge against judge")
        assert one.confusion.as_json() == {"neutral": {"unknown": 3}}

    def test_null_is_a_class_and_not_a_text(self, store):
        found = report(store, self.label(store, "name", "kim", "null", "Kim  Lee"))
        assert comparison(found, AGAINST_PEOPLE, second="k").confusion.as_json() == {
            '"kim"': {"null": 1},
            '"kim lee"': {"null": 1},
            "null": {"null": 1},
        }
        assert comparison(found, AGAINST_PEOPLE, second="j").confusion.agreeing == 1


def test_simulated_answers_mark_every_figure(tmp_path):
    store = make_store(tmp_path, ["men", "men"], simulated=True)
    found = report(store, by_key(store, me=["men", "women"]))
    assert found.as_json()["simulated"] is True
    assert comparison(found, AGAINST_PEOPLE).simulated is True


class TestWaysToNameATrial:
    @pytest.fixture
    def store(self, tmp_path):
        return make_store(tmp_path, ["men", "women", "men", "men", "men", "neither"])

    def taken(self, store, text: str, **settings) -> dict[str, dict[str, int]]:
        labels = store.with_name("labels.csv")
        labels.write_bytes(text if isinstance(text, bytes) else text.encode())
        found = report(store, labels, **settings)
        assert found.problems == ()
        return comparison(found, AGAINST_PEOPLE).confusion.as_json()

    def test_target_factors_and_repetition(self, store):
        rows = (
            "target,space,repetition,task,label\nm,garage,0,choice,women\nm,kitchen,1,choice,men\n"
        )
        assert self.taken(store, rows) == {"men": {"neither": 1}, "women": {"women": 1}}

    def test_factors_with_a_default_and_aliases_may_be_spelt_as_at_import(self, store):
        rows = (
            "target,space,prompt,temperature,repetition,task,label\n"
            "m,shopping mall,1,1.0,0,choice,men\n"
            "m,bar,,1,0,choice,men\n"
        )
        assert self.taken(store, rows) == {"men": {"men": 2}}

    def test_a_factor_may_be_marked_as_one(self, store):
        rows = "target,factors.space,space,repetition,task,label\nm,garage,x,0,choice,women\n"
        assert self.taken(store, rows) == {"women": {"women": 1}}

    def test_semicolons_come_with_decimal_commas(self, store):
        rows = "target;space;temperature;repetition;task;label\nm;garage;1,0;0;choice;women\n"
        assert self.taken(store, rows) == {"women": {"women": 1}}

    @pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
    @pytest.mark.parametrize("ending", ["\r\n", "\n", "\r"])
    def test_what_spreadsheets_make_of_it(self, store, encoding, ending):
        text = (
            f'Trial,TASK,Label,note{ending}"{keys(store)[1]}",choice," Women ","a ""b"", c"{ending}'
        )
        assert self.taken(store, text.encode(encoding)) == {"women": {"women": 1}}

    def test_tabs_part_cells_too(self, store):
        assert self.taken(store, f"trial\ttask\tlabel\n{keys(store)[0]}\tchoice\tmen\n") == {
            "men": {"men": 1}
        }

    def test_other_columns_mean_nothing(self, store):
        rows = f"trial,text,label,task,space\n{keys(store)[0]},=1+1,men,choice,moon\n"
        assert self.taken(store, rows) == {"men": {"men": 1}}

    def test_a_task_may_be_named_for_all_lines(self, store):
        rows = f"trial,label\n{keys(store)[0]},men\n"
        assert self.taken(store, rows, task="choice") == {"men": {"men": 1}}

    def test_cells_larger_than_the_csv_modules_limit_are_read(self, store):
        before = csv.field_size_limit()
        rows = f'trial,text,label,task\n{keys(store)[0]},"{"x" * 2 * before}",men,choice\n'
        assert self.taken(store, rows) == {"men": {"men": 1}}
        assert csv.field_size_limit() == before

    def test_several_files_are_several_annotators(self, store):
        paths = []
        for name, label in (("ann", "men"), ("bob", "women")):
            path = store.with_name(f"{name}.csv")
            path.write_text(f"trial,task,label\n{keys(store)[0]},choice,{label}\n")
            paths.append(path)
        found = report(store, paths)
        assert found.tasks[0].annotators == {"ann": 1, "bob": 1}


class TestLinesThatCannotBeTaken:
    @pytest.fixture
    def store(self, tmp_path):
        return make_store(tmp_path, ["men", "women"])

    def problems(self, store, header: str, *lines: str, **settings):
        labels = store.with_name("labels.csv")
        labels.write_text("\n".join([header, *lines]) + "\n")
        found = report(store, labels, **settings)
        assert found.exit_code == (1 if found.problems else 0)
        return found

    @pytest.mark.parametrize(
        ("header", "bad", "field", "said", "allowed"),
        [
            ("trial,task,label", f"{'0' * 32},choice,men", "trial", "not in this store", "trial"),
            ("trial,task,label", "abc,choice,men", "trial", '"abc"', "32 digits 0-9 a-f"),
            ("trial,task,label", "KEY,choice,man", "label", '"man"', '"men", "women"'),
            ("trial,task,label", "KEY,choice,1", "label", '"1"', '"invalid"'),
            ("trial,task,label", "KEY,choise,men", "task", '"choise"', "choice"),
            ("trial,task,label", "KEY,,men", "task", "missing", "choice"),
            ("trial,task,label", ",choice,men", "trial", "missing", "target"),
            ("trial,task,label", "KEY,choice,men,more", "line", "4 cells", "3, as in the first"),
            ("trial,task,label,annotator", "KEY,choice,men,\x1b[2J", "annotator", "\\x1b", "shown"),
            ("target,space,repetition,task,label", "n,bar,0,choice,men", "target", '"n"', "m"),
            ("target,space,repetition,task,label", "m,moon,0,choice,men", "space", '"moon"', "bus"),
            ("target,space,repetition,task,label", "m,,0,choice,men", "space", "missing", "bus"),
            (
                "target,space,repetition,task,label",
                "m,bar,0,choice,men",
                "trial",
                "not in this store",
                "target, factors and repetition",
            ),
            (
                "target,space,repetition,task,label",
                "m,kitchen,9,choice,men",
                "trial",
                "not in this store",
                "target, factors and repetition",
            ),
            (
                "target,space,repetition,task,label",
                "m,kitchen,x,choice,men",
                "repetition",
                '"x"',
                "a whole number from 0",
            ),
            (
                "target,space,repetition,task,label,protocol",
                "m,kitchen,0,choice,men,stories",
                "protocol",
                '"stories" is not in this store',
                "spatial.explicit",
            ),
            (
                "target,space,temperature,repetition,task,label",
                "m,kitchen,hot,0,choice,men",
                "temperature",
                '"hot"',
                "a number",
            ),
        ],
    )
    def test_is_listed_with_line_value_and_what_is_allowed(
        self, store, header, bad, field, said, allowed
    ):
        (problem,) = self.problems(store, header, bad.replace("KEY", keys(store)[0])).problems
        assert (problem.field, problem.line) == (field, 2)
        assert said in problem.said
        assert allowed in problem.allowed
        assert problem.message.isprintable()

    def test_a_bad_line_keeps_no_good_one_out(self, store):
        good, other = keys(store)
        found = self.problems(
            store, "trial,task,label", f"{good},choice,men", "x,choice,men", f"{other},choice,women"
        )
        assert (found.taken, len(found.problems)) == (2, 1)
        assert found.problems[0].line == 3
        assert comparison(found, AGAINST_PEOPLE).n == 2

    def test_lines_are_numbered_as_in_the_file(self, store):
        found = self.problems(
            store,
            "trial,note,task,label",
            "",
            f'{keys(store)[0]},"a\nb",choice,men',
            "x,,choice,men",
        )
        assert [problem.line for problem in found.problems] == [5]

    def test_a_second_label_of_one_annotator_must_be_the_same(self, store):
        key = keys(store)[0]
        rows = [f"{key},choice,men,a", f"{key},choice,Men,a", f"{key},choice,women,a"]
        found = self.problems(store, "trial,task,label,annotator", *rows)
        assert (found.taken, found.repeated) == (1, 1)
        assert "differs from" in found.problems[0].said
        assert found.problems[0].said.endswith("labels.csv:2")

    def test_lines_without_a_label_are_counted(self, store):
        first, second = keys(store)
        found = self.problems(store, "trial,task,label", f"{first},choice,men", f"{second},choice,")
        assert (found.taken, found.blank, found.problems) == (1, 1, ())

    def test_lines_of_other_tasks_are_counted_where_one_is_asked_for(self, store):
        rows = [f"{keys(store)[0]},choice,men", f"{keys(store)[0]},else,men"]
        found = self.problems(store, "trial,task,label", *rows, task="choice")
        assert (found.taken, found.other_tasks, found.problems) == (1, 1, ())


class TestFilesThatAreNone:
    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"", "labels.csv is empty"),
            (b"trial,task\n", "labels.csv:1: no column `label`"),
            (b"trial,label\n", "labels.csv:1: no column task"),
            (b"label,task\n", "labels.csv:1: no column trial"),
            (b"trial,trial,task,label\n", 'labels.csv:1: column "trial" stands twice'),
            (b"trial,task,label\n", "no label is filled in"),
            (b"trial,task,label\nx,choice,\n", "no label is filled in"),
            (b"trial,task,label\nx,choice,m\xe4n\n", "labels.csv:2: byte 0xe4 is not UTF-8"),
            (b'trial,task,label\nx,choice,"men\n', "labels.csv:2: unexpected end of data"),
            (b'trial,task,label\nx,choice,"men" x\n', "labels.csv:2: ',' expected after '\"'"),
        ],
    )
    def test_are_refused_with_file_and_line(self, tmp_path, content, message):
        path = tmp_path / "labels.csv"
        path.write_bytes(content)
        with pytest.raises(UsageError, match=r"labels\.csv") as caught:
            read_labels([path])
        assert message in str(caught.value)

    def test_a_missing_file_is_refused(self, tmp_path):
        with pytest.raises(UsageError, match="No such file"):
            read_labels([tmp_path / "none.csv"])

    def test_a_task_that_no_protocol_has_is_refused(self, tmp_path):
        store = make_store(tmp_path, ["men"])
        with pytest.raises(UsageError, match="task: value 'choise'; allowed: choice"):
            report(store, by_key(store, me=["men"]), task="choise")


class TestOnATerminal:
    @pytest.fixture
    def found(self, tmp_path):
        store = make_store(
            tmp_path,
            ["men", "men", "women", None, "women"],
            ["men", "women", "women", "men", "men"],
        )
        labels = by_key(
            store,
            anna=["men", "men", "women", "women", "men"],
            bob=["men", "women", "women", "women", "women"],
        )
        return report(store, labels)

    @pytest.mark.parametrize("width", [40, 60, 100, 160])
    def test_no_line_is_wider_than_the_terminal(self, found, width):
        for glyphs in (ASCII, UNICODE):
            lines = ValidationTable(found).lines(width, glyphs)
            assert max(line.cell_len for line in lines) <= width

    def test_narrow_ones_keep_what_matters_most(self, found):
        text = "\n".join(line.plain for line in ValidationTable(found).lines(60, UNICODE))
        words = (
            *("j against people, n = 3", "accuracy", "Cohen's kappa", "Scott's pi"),
            *("Krippendorff's alpha", "people \\ judge", "invalid", "anna / bob", "k / anna"),
            *("j / k", "without a majority of annotators: 2"),
        )
        assert [word for word in words if word not in text] == []

    def test_very_many_classes_give_way_to_what_differs(self):
        pairs = {(f'"name {n}"', f'"name {n}"'): 1 for n in range(12)}
        pairs |= {("null", '"x"'): 2, (None, '"y"'): 1}
        found = compare(
            pairs, kind=Kind.PEOPLE_JUDGE, first="people", second="j", part=None,
            task=Task(name="name", default_judge="j"), excluded={}, simulated=False,
            draws=Draws(seed=1, resamples=50), where="",
        )  # fmt: skip
        text = self.shown(found)
        assert '2  people null, judge "x"' in text
        assert '1  people invalid, judge "y"' in text
        assert "name 7" not in text

    def shown(self, found) -> str:
        part = PartValidation(
            part=None, scale=Scale.TEXTS, reconciled=0, no_majority=0, annotators_alpha=None,
            comparisons=(found,),
        )  # fmt: skip
        task = TaskValidation(
            protocol="p", task="t", items=15, annotators={}, simulated=False, parts=(part,)
        )
        whole = ValidationReport(
            run="r", files=(), taken=15, blank=0, repeated=0, other_tasks=0, problems=(),
            resamples=50, tasks=(task,),
        )  # fmt: skip
        return "\n".join(line.plain for line in ValidationTable(whole).lines(80, UNICODE))

    def test_nothing_that_fits_is_said(self, tmp_path):
        store = make_store(tmp_path, ["men"])
        labels = tmp_path / "labels.csv"
        labels.write_text("trial,task,label\nx,choice,men\n")
        console = Console(width=60, file=io.StringIO())
        console.print(ValidationTable(report(store, labels)))
        assert console.file.getvalue() == "no label fits this store\n"
