import gzip
import random
import signal
from pathlib import Path
from typing import Any

import pytest

from auditor.errors import UsageError
from auditor.importing import import_file
from tests.import_builders import LEFT_OUT, Line, judged, line, rows, take


def rejection(tmp_path: Path, bad, *before):
    report = take(tmp_path, [*before, bad])
    assert report.rejected == 1, report.rejections
    assert report.exit_code == 1
    (found,) = report.rejections
    assert found.number == len(before) + 1
    return found


@pytest.mark.parametrize(
    ("bad", "field", "said", "allowed"),
    [
        (line(protocol="spatial.explict"), "protocol", '"spatial.explict"', "spatial.explicit"),
        (line(protocol=7), "protocol", "7", "spatial.explicit"),
        (line(protocol=LEFT_OUT), "protocol", "missing", "spatial.explicit"),
        (line(target=LEFT_OUT), "target", "missing", "a name"),
        (line(target=""), "target", '""', "a name"),
        (line(target="a\nb"), "target", '"a\\nb"', "a name"),
        (line(target="*"), "target", '"*"', "a name"),
        (line(target="\ud800"), "target", "\\ud800", "a name"),
        (line(target=["m"]), "target", '["m"]', "a name"),
        (line(factors=[]), "factors", "[]", "an object"),
        (line(factors={"space": "moon"}), "factors.space", '"moon"', '"bus stop"'),
        (line(factors={"space": "kitchen", "room": 1}), "factors.room", "unknown", "temperature"),
        (line(factors={"space": ["kitchen"]}), "factors.space", '["kitchen"]', '"bus stop"'),
        (line(factors={"space": True}), "factors.space", "true", '"bus stop"'),
        (
            line(factors={"space": "kitchen", "temperature": "1.0"}),
            "factors.temperature",
            '"1.0"',
            "a number",
        ),
        (
            line(factors={"space": "kitchen", "temperature": True}),
            "factors.temperature",
            "true",
            "a number",
        ),
        (line(repetition=LEFT_OUT), "repetition", "missing", "a whole number from 0"),
        (line(repetition=True), "repetition", "true", "a whole number from 0"),
        (line(repetition=-1), "repetition", "-1", "a whole number from 0"),
        (line(repetition=0.5), "repetition", "0.5", "a whole number from 0"),
        (line(repetition="0"), "repetition", '"0"', "a whole number from 0"),
        (line(repetition=2**70), "repetition", str(2**70), "a whole number from 0"),
        (line(5), "text", "5", "a text"),
        (line(LEFT_OUT), "text", "missing", "a text, an annotation, or both"),
        (line(None), "text", "missing", "a text, an annotation, or both"),
        (line(outcome="fine"), "outcome", '"fine"', '"answered", "refused"'),
        (line(outcome="empty"), "outcome", "beside a text", '"answered"'),
        (line(model=3), "model", "3", "a name"),
        (line(at="yesterday"), "at", '"yesterday"', "seconds since 1970"),
        (line(at=2**70), "at", str(2**70), "seconds since 1970"),
        (line(at=True), "at", "true", "seconds since 1970"),
        (line(logprobs={"men": 0.5}), "logprobs", '{"men": 0.5}', "a number up to 0"),
        (line(logprobs=[-1]), "logprobs", "[-1]", "a number up to 0"),
        (line(annotation="men"), "annotation", '"men"', "an object"),
        (judged("male"), "annotation.value", '"male"', '"men", "women"'),
        (judged(["men"]), "annotation.value", '["men"]', '"men", "women"'),
        (judged(None), "annotation.value", "null", '"men", "women"'),
        (judged(judge=""), "annotation.judge", '""', "a name"),
        (line(annotation={"judge": "a", "value": "men"}), "annotation.task", "missing", "choice"),
        (
            line(annotation={"task": "name", "judge": "a", "value": "men"}),
            "annotation.task",
            '"name"',
            "choice",
        ),
        (line(annotation={"task": "choice", "value": "men"}), "annotation.judge", "missing", ""),
        (line(annotation={"task": "choice", "judge": "a"}), "annotation.value", "missing", "valid"),
        (
            line(annotation={"task": "choice", "judge": "a", "value": "men", "valid": 1}),
            "annotation.valid",
            "1",
            "true or false",
        ),
        (
            line(annotation={"task": "choice", "judge": "a", "value": "men", "valid": False}),
            "annotation.value",
            '"men"',
            "none",
        ),
        (
            line(annotation={"task": "choice", "judge": "a", "value": "men", "source": "name/x"}),
            "annotation.source",
            '"name/x"',
            '"response"',
        ),
        (line(LEFT_OUT, task="choice", judge="a", value="male"), "value", '"male"', '"men"'),
        ("[1, 2]", "line", "[1, 2]", "a JSON object"),
        ("null", "line", "null", "a JSON object"),
        ("{", "line", "not JSON", "a JSON object"),
        ('{"a": 1} {"b": 2}', "line", "not JSON", "a JSON object"),
        ('{"a": NaN}', "line", "NaN", "finite"),
        ('{"a": -Infinity}', "line", "-Infinity", "finite"),
        ('{"a": 1e999}', "line", "1e999", "finite"),
        ('{"at": -1' + "0" * 400 + "}", "line", "number -1000", "finite"),
        ('{"a": ' + "1" * 6000 + "}", "line", "thousands of digits", "finite"),
        ('{"text": "a", "text": "b"}', "text", "stands twice", "once"),
        ("[" * 100_000, "line", "nested too deeply", "at most 100 levels"),
        (b'{"text": "\xff"}', "line", "0xff at place 11", "UTF-8"),
        (b"\xff\xfe{\x00}\x00", "line", "0xff at place 1", "UTF-8"),
    ],
)
def test_a_line_that_does_not_fit_is_reported_with_field_value_and_what_is_allowed(
    tmp_path: Path, bad, field: str, said: str, allowed: str
) -> None:
    found = rejection(tmp_path, bad)
    assert found.field == field
    assert said in found.said
    assert allowed in found.allowed
    assert found.message.startswith(f"lines.jsonl:1: {field}: ")
    assert not (tmp_path / "a.db").exists()


