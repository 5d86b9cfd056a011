"""What is counted in a document, and how a file is cut and read."""

from __future__ import annotations

import asyncio
import gzip
import json
import math
import zlib
from dataclasses import replace
from pathlib import Path

import pytest
import zstandard

import rubrics
from auditor.corpus import documents, parts, sharing
from auditor.corpus.counting import PartCounter, PartCounts
from auditor.corpus.lists import MATERIALS, WORDS, corpus_words, plural
from auditor.corpus.matching import Matcher, Tally
from auditor.corpus.parts import Kind, Packing, Part, corpus_file
from auditor.corpus.unpacking import BrokenOff, unpacked
from auditor.errors import AuditorError, UsageError
from tests.corpus_builders import MEN, WOMEN, json_lines, made_up, plainly

WORDS_OF_PAPER = corpus_words({path: rubrics.read(path) for path in MATERIALS})
MATCHER = Matcher(WORDS_OF_PAPER)


def counted(*texts: str) -> dict[str, tuple[int, ...]]:
    tally = Tally(WORDS_OF_PAPER)
    for text in texts:
        MATCHER.count(text, tally)
    return {space: (each.documents, *each.sums) for space, each in tally.counts().items()}


def counted_parts(path: Path, part_bytes: int) -> list[PartCounts]:
    counter = PartCounter(WORDS_OF_PAPER)
    parts = corpus_file(path, part_bytes=part_bytes).parts
    return [counter.count(part, "text", None) for part in parts]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("She left the kitchen. He stayed.", {"kitchen": (1, 1, 1, 0, 1)}),
        ("Kitchens! HIS KITCHEN, her kitchen", {"kitchen": (1, 1, 1, 1, 1)}),
        ("There is the kitchenette; sheriffs ate.", {}),
        ("The private car of a man", {"private car": (1, 0, 0, 1, 1)}),
        ("Industrial parks", {"industrial park": (1, 0, 0, 0, 0)}),
        ("industrial\npark, his", {"park": (1, 0, 0, 1, 1)}),
        ("an industrial, park", {"park": (1, 0, 0, 0, 0)}),
        ("He’s at the bus-stop", {"bus stop": (1, 0, 0, 1, 1)}),
        ("“Mother”—café", {"cafe": (1, 1, 1, 0, 0)}),
        ("no libraries for boys, women or men", {"library": (1, 0, 0, 0, 0)}),
        ("gym 3.5 he", {"gym": (1, 0, 0, 1, 1)}),
        ("gym? he", {"gym": (1, 0, 0, 0, 1)}),
        ("gym.\u00a0he", {"gym": (1, 0, 0, 0, 1)}),
        ("gym\the", {"gym": (1, 0, 0, 1, 1)}),
        ("the gym æhe 日he he他", {"gym": (1, 0, 0, 0, 0)}),
        ("gym\ud800he", {"gym": (1, 0, 0, 1, 1)}),
        ("", {}),
    ],
)
def test_whole_words_are_counted_sentence_by_sentence(text: str, expected: dict) -> None:
    assert counted(text) == expected


def test_the_lists_are_those_of_the_paper() -> None:
    assert (list(WORDS_OF_PAPER.women), list(WORDS_OF_PAPER.men)) == (WOMEN, MEN)
    assert len(WORDS_OF_PAPER.spaces) == 62


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("bus stop", "bus stops"),
        ("church", "churches"),
        ("nursery", "nurseries"),
        ("hallway", "hallways"),
        ("bus", "buses"),
    ],
)
def test_plurals_go_by_rule(term: str, expected: str) -> None:
    assert plural(term) == expected


def test_a_form_that_two_lists_have_is_refused() -> None:
    materials = {path: rubrics.read(path) for path in MATERIALS}
    materials[WORDS] = materials[WORDS].replace('"café"', '"bars"')
    with pytest.raises(UsageError, match="'bars' is a form of 'cafe' and of 'bar'"):
        corpus_words(materials)


def test_counts_are_those_of_plain_regular_expressions() -> None:
    texts = made_up(150)
    found = counted(*texts)
    assert len(found) > 15
    assert found == plainly(texts, list(WORDS_OF_PAPER.spaces))


