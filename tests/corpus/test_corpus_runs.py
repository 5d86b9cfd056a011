"""Files counted into a store: once each, stoppable, told by name where something is wrong."""

from __future__ import annotations

import gzip
import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
import zstandard

import rubrics
from auditor.cli.app import run
from auditor.corpus.counting import PartCounter, PartCounts
from auditor.corpus.lists import MATERIALS, corpus_words
from auditor.corpus.parts import Part, corpus_file
from auditor.corpus.quotas import Quotas
from auditor.corpus.report import CorpusReport
from auditor.corpus.workers import Workers
from auditor.errors import UsageError
from auditor.importing.run import import_run
from auditor.store.progress import snapshot
from auditor.store.reading import open_reader
from auditor.store.results import ResultRow, is_current, read_statistics
from auditor.store.verification import verify
from tests.corpus_builders import counts, json_lines, made_up, plainly, take

KITCHEN = "She and her mother are in the kitchen. He is out with a boy."
"""Of women 1 sentence and 3 words, of men 0 and 2."""
BOTH = "A man waits in the kitchen. A woman sits in the gym."
MALL = "He likes the mall."

TEXTS = made_up(24, seed=2)


def spaces() -> list[str]:
    return [line.split(",")[0] for line in rubrics.read("spatial/spaces.csv").splitlines()[1:]]


def statistics(store: Path) -> list[ResultRow]:
    connection = open_reader(store)
    try:
        assert is_current(connection)
        assert not any(problems for _, problems in verify(connection))
        return read_statistics(connection)
    finally:
        connection.close()


def state(store: Path) -> str:
    connection = open_reader(store)
    try:
        return snapshot(connection).state
    finally:
        connection.close()


def done(report: CorpusReport) -> tuple[int, int, int]:
    return report.counted, report.known, report.exit_code


def test_a_corpus_gives_its_statistics(tmp_path: Path) -> None:
    report = take(json_lines(tmp_path / "a.jsonl", [KITCHEN, BOTH, BOTH, MALL]))
    assert done(report) == (1, 0, 0)
    rows = statistics(tmp_path / "c.db")
    assert {(row.protocol, row.target, row.simulated) for row in rows} == {
        ("spatial.corpus", "c", False)
    }
    assert len(rows) == 2 * 2 * 62
    found = {
        (row.statistic, row.group["space"], row.group["gender"]): (row.value, row.n)
        for row in rows
        if row.n
    }
    # Kitchen: C 1 and 2, T 5 and 4, so R 1/5 and 1/2.
    assert found["cooccurrence_rate", "kitchen", "women"] == (pytest.approx(1 / 5), 3)
    assert found["cooccurrence_rate", "kitchen", "men"] == (pytest.approx(1 / 2), 3)
    assert found["nsgc", "kitchen", "women"] == (pytest.approx(2 / 7), 3)
    assert found["nsgc", "kitchen", "men"] == (pytest.approx(5 / 7), 3)
    assert found["nsgc", "gym", "women"] == (1.0, 2)
    assert found["nsgc", "mall", "men"] == (None, 1)
    (row,) = (
        r for r in rows if r.statistic == "nsgc" and r.group == {"space": "attic", "gender": "men"}
    )
    assert (row.value, row.n, row.note) == (None, 0, "no document holds the place")


def test_all_kinds_of_files_hold_the_same(tmp_path: Path) -> None:
    texts = [" ".join(text.split()) for text in TEXTS]
    plain = json_lines(tmp_path / "a.jsonl", texts)
    (tmp_path / "b.txt").write_text("\n\n".join(texts))
    (tmp_path / "c.jsonl.zst").write_bytes(zstandard.compress(plain.read_bytes()))
    json_lines(tmp_path / "d.json.gz", texts)
    table = pyarrow.table({"n": range(len(texts)), "text": texts})
    pyarrow.parquet.write_table(table, tmp_path / "e.parquet")
    report = take([plain, *sorted(tmp_path.glob("[b-e].*"))])
    assert done(report) == (5, 0, 0)
    expected = plainly(texts, spaces())
    assert counts(report) == {
        space: tuple(5 * each for each in sums) for space, sums in expected.items()
    }


def test_a_file_without_a_document_is_named_each_time(tmp_path: Path) -> None:
    (tmp_path / "none.json.gz").touch()
    for counted in (1, 0):
        said: list[str] = []
        report = take(tmp_path / "none.json.gz", say=said.append)
        assert (report.counted, report.exit_code) == (counted, 0)
        assert said == ["none.json.gz: holds no document"]