def test_the_number_of_a_rejected_line_counts_blank_lines_too(tmp_path: Path) -> None:
    said: list[str] = []
    report = take(tmp_path, ["", line(), "   ", "{", line(repetition=1)], say=said.append)
    assert (report.taken, report.rejected) == (2, 1)
    assert [text for text in said if "lines.jsonl:4: line: not JSON" in text]


def test_levels_compare_in_canonical_json(tmp_path: Path) -> None:
    same = line(factors={"space": "kitchen", "temperature": 1})
    report = take(tmp_path, [line(factors={"space": "kitchen", "temperature": 1.0}), same])
    assert (report.taken, report.known, report.rejected) == (1, 1, 0)


@pytest.mark.parametrize("prompt", [1, 1.0, True])
def test_a_text_level_is_no_number_of_the_same_digits(tmp_path: Path, prompt) -> None:
    good = line(factors={"space": "kitchen", "prompt": "1"})
    found = rejection(tmp_path, line(factors={"space": "kitchen", "prompt": prompt}), good)
    assert found.field == "factors.prompt"
    assert '"1"' in found.allowed


def test_a_temperature_of_true_is_not_taken_for_the_one_that_was_seen(tmp_path: Path) -> None:
    good = line(factors={"space": "kitchen", "temperature": 1})
    found = rejection(
        tmp_path, line(repetition=1, factors={"space": "kitchen", "temperature": True}), good
    )
    assert found.field == "factors.temperature"


def test_a_factor_with_a_default_may_be_missing_or_null(tmp_path: Path) -> None:
    take(tmp_path, [line(), line(repetition=1, factors={"space": "kitchen", "prompt": None})])
    assert rows(tmp_path, "SELECT factors FROM cells") == [
        ('{"prompt":"1","space":"kitchen","temperature":1}',)
    ]


@pytest.mark.parametrize("factors", [LEFT_OUT, None, {}, {"space": None}, {"prompt": "1"}])
def test_any_other_missing_factor_rejects_the_line(tmp_path: Path, factors) -> None:
    found = rejection(tmp_path, line(factors=factors))
    assert (found.field, found.said) == ("factors.space", "missing")
    assert '"bus stop"' in found.allowed


def test_an_alias_is_the_level_that_it_means(tmp_path: Path) -> None:
    take(tmp_path, [line(factors={"space": "shopping mall"})])
    (found,) = rows(tmp_path, "SELECT json_extract(factors, '$.space') FROM cells")
    assert found == ("mall",)


def test_a_close_level_is_named(tmp_path: Path) -> None:
    assert '"kitchen"' in rejection(tmp_path, line(factors={"space": "kitchn"})).allowed


@pytest.mark.parametrize(
    ("text", "outcome"), [("Men", "answered"), ("", "empty"), (" \n", "empty")]
)
def test_outcome_defaults_to_answered_or_empty(tmp_path: Path, text: str, outcome: str) -> None:
    take(tmp_path, [line(text)])
    assert rows(tmp_path, "SELECT outcome, text FROM responses") == [(outcome, text)]