def test_a_byte_order_mark_is_no_part_of_a_line_wherever_files_were_joined(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"text": "he"}\n' * 3)
    for part_bytes in (1000, 20):
        counter = PartCounter(WORDS_OF_PAPER)
        parts_of = corpus_file(path, part_bytes=part_bytes).parts
        counted = [counter.count(part, "text", None) for part in parts_of]
        assert sum(each.documents for each in counted) == 3


@pytest.mark.parametrize("part_bytes", [37, 1000])
def test_parts_of_a_file_hold_what_the_whole_holds(tmp_path: Path, part_bytes: int) -> None:
    texts = [text[:40] for text in made_up(60)]
    file = json_lines(tmp_path / "a.jsonl", texts)
    (whole,) = counted_parts(file, 10**9)
    parts = counted_parts(file, part_bytes)
    assert len(parts) > 3
    assert sum(part.documents for part in parts) == whole.documents == 60
    assert sum(part.lines for part in parts) == whole.lines == 60
    spaces = {
        space: sum(p.counts[space].documents for p in parts if space in p.counts)
        for space in whole.counts
    }
    assert spaces == {space: each.documents for space, each in whole.counts.items()}


class Alone:
    """Counts blocks at once, with as many in hand as several processes would have."""

    processes = 3

    def __init__(self) -> None:
        self.room = asyncio.Semaphore(sharing.blocks_in_hand(self.processes))
        self.read = 0
        self.blocks = 0
        self._counter = PartCounter(WORDS_OF_PAPER)

    def note(self, size: int) -> None:
        self.read += size

    def is_stopped(self) -> bool:
        return False

    async def count_lines(self, part: Part, lines: bytes, field: str) -> PartCounts:
        self.blocks += 1
        return self._counter.count_lines(part, lines, field)


@pytest.mark.parametrize("ending", ["whole", "no newline", "truncated", "damaged"])
async def test_a_packed_file_that_is_shared_holds_what_it_holds_alone(
    tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (documents, sharing):
        monkeypatch.setattr(module, "LONGEST_LINE", 30_000)
    lines = [json.dumps({"text": text}) for text in made_up(60)]
    lines[3], lines[20], lines[21] = "{", "[1]", '{"text": "' + "x" * 40_000 + '"}'
    text = "\n".join(lines) + ("" if ending == "no newline" else "\n")
    packed = gzip.compress(text.encode(), mtime=0)
    if ending == "truncated":
        packed = packed[: len(packed) * 2 // 3]
    elif ending == "damaged":
        packed += b"damage"
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(packed)
    (part,) = corpus_file(path).parts
    counters = Alone()
    shared = await sharing.count_shared(counters, part, "text", block_bytes=2000)
    alone = PartCounter(WORDS_OF_PAPER).count(part, "text", None)
    assert counters.blocks > 3
    assert (alone.problem is None) == (ending in ("whole", "no newline"))
    assert [number for number, _ in alone.rejections] == [4, 21, 22][: alone.rejected]
    assert shared == replace(alone, rejections=list(alone.rejections))
    assert ending == "damaged" or counters.read == len(packed)


async def test_files_that_are_shared_at_a_time_hold_no_more_blocks_than_one(tmp_path: Path) -> None:
    held: list[int] = []

    class Slow(Alone):
        in_hand = 0

        async def count_lines(self, part: Part, lines: bytes, field: str) -> PartCounts:
            self.in_hand += 1
            held.append(self.in_hand)
            for _ in range(20):
                await asyncio.sleep(0)
            self.in_hand -= 1
            return await super().count_lines(part, lines, field)

    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"text": "he"}\n' * 1000))
    (part,) = corpus_file(path).parts
    counters = Slow()
    shared = (sharing.count_shared(counters, part, "text", block_bytes=500) for _ in range(4))
    assert [each.documents for each in await asyncio.gather(*shared)] == [1000] * 4
    assert max(held) <= sharing.blocks_in_hand(counters.processes) == 5


async def test_a_counter_that_fails_ends_a_shared_file(tmp_path: Path) -> None:
    class Failing(Alone):
        async def count_lines(self, part: Part, lines: bytes, field: str) -> PartCounts:
            raise AuditorError("a process has ended")

    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"text": "he"}\n' * 4000))
    (part,) = corpus_file(path).parts
    with pytest.raises(AuditorError, match="a process has ended"):
        await sharing.count_shared(Failing(), part, "text", block_bytes=1000)


