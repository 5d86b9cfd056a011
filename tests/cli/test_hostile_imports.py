"""Answers, names and lines made to break out: through every command, into every file."""

from __future__ import annotations

import csv
import json
import unicodedata
from xml.etree import ElementTree

import pytest

from tests.cli.driving import auditor, rows

NAMES = (
    "=cmd|' /C calc'!A0",
    '<script>alert(1)</script>" onload="x',
    "'; DROP TABLE responses; --",
    "../../etc/passwd",
    "/abs/olute",
    "CON",
    "[red]x[/red]",
    "-rf",
    "%s{0}${HOME}",
)
ANSWERS = (
    "Men\x00women",
    "Men \ud83d x",
    "\u202eneM",
    "\x1b]52;c;aGk=\x07Men\x1b]8;;http://x\x07l\x9b2J",
    "Women\rMen\x08",
    '=HYPERLINK("http://x","Men")',
    "+1 men",
    "-men",
    "@men",
    "\tmen",
    "<script>alert(1)</script> Men",
    "<img src=x onerror=alert(1)>women",
    "[link=file:///etc/passwd]Men[/link]",
    "'; DROP TABLE responses; --",
    "Men " * 30_000,
)
SPACES = ("kitchen", "garage", "mall")
_TRIAL = '{"protocol":"spatial.explicit","factors":{"space":"kitchen"},"text":"Men",'
REFUSED = {
    '{"a":' * 100_000 + "1" + "}" * 100_000: "nested too deeply",
    "[" * 150 + "]" * 150: "nested too deeply",
    _TRIAL + '"target":"t","repetition":1e999}': "number 1e999",
    _TRIAL + '"target":"t","repetition":' + "9" * 4000 + "}": "number 999",
    _TRIAL + '"target":"t","repetition":' + "9" * 5000 + "}": "thousands of digits",
    _TRIAL + '"target":"","repetition":0}': 'target: value ""',
    _TRIAL + '"target":"a\\u0000b","repetition":0}': "target: value",
    _TRIAL + '"target":"\\ud800","repetition":0}': "target: value",
    _TRIAL + '"target":"\\u202ex","repetition":0}': "target: value",
    _TRIAL + '"target":"t","target":"u","repetition":0}': "stands twice",
    '{"": 1, "": 2}': '"": stands twice',
    "\x1b[2J\u202e": "not JSON",
}
"""Lines that cannot be taken, and what is said of each."""
FORMULAS = ("=", "+", "-", "@", "\t", "\r")


def lines():
    for place, name in enumerate(NAMES):
        for number, answer in enumerate(ANSWERS if place == 0 else ANSWERS[:6]):
            yield {
                "protocol": "spatial.explicit",
                "target": name,
                "factors": {"space": SPACES[number % 3], "prompt": "1", "temperature": 1.0},
                "repetition": number // 3,
                "text": answer,
            }


@pytest.fixture(scope="module")
def imported(tmp_path_factory):
    """A store of hostile answers under hostile names, and what the import said."""
    folder = tmp_path_factory.mktemp("imports")
    taken = [json.dumps(line) for line in lines()]
    (folder / "h.jsonl").write_text("\n".join([*taken, *REFUSED]) + "\n")
    ran = auditor("import", folder / "h.jsonl")
    return folder / "h.db", ran


def acting(text):
    return {c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co")} - {"\n"}


def test_what_fits_is_taken_and_what_does_not_is_named(imported):
    store, ran = imported
    assert ran.code == 1
    first = len([*lines()]) + 1
    for number, said in enumerate(REFUSED.values(), start=first):
        (problem,) = [line for line in ran.err.splitlines() if f"h.jsonl:{number}: " in line]
        assert said in problem
    assert "unexpected" not in ran.err
    assert not acting(ran.out + ran.err)
    assert rows(store, "SELECT count(*) FROM responses") == [(first - 1,)]
    assert {name for (name,) in rows(store, "SELECT name FROM targets")} == set(NAMES)


@pytest.mark.parametrize(
    "words",
    [
        *(("status",), ("stats", "--all"), ("verify",), ("watch",), ("show", "-n", "40")),
        *(("status", "--json"), ("stats", "--json"), ("show", "-n", "40", "--json")),
    ],
    ids=" ".join,
)
def test_what_is_shown_is_harmless_and_whole(words, imported):
    store, _ = imported
    shown = auditor(words[0], store, *words[1:])
    assert shown.code == 0, shown.err
    assert not acting(shown.out + shown.err)
    if "--json" in words:
        assert shown.data


def test_names_with_path_parts_make_no_file_anywhere_else(imported, tmp_path):
    store, _ = imported
    before = {path.name for path in store.parent.iterdir()}
    out = tmp_path / "out"
    for format_ in ("jsonl", "csv"):
        assert auditor("export", store, "-o", out / format_, "--format", format_).code == 0
    sampled = auditor("sample", store, "--task", "choice", "-n", "30", "-o", out / "sheets")
    assert sampled.code == 0, sampled.err
    assert {path.name for path in store.parent.iterdir()} == before
    assert {path.name for path in tmp_path.iterdir()} == {"out"}
    sheets = [*out.glob("csv/*.csv"), *out.glob("sheets/*.csv")]
    assert len(sheets) >= 7
    for sheet in sheets:
        # A number may begin with its sign; a text may not.
        cells = [
            cell
            for row in csv.reader(sheet.read_text(encoding="utf-8-sig").splitlines(True))
            for cell in row
        ]
        assert not [c for c in cells if c.startswith(FORMULAS) and not _is_number(c)]
        # An export is data and keeps every sign; a sheet is for people.
        assert sheet.parent.name == "csv" or not acting("".join(cells).replace("\t", ""))
    texts = {
        json.loads(line)["text"]
        for line in (out / "jsonl/responses.jsonl").read_text().splitlines()
    }
    assert texts == set(ANSWERS)


def _is_number(cell):
    try:
        float(cell)
    except ValueError:
        return False
    return True


def test_an_export_of_it_is_taken_back_as_it_was(imported, tmp_path):
    store, _ = imported
    assert auditor("export", store, "-o", tmp_path, "--format", "jsonl").code == 0
    again = tmp_path / "again.db"
    ran = auditor("import", tmp_path / "responses.jsonl", "--store", again)
    assert ran.code == 0, ran.err
    query = "SELECT target, factors, repetition, text FROM responses ORDER BY 1, 2, 3"
    assert rows(again, query) == rows(store, query)


def test_no_name_becomes_markup_or_a_script_of_a_figure(imported, tmp_path):
    store, _ = imported
    ran = auditor("report", store, "-o", tmp_path, "--figure", "spatial-explicit-edi")
    assert ran.code == 0, ran.err
    (drawing,) = tmp_path.glob("*.svg")
    elements = [*ElementTree.parse(drawing).iter()]
    assert any("<script>alert(1)</script>" in (each.text or "") for each in elements)
    for each in elements:
        assert each.tag.rpartition("}")[2] not in ("script", "foreignObject", "a", "iframe")
        for name, value in each.attrib.items():
            assert not name.rpartition("}")[2].startswith("on")
            assert "javascript:" not in value
            assert name.rpartition("}")[2] != "href" or value.startswith("#")
    assert json.loads((tmp_path / "figures.json").read_text())