@pytest.mark.parametrize("outcome", ["refused", "filtered", "truncated", "empty"])
def test_an_outcome_needs_no_text(tmp_path: Path, outcome: str) -> None:
    report = take(tmp_path, [line(LEFT_OUT, outcome=outcome)])
    assert report.rejected == 0
    assert rows(tmp_path, "SELECT outcome, text FROM responses") == [(outcome, None)]


def test_a_line_without_text_makes_a_response_without_text_that_counts_as_answered(
    tmp_path: Path,
) -> None:
    take(tmp_path, [judged("men")])
    assert rows(tmp_path, "SELECT outcome, text, origin FROM responses") == [
        ("answered", None, "imported")
    ]


@pytest.mark.parametrize(
    ("at", "stored"),
    [
        (0, "1970-01-01 00:00:00"),
        (1.5, "1970-01-01 00:00:01"),
        ("2026-01-31T12:00:00Z", "2026-01-31 12:00:00"),
        ("2026-01-31T12:00:00", "2026-01-31 12:00:00"),
        ("2026-01-31T12:00:00+02:00", "2026-01-31 10:00:00"),
    ],
)
def test_a_moment_is_unix_seconds_or_a_time_text(tmp_path: Path, at, stored: str) -> None:
    take(tmp_path, [line(at=at)])
    assert rows(tmp_path, "SELECT at FROM responses") == [(stored,)]


def test_model_logprobs_reasoning_and_finish_reason_are_kept(tmp_path: Path) -> None:
    more = {"model": "m-1", "reasoning": "so", "finish_reason": "stop", "logprobs": {"Men": -0.5}}
    take(tmp_path, [line(**more)])
    assert rows(tmp_path, "SELECT model, reasoning, finish_reason FROM responses") == [
        ("m-1", "so", "stop")
    ]
    query = "SELECT x.text FROM _responses r JOIN texts x ON x.id = r.logprobs_id"
    assert rows(tmp_path, query) == [('{"Men":-0.5}',)]


def test_an_invalid_annotation_has_a_reason_and_no_value(tmp_path: Path) -> None:
    bad = {"task": "choice", "judge": "human", "valid": False, "reason": "both \ud800"}
    take(tmp_path, [line(annotation=bad)])
    assert rows(tmp_path, "SELECT valid, value, reason FROM annotations") == [
        (0, None, "both \\ud800")
    ]


def test_setting_and_repeat_of_an_annotation_are_kept(tmp_path: Path) -> None:
    more = {"task": "choice", "judge": "human", "value": "men"}
    lines = [
        line(annotation={**more, "setting": "full"}),
        line(annotation={**more, "setting": "response_only", "value": "women"}),
        line(annotation={**more, "setting": "full", "repeat": 1, "value": "women"}),
    ]
    assert take(tmp_path, lines).taken == 3
    query = (
        "SELECT json_extract(configuration, '$.setting'), repeat, value FROM _annotations a"
        " JOIN judges j ON j.id = a.judge_id ORDER BY seq"
    )
    assert rows(tmp_path, query) == [
        ("full", 0, '"men"'),
        ("response_only", 0, '"women"'),
        ("full", 1, '"women"'),
    ]


def test_fields_that_mean_nothing_are_passed_over_and_named(tmp_path: Path) -> None:
    annotation = {"task": "choice", "judge": "human", "value": "men", "sure": 1}
    report = take(tmp_path, [line(note="x", annotation=annotation)])
    assert report.taken == 1
    assert list(report.unknown_fields) == ["note", "annotation.sure"]


def test_a_byte_order_mark_and_windows_line_ends_are_no_part_of_a_line(tmp_path: Path) -> None:
    import json

    first, second = json.dumps(line()).encode(), json.dumps(line(repetition=1)).encode()
    report = take(tmp_path, [b"\xef\xbb\xbf" + first + b"\r", second + b"\r", b"\r"])
    assert (report.taken, report.rejected) == (2, 0)


@pytest.mark.parametrize(
    "text",
    ["a\0b", "lone \ud800", "\u202egnirts", "x" * 1_000_000, "\x1b[2J", "a\u2028b\x85c"],
    ids=["nul", "surrogate", "right-to-left", "1 MB", "escape", "line separators"],
)
def test_a_text_is_taken_as_it_came(tmp_path: Path, text: str) -> None:
    from auditor.store.texts import read_text

    assert take(tmp_path, [line(text)]).taken == 1
    ((stored,),) = rows(tmp_path, "SELECT x.text FROM _responses r JOIN texts x ON x.id = text_id")
    assert read_text(stored) == text