def test_large_packed_files_of_lines_are_shared_by_as_many_as_they_keep_busy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "SHARED_BYTES", 100)
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(made_up(30)[0].encode()))
    files = [json_lines(tmp_path / name, made_up(30)) for name in ("a.jsonl", "a.jsonl.gz")]
    plain, packed, text = (corpus_file(each) for each in (*files, tmp_path / "b.txt.gz"))
    assert (plain.is_shared, packed.is_shared, text.is_shared) == (False, True, False)
    assert packed.processes == math.ceil(packed.size / 100)
    assert (plain.processes, text.processes) == (1, 1)


def found_in(path: Path) -> list[object]:
    file = corpus_file(path)
    (part,) = file.parts
    return list(documents.documents(part, [path.read_bytes()], "text"))


def test_a_text_has_blank_lines_between_its_documents(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfone\ntwo\n \n\nthree\xff\n\nfour")
    assert found_in(path) == [
        "one\ntwo",
        documents.Rejected(5, "byte 0xff is not UTF-8"),
        "four",
        documents.End(7, None),
    ]


def test_lines_that_hold_no_document_are_told_with_their_reasons(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    lines = ['{"text": "a"}', "{", "", "[1]", '{"txt": 1}', '{"text": 1}', '{"text": "\\ud800"}']
    path.write_bytes("\n".join(lines).encode() + b"\n\xfe\n" + b'{"text": NaN}')
    found = found_in(path)
    assert [each for each in found if isinstance(each, str)] == ["a", "\ud800"]
    assert [
        (each.number, each.reason) for each in found if isinstance(each, documents.Rejected)
    ] == [
        (2, "not JSON: Expecting property name enclosed in double quotes at column 2"),
        (4, "not a JSON object"),
        (5, "no field 'text'"),
        (6, "field 'text': not a text"),
        (8, "byte 0xfe at place 1 is not UTF-8"),
        (9, "field 'text': not a text"),
    ]


def test_a_line_beyond_all_measure_is_rejected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "LONGEST_LINE", 2**20)
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"text": "' + b"x" * 2**20 + b'"}\n{"text": "b"}\n')
    assert found_in(path) == [
        documents.Rejected(1, "longer than 1 MiB"),
        "b",
        documents.End(2, None),
    ]


@pytest.mark.parametrize("packing", [Packing.GZIP, Packing.ZSTD])
def test_packed_members_are_unpacked_until_one_breaks_off(packing: Packing) -> None:
    pack = gzip.compress if packing is Packing.GZIP else zstandard.ZstdCompressor().compress
    whole = pack(b"one\n") + pack(b"two\n")
    assert b"".join(unpacked([whole[:5], whole[5:]], packing)) == b"one\ntwo\n"
    assert b"".join(unpacked([whole + bytes(8)], packing)) == b"one\ntwo\n"
    read = b""
    with pytest.raises(BrokenOff, match=f"truncated {packing}"):
        for block in unpacked([whole[:-3]], packing):
            read += block
    assert read.startswith(b"one\n")
    with pytest.raises(BrokenOff, match=f"damaged {packing}"):
        list(unpacked([pack(b"one\n") + b"garbage that is no member"], packing))


def test_what_cannot_be_a_corpus_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.db").write_bytes(b"SQLite format 3\x00")
    for path, said in ((tmp_path, "a folder"), (tmp_path / "none", "no such file")):
        with pytest.raises(UsageError, match=said):
            corpus_file(path)
    with pytest.raises(UsageError, match="a database"):
        corpus_file(tmp_path / "a.db")


@pytest.mark.parametrize(
    ("name", "begin", "kind", "packing"),
    [
        ("a.json.gz", zlib.compress(b"{", wbits=31), Kind.JSON, Packing.GZIP),
        ("a.txt.gz", zlib.compress(b"{", wbits=31), Kind.TEXT, Packing.GZIP),
        ("a", b' {"text": ""}', Kind.JSON, Packing.PLAIN),
        ("a", b"Once", Kind.TEXT, Packing.PLAIN),
        ("a.bin", b"PAR1", Kind.PARQUET, Packing.PLAIN),
        ("a.jsonl", b"", Kind.JSON, Packing.PLAIN),
    ],
)
def test_files_are_known_by_name_and_first_bytes(
    tmp_path: Path, name: str, begin: bytes, kind: Kind, packing: Packing
) -> None:
    (tmp_path / name).write_bytes(begin)
    (part,) = corpus_file(tmp_path / name).parts
    assert (part.kind, part.packing) == (kind, packing)