def test_a_file_that_was_counted_adds_nothing_and_one_that_changed_takes_its_place(
    tmp_path: Path,
) -> None:
    first = json_lines(tmp_path / "a.jsonl", [KITCHEN, BOTH])
    second = json_lines(tmp_path / "b.jsonl", [MALL])
    before = counts(take([first, second]))
    assert before == {"kitchen": (2, 1, 4, 1, 3), "gym": (1, 1, 1, 0, 1), "mall": (1, 0, 0, 1, 1)}
    os.utime(first, ns=(1, 1))
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(second.read_bytes())
    said: list[str] = []
    again = take([first, second, copy, first], say=said.append)
    assert (done(again), counts(again)) == ((0, 3, 0), before)
    assert said == ["copy.jsonl: the same content as b.jsonl, which is counted"]
    json_lines(first, [MALL, KITCHEN])
    # What lay at one place lies at another, and something else in its stead.
    second.rename(tmp_path / "moved.jsonl")
    json_lines(second, [KITCHEN])
    changed = take([second, tmp_path / "moved.jsonl", first])
    assert done(changed) == (3, 0, 0)
    assert counts(changed) == {"kitchen": (2, 2, 6, 0, 4), "mall": (2, 0, 0, 2, 2)}
    statistics(tmp_path / "c.db")


def test_lines_and_files_that_break_off_are_named_and_end_nothing(tmp_path: Path) -> None:
    bad = tmp_path / "a.jsonl"
    bad.write_text(json.dumps({"text": MALL}) + "\nno JSON\n" + json.dumps({"body": MALL}))
    whole = gzip.compress(b"".join(json.dumps({"text": t}).encode() + b"\n" for t in TEXTS * 3))
    cut = tmp_path / "b.jsonl.gz"
    cut.write_bytes(whole[:-400])
    torn = tmp_path / "c.parquet"
    torn.write_bytes(b"PAR1 and no more")
    other = tmp_path / "d.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"body": [MALL]}), other)
    said: list[str] = []
    report = take([bad, cut, torn, other], say=said.append)
    assert done(report) == (4, 0, 1)
    assert [(r.file, r.line, r.reason) for r in report.rejections] == [
        ("a.jsonl", 2, "not JSON: Expecting value at column 1"),
        ("a.jsonl", 3, "no field 'text'"),
    ]
    reasons = dict(report.problems)
    assert reasons["b.jsonl.gz"].startswith("truncated gzip, after line ")
    assert reasons["c.parquet"].startswith("damaged parquet (")
    assert reasons["d.parquet"] == "no column 'text'; it has body (see --field)"
    read = int(reasons["b.jsonl.gz"].rpartition(" ")[2])
    assert 10 < read < 3 * len(TEXTS)
    assert counts(report) == plainly([MALL, *(TEXTS * 3)[:read]], spaces())
    assert len(said) == 5
    cut.write_bytes(whole)
    mended = take([bad, cut, torn])
    assert done(mended) == (1, 2, 1)
    assert mended.rejections == report.rejections
    assert mended.problems == [("c.parquet", reasons["c.parquet"])]
    assert counts(mended) == plainly([MALL, *TEXTS * 3], spaces())


def test_twenty_lines_without_a_document_are_said_and_the_others_counted_by_file(
    tmp_path: Path,
) -> None:
    files = [tmp_path / "a.jsonl", tmp_path / "b.jsonl", tmp_path / "c.jsonl"]
    for file, broken in zip(files, (15, 30, 1), strict=True):
        file.write_text(json.dumps({"text": MALL}) + "\nno JSON" * broken)
    said: list[str] = []
    report = take(files, say=said.append)
    assert report.rejected == len(report.rejections) == 46
    assert [sentence.split(":")[1] for sentence in said[:20]] == [
        *(str(line) for line in range(2, 17)),
        *(str(line) for line in range(2, 7)),
    ]
    assert said[20:] == [
        "b.jsonl: 25 more lines hold no document",
        "c.jsonl: 1 more line holds no document",
    ]


def test_the_first_documents_of_each_space_are_taken(tmp_path: Path) -> None:
    files = [json_lines(tmp_path / f"{n}.jsonl", TEXTS[6 * n : 6 * n + 6]) for n in range(4)]
    expected = plainly(TEXTS, spaces(), most=7)
    assert expected != plainly(TEXTS, spaces())
    take(files[:2], per_space=7)
    report = take(files, per_space=7)
    assert counts(report) == expected
    assert report.standing is not None
    assert report.standing.per_space == 7
    with pytest.raises(UsageError, match="which was counted with --per-space 7"):
        take(files)
    note = {row.note for row in statistics(tmp_path / "c.db") if row.value}
    assert all("the first 7 documents of each space" in each for each in note)


