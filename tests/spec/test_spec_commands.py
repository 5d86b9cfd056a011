"""A judge that is a command, in a spec."""

from __future__ import annotations

import pytest

from auditor.errors import UsageError
from auditor.spec import parse_spec

SPEC = """name = "s"
judges = [
  {{task = "choice", {judge}}},
]
[[targets]]
model = "sim:m"
[protocols."spatial.explicit"]
"""


def test_a_command_has_its_words_its_name_and_its_patience():
    spec = parse_spec(
        SPEC.format(judge='command = ["./my-judge", "--x"], timeout_seconds = 5.0'), "s.toml"
    )
    (judge,) = spec.judges
    assert (judge.command, judge.name) == (("./my-judge", "--x"), "my-judge")
    assert judge.timeout_seconds == 5.0
    assert judge.is_local
    assert judge.offline is None


@pytest.mark.parametrize(
    "words", ['"./sk-learn-judge", "hf_some-model-2"', '"./a", "--sort-key", "--max-tokens", "-k"']
)
def test_what_only_looks_a_little_like_a_key_is_taken(words):
    assert parse_spec(SPEC.format(judge=f"command = [{words}]"), "s.toml").judges


KEY = "a value that must not be shown"


@pytest.mark.parametrize(
    ("judge", "said"),
    [
        ('command = "./my-judge"', "judges[0].command: value not shown; allowed: a list of texts"),
        ("command = []", "judges[0].command: value not shown; allowed: a list of texts"),
        ('command = [""]', "judges[0].command: no command; allowed: a list of 1 to 100 texts"),
        ('command = ["./a", 1]', "judges[0].command[1]: value not shown; allowed: a list of texts"),
        ('command = ["./a"], judge = "rules"', "judges[0]: both judge and command; allowed:"),
        ('command = ["./a"], params = {x = 1}', "judges[0].params: at a command; allowed:"),
        ('command = ["./a"], endpoint = "e"', "judges[0].endpoint: at a command; allowed:"),
        (
            'command = ["./a"], timeout_seconds = 0',
            "judges[0].timeout_seconds: value 0; allowed: a number above 0",
        ),
        (
            'model = "sim:m", timeout_seconds = 5',
            "judges[0].timeout_seconds: at a model; allowed: timeout_seconds of its endpoint",
        ),
        (f'command = ["./a", "--api-key={KEY}"]', "judges[0].command: value not shown: it seems"),
        (f'command = ["./a", "--token", "{KEY}"]', "judges[0].command: value not shown: it seems"),
        ('command = ["./a", "sk-abcdef0123456789"]', "judges[0].command: value not shown: it see"),
    ],
)
def test_a_wrong_command_is_refused_at_its_line(judge, said):
    with pytest.raises(UsageError) as caught:
        parse_spec(SPEC.format(judge=judge), "s.toml")
    assert f"s.toml:3: {said}" in caught.value.message
    assert KEY not in caught.value.message
    assert "sk-abc" not in caught.value.message


def test_one_command_twice_is_one_judge_too_many():
    two = 'command = ["./a"]}, {task = "choice", name = "b", command = ["./a"]'
    with pytest.raises(UsageError, match="the same judge of choice as in line 3"):
        parse_spec(SPEC.format(judge=two), "s.toml")