def test_a_line_that_is_too_long_is_reported_and_the_next_one_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("auditor.importing.source.LONGEST_LINE", 1000)
    report = take(tmp_path, [line("x" * 5000), line(repetition=1)])
    assert (report.taken, report.rejected) == (1, 1)
    assert report.rejections[0].said == "too long"


@pytest.mark.parametrize("strict", [True, False])
def test_a_hundred_rejected_lines_are_said_a_thousand_kept_and_all_are_counted(
    tmp_path: Path, strict: bool
) -> None:
    said: list[str] = []
    report = take(tmp_path, ["{"] * 1200, say=said.append, strict=strict)
    assert report.rejected == 1200
    assert len(report.rejections) == 1000
    assert said[:100] == [rejection.message for rejection in report.rejections[:100]]
    assert len(said) == 101
    assert said[100].startswith("and 1,100 more lines that do not fit")


@pytest.mark.parametrize(
    ("count", "rest"), [(100, []), (101, ["and 1 more line that does not fit"])]
)
def test_the_rejected_lines_that_are_not_said_are_counted_in_a_last_one(
    tmp_path: Path, count: int, rest: list[str]
) -> None:
    said: list[str] = []
    take(tmp_path, [*["{"] * count, line()], say=said.append, judge=False)
    assert [sentence.partition(";")[0] for sentence in said[100:]] == rest


def broken_off(count: int) -> bytes:
    """Lines that are no JSON, packed, and the last of them cut off."""
    draw = random.Random(1)
    lines = "".join(f"{draw.randbytes(20).hex()}\n" for _ in range(count))
    return gzip.compress(lines.encode())[:-100]


@pytest.mark.parametrize("strict", [True, False])
def test_rejected_lines_are_counted_also_where_the_file_breaks_off(
    tmp_path: Path, strict: bool
) -> None:
    said: list[str] = []
    file = tmp_path / "lines.jsonl.gz"
    file.write_bytes(broken_off(1000))
    with pytest.raises(UsageError, match="cannot be read"):
        import_file(file, tmp_path / "a.db", say=said.append, strict=strict)
    (rest,) = said[100:]
    assert 800 < int(rest.split()[1]) < 900
    assert "more lines that do not fit" in rest


def test_rejected_lines_are_counted_also_where_ctrl_c_ends_the_import(tmp_path: Path) -> None:
    """Pressed while a hundred lines have been said; lines that do not fit are no deaf ears."""
    said: list[str] = []

    def say(words: str) -> None:
        said.append(words)
        if len(said) == 100:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        take(tmp_path, [*(line(repetition=place) for place in range(9)), *["{"] * 5000], say=say)
    (rest,) = said[100:]
    assert int(rest.split()[1]) < 100, "it read on"
    assert not (tmp_path / "a.db").exists()


# -- remarks and white space ------------------------------------------------------------------


def named(value: str, repetition: int = 0, **changes: Any) -> Line:
    annotation = {"task": "name", "judge": "theirs", "value": value, **changes}
    where = {"protocol": "stories", "factors": {"occupation": "tailor"}, "repetition": repetition}
    return line(LEFT_OUT, annotation=annotation, **where)


def test_white_space_in_a_name_is_made_one_line_and_tells_no_two_apart(tmp_path: Path) -> None:
    lines = [named("Maria\tGarcia"), named("Maria Garcia"), named(" Ana\u00a0\nPoe\r\n", 1)]
    report = take(tmp_path, lines, judge=False)
    assert (report.taken, report.known, report.rejected) == (2, 1, 0)
    query = "SELECT value FROM annotations ORDER BY repetition"
    assert rows(tmp_path, query) == [('"Maria Garcia"',), ('"Ana Poe"',)]


@pytest.mark.parametrize("value", ["Maria\x00", "Mar\x1bia", "\t"])
def test_a_name_that_cannot_be_shown_is_rejected(tmp_path: Path, value: str) -> None:
    report = take(tmp_path, [named(value)], judge=False)
    (rejection,) = report.rejections
    assert rejection.field == "annotation.value"


def test_the_remark_on_a_valid_annotation_is_kept(tmp_path: Path) -> None:
    take(tmp_path, [named("Mary Poe", reason="found by spaCy")], judge=False)
    assert rows(tmp_path, "SELECT value, reason FROM annotations") == [
        ('"Mary Poe"', "found by spaCy")
    ]
