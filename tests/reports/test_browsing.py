import io
import sqlite3
from pathlib import Path

import pytest
from rich.console import Console

from auditor.errors import UsageError
from auditor.reports.answer_view import render_answers
from auditor.reports.browsing import Answer, answers
from auditor.scheduler.launch import launch
from auditor.scheduler.plan import make_plan
from auditor.spec import parse_spec
from auditor.store.reading import open_reader
from tests.import_builders import LEFT_OUT, line, take

SPEC = """
name = "run"
seed = 1
[[targets]]
name = "planned"
model = "sim:planned"
extra_body = {men = 0.5}
[protocols."spatial.explicit"]
repetitions = 2
spaces = ["kitchen"]
"""


def found(store: Path, **conditions: object) -> list[Answer]:
    connection = open_reader(store)
    try:
        return list(answers(connection, **conditions))  # type: ignore[arg-type]
    finally:
        connection.close()


@pytest.fixture
def store(tmp_path: Path) -> Path:
    human = {"task": "choice", "judge": "human"}
    take(
        tmp_path,
        [
            line("Men", annotation={**human, "value": "men"}),
            line("Women", repetition=1, annotation={**human, "value": "women"}),
            line(
                "Who knows", repetition=2, annotation={**human, "valid": False, "reason": "vague"}
            ),
            line("I won't.", repetition=3, annotation={**human, "value": "refusal"}),
            line(LEFT_OUT, repetition=4, outcome="filtered"),
            line("", repetition=5),
            line("Me", repetition=6, outcome="truncated"),
            line("Men", target="n", factors={"space": "mall"}, model="n-1"),
        ],
    )
    return tmp_path / "a.db"


@pytest.mark.parametrize(
    ("conditions", "repetitions"),
    [
        ({}, [0, 1, 2, 3, 4, 5, 6, 0]),
        ({"n": 3}, [0, 1, 2]),
        ({"n": 2**63, "target": "n"}, [0]),
        ({"target": "n"}, [0]),
        ({"protocol": "spatial.explicit", "target": "m", "n": 2}, [0, 1]),
        ({"task": "choice"}, [0, 1, 2, 3]),
        ({"task": "choice", "value": "women"}, [1]),
        ({"task": "choice", "value": '"women"'}, [1]),
        ({"task": "choice", "value": "neither"}, []),
        ({"invalid": True}, [2, 5, 6]),
        ({"invalid": True, "task": "choice"}, [2]),
        ({"refused": True}, [3, 4]),
        ({"outcome": "truncated"}, [6]),
        ({"outcome": "answered", "refused": True}, [3]),
    ],
)
def test_answers_are_those_that_meet_all_conditions(
    store: Path, conditions: dict, repetitions: list[int]
) -> None:
    assert [answer.repetition for answer in found(store, **conditions)] == repetitions


def test_an_answer_holds_all_that_belongs_to_it(store: Path) -> None:
    (answer,) = found(store, task="choice", value="men")
    assert (answer.text, str(answer.outcome), answer.origin) == ("Men", "answered", "imported")
    assert answer.factors == {"space": "kitchen", "prompt": "1", "temperature": 1}
    assert answer.messages == ()
    (annotation,) = answer.annotations
    assert (annotation.task, annotation.judge, annotation.value) == ("choice", "human", "men")
    assert found(store, target="n")[0].model == "n-1"


def test_a_planned_answer_has_its_prompt(tmp_path: Path) -> None:
    launch(make_plan(parse_spec(SPEC, "spec.toml")), tmp_path / "run.db", say=lambda _: None)
    first, second = found(tmp_path / "run.db")
    assert (first.repetition, second.repetition) == (0, 1)
    assert "kitchen" in first.messages[0].content
    assert first.simulated
    assert first.annotations[0].judge == "rules"


def test_a_trial_is_found_by_the_beginning_of_its_key(store: Path) -> None:
    (wanted,) = found(store, target="n")
    assert found(store, trial=wanted.trial[:10]) == [wanted]
    assert found(store, trial=wanted.trial) == [wanted]


@pytest.mark.parametrize(
    ("conditions", "said"),
    [
        ({"target": "x"}, "target: value 'x' is not in this store; allowed: m, n"),
        ({"protocol": "x"}, "protocol: value 'x' is not in this store; allowed: spatial.explicit"),
        ({"task": "x"}, "task: value 'x' is not in this store; allowed: choice"),
        ({"value": "men"}, "value: needs a task"),
        (
            {"task": "choice", "value": "man"},
            'value: \'man\' is no value of the task choice; allowed: "men", "women", "neither"',
        ),
        ({"task": "choice", "value": "NaN"}, "value: 'NaN' is no value of the task choice"),
        ({"outcome": "x"}, "outcome: value 'x'; allowed: answered, refused"),
        ({"trial": "xyz%"}, "trial: value 'xyz%'; allowed: 4 to 32 digits"),
    ],
)
def test_names_that_the_store_does_not_know_are_refused(
    store: Path, conditions: dict, said: str
) -> None:
    with pytest.raises(UsageError) as caught:
        found(store, **conditions)
    assert said in caught.value.message


def test_a_value_that_its_task_cannot_take_is_shown_where_the_store_has_it(store: Path) -> None:
    """A version of tomorrow may know fewer values; what an older one stored can be looked at."""
    connection = sqlite3.connect(store)
    connection.execute("UPDATE _annotations SET value = '\"man\"' WHERE value = '\"men\"'")
    connection.commit()
    connection.close()
    assert [answer.repetition for answer in found(store, task="choice", value="man")] == [0]


def test_as_json_is_what_the_answer_holds(store: Path) -> None:
    (answer,) = found(store, invalid=True, task="choice")
    shown = answer.as_json()
    assert shown["annotations"] == [
        {
            "task": "choice",
            "judge": "human",
            "valid": False,
            "value": None,
            "reason": "vague",
            "repeat": 0,
        }
    ]
    assert (shown["text"], shown["outcome"]) == ("Who knows", "answered")


def printed(shown: list[Answer], width: int = 80) -> str:
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=True, color_system=None)
    for answer in render_answers(shown):
        console.print(answer)
    return out.getvalue()


def test_rendering_shows_text_and_judgements(store: Path) -> None:
    text = printed(found(store))
    assert "Who knows" in text
    assert "choice: invalid (vague)  by human" in text
    assert "answer: no text" in text
    assert "served by n-1" in text


@pytest.mark.parametrize("width", [20, 80, 200])
def test_nothing_in_a_shown_text_acts(tmp_path: Path, width: int) -> None:
    hostile = "[bold red]x[/] \x1b[2J \0 \u202e \ud800 \x9b31m " + "y" * 100_000
    take(tmp_path, [line(hostile, reasoning=hostile)])
    text = printed(found(tmp_path / "a.db"), width)
    assert text.encode("utf-8")
    assert not set(text) & set("\x1b\0\u202e\x9b")
    assert "[/]" in text
    assert len(text) < 30_000
