"""What a line of a judge's program may say, and what it is taken for."""

from __future__ import annotations

import json

import pytest

from agents.judges.base import Verdict
from agents.judges.command_lines import Answered, Garbage, Hello, parse_line, request_line
from auditor.errors import JudgeError


def said(line: str) -> Verdict | JudgeError:
    answered = parse_line(line.encode())
    assert isinstance(answered, Answered)
    assert answered.id == "1"
    return answered.said


def test_a_request_is_one_line_of_ascii_with_the_text_as_it_came():
    text = "two\nlines, \u2028 and \ud800, 从前"
    line = request_line("7", "stories", "name", None, text)
    assert line.isascii()
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert json.loads(line) == {"id": "7", "protocol": "stories", "task": "name", "text": text}


def test_a_request_of_a_task_that_reads_another_carries_its_value():
    assert json.loads(request_line("7", "stories", "gender", "name", "null")) == {
        "id": "7",
        "protocol": "stories",
        "task": "gender",
        "reads": "name",
        "value": None,
    }


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        ('{"id": "1", "value": "men"}', Verdict(True, "men")),
        (
            '{"id": "1", "value": null, "reason": "surname only"}',
            Verdict(True, None, "surname only"),
        ),
        ('{"id": "1", "valid": true, "value": [1, {}]}', Verdict(True, [1, {}])),
        ('{"id": "1", "valid": false, "reason": "none"}', Verdict(False, None, "none")),
        ('{"id": "1", "valid": false, "value": "men"}', Verdict(False, None, "no reason given")),
        ('{"id": "1"}', Verdict(False, None, "no value in the reply")),
        ('{"id": "1", "value": 1e999}', Verdict(False, None, "no value in the reply")),
        ('{"id": "1", "valid": "yes"}', Verdict(False, None, "valid is neither true nor false")),
        ('{"id": "1", "value": "men", "reason": 3}', Verdict(False, None, "the reason is no text")),
        ('{"id": "1", "value": "\\ud800", "more": 1}', Verdict(True, "\ud800")),
    ],
)
def test_a_reply_is_a_verdict(line, verdict):
    assert said(line) == verdict


def test_a_reason_is_made_harmless_and_cut():
    reason = said('{"id": "1", "value": 1, "reason": "\\u001b[2J' + "x" * 500 + '"}').reason
    assert reason is not None
    assert reason.isprintable()
    assert len(reason) == 200


def test_an_error_is_a_failure_of_the_judge():
    failure = said('{"id": "1", "error": "no\\u0007 table", "value": "men"}')
    assert isinstance(failure, JudgeError)
    assert failure.message == "no\\x07 table"


@pytest.mark.parametrize(
    "line",
    [
        "hello",
        "",
        "[]",
        "3",
        "null",
        "{}",
        '{"value": "men"}',
        '{"id": 1, "value": "men"}',
        '{"id": "1", "value": NaN}',
        '{"id": "1", "value": ' + "[" * 100_000,
        '{"id": "1", "value": ' + "9" * 5_000 + "}",
        "\ufeff{}",
    ],
    ids=lambda line: line[:24],
)
def test_what_is_no_reply_is_garbage(line):
    with pytest.raises(Garbage):
        parse_line(line.encode())


def test_bytes_that_are_no_text_are_garbage_and_shown_harmlessly():
    with pytest.raises(Garbage) as caught:
        parse_line(b"\xff\xfe\x1b[2J" * 100)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 200


def test_a_hello_says_what_verdicts_depend_on():
    assert parse_line(b'{"hello": {"version": "1.2"}}') == Hello({"version": "1.2"})
