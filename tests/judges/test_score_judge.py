"""The judge of `score`: what is a score, and what is none."""

import pytest

from agents.judges.score import ScoreJudge
from auditor import protocols

JUDGE = ScoreJudge()
PROTOCOL = protocols.get("spatial.tracing")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"reward": 0.12}', {"reward": 0.12}),
        ('{"reward": -3}', {"reward": -3.0}),
        ('{"reward": 1e5}', {"reward": 1e5}),
        ('{"log_probability": -1.25, "tokens": 2}', {"log_probability": -1.25}),
        (' {"tokens": 1, "log_probability": 0}\n', {"log_probability": 0.0}),
        ('{"log_probability": 5e-7}', {"log_probability": 0.0}),
    ],
)
def test_a_score_is_read_and_fits_the_task(text, value):
    found = JUDGE.judge(text)
    assert (found.valid, found.value, found.reason) == (True, value, None)
    assert PROTOCOL.check_value("score", found.value) is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no score"),
        ("Men", "no score"),
        ("0.12", "no score"),
        ("[0.12]", "no score"),
        ('{"reward": 0.12', "no score"),
        ('{"Reward": 0.12}', "no score"),
        ('{"value": {"reward": 1}}', "no score"),
        ("[" * 100_000, "no score"),
        ('{"reward": 1, "log_probability": -1}', "two scores"),
        ('{"reward": null}', "score is no number"),
        ('{"reward": NaN}', "score is no number"),
        ('{"reward": Infinity}', "score is no number"),
        ('{"log_probability": -Infinity}', "score is no number"),
        ('{"log_probability": null, "tokens": 2, "reason": "not finite"}', "score is no number"),
        ('{"reward": "0.5"}', "score is no number"),
        ('{"reward": true}', "score is no number"),
        ('{"reward": [1]}', "score is no number"),
        (f'{{"reward": {10**400}}}', "score is no number"),
        ('{"reward": -9999}', "placeholder score"),
        ('{"log_probability": -9999.0}', "placeholder score"),
        ('{"log_probability": -1000}', "placeholder score"),
        ('{"log_probability": 0.5}', "log-probability above 0"),
        ('{"reward": 1.7e308}', "score out of range"),
        ('{"reward": -1e101}', "score out of range"),
    ],
)
def test_what_is_no_score_is_invalid_with_its_reason(text, reason):
    found = JUDGE.judge(text)
    assert (found.valid, found.value, found.reason) == (False, None, reason)


def test_a_digit_string_that_python_refuses_to_read_is_no_score():
    assert JUDGE.judge('{"reward": ' + "9" * 5000 + "}").reason == "no score"