def test_what_was_taken_holds_while_no_more_and_no_less_is_left() -> None:
    quotas = Quotas(["gym", "mall"], 5, {"gym": 3})
    then = quotas.left(instead_of={})
    assert then == [2, 5]
    assert quotas.hold({"gym": 2, "mall": 1}, then, [2, 4])
    assert quotas.hold({"gym": 1}, then, [3, 5])
    assert not quotas.hold({"gym": 2}, then, [1, 5])
    assert not quotas.hold({"gym": 2}, then, [3, 5])
    quotas.take({"mall": 1}, instead_of={"gym": 2})
    assert quotas.left(instead_of={}) == [4, 4]
    assert quotas.left({"gym": 9}, instead_of={"mall": 1}) == [0, 5]


def test_what_was_counted_before_a_stop_stays_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = tmp_path / "a.jsonl"
    first.write_text("no JSON\n" + json.dumps({"text": KITCHEN}))
    second = json_lines(tmp_path / "b.jsonl", [MALL] * 3000)
    pressed, count = threading.Event(), PartCounter.count

    def press(_: str) -> None:
        signal.raise_signal(signal.SIGINT)
        pressed.set()

    def count_in_turn(counter: PartCounter, part: Part, *given: Any) -> PartCounts:
        # The thread that counts is not through with the second file before Ctrl-C is pressed.
        while part.path == second and not (pressed.is_set() or counter._is_stopped()):
            time.sleep(0.001)
        return count(counter, part, *given)

    monkeypatch.setattr(PartCounter, "count", count_in_turn)
    with pytest.raises(KeyboardInterrupt):
        take([first, second], say=press)
    stopped = state(tmp_path / "c.db")
    report = take([first, second])
    assert (stopped, state(tmp_path / "c.db")) == ("interrupted", "complete")
    assert done(report) == (1, 1, 1)
    assert counts(report) == {"kitchen": (1, 1, 3, 0, 2), "mall": (3000, 0, 0, 3000, 3000)}


async def test_a_process_counts_what_a_thread_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The process would load the module that was started here, which is the test runner.
    monkeypatch.setattr(sys.modules["__main__"], "__spec__", None)
    monkeypatch.delattr(sys.modules["__main__"], "__file__", raising=False)
    (part,) = corpus_file(json_lines(tmp_path / "a.jsonl", TEXTS)).parts
    words = corpus_words({path: rubrics.read(path) for path in MATERIALS})
    found = []
    for processes in (1, 2):
        workers = Workers(words, processes)
        try:
            counted = await workers.count(part, "text", None)
            assert await workers.digest(part) == counted.digest
            assert workers.bytes_read == part.stop
        finally:
            workers.close()
        found.append(counted)
    assert found[0] == found[1]
    assert found[0].documents == len(TEXTS)


def test_the_command_tells_what_it_did(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = json_lines(tmp_path / "news.json.gz", [KITCHEN, BOTH], field="body")
    assert run(["corpus", str(file), "--field", "body", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["corpus"], found["store"]) == ("news", str(tmp_path / "news.db"))
    assert [each["space"] for each in found["top"]["women"]] == ["gym", "kitchen"]
    assert run(["corpus", "--store", str(tmp_path / "news.db")]) == 0
    shown = capsys.readouterr()
    assert "most women" in shown.out
    assert "2 documents of 1 file" in shown.err
    assert run(["corpus", str(file), "--store", str(tmp_path / "news.db")]) == 1
    assert "news.json.gz:1: no field 'text'" in capsys.readouterr().err


def test_a_corpus_store_may_hold_a_run_later(tmp_path: Path) -> None:
    take(json_lines(tmp_path / "a.jsonl", [KITCHEN]))
    run_of_it = import_run(tmp_path / "c.db", None, tmp_path / "answers.jsonl")
    assert (run_of_it.name, run_of_it.is_stored, run_of_it.spec) == ("c", True, None)
    assert list(run_of_it.spec_of(["stories"]).protocols) == ["stories"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "no file to count"),
        (["none.jsonl"], "no such file"),
        (["a.jsonl", "--name", " a"], "a name that can be shown"),
    ],
)
def test_mistakes_are_told(
    tmp_path: Path,
    arguments: list[str],
    said: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    json_lines(tmp_path / "a.jsonl", [KITCHEN])
    assert run(["corpus", *arguments]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "a.db").exists()
