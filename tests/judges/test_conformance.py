"""Each broken promise of a judge is found, and told with an example."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

import pytest

from agents.judges.base import Verdict
from agents.judges.conformance import Check, conformance
from agents.judges.odd_texts import ODD_TEXTS
from auditor import protocols
from auditor.types import JSON

(TASK,) = protocols.get("spatial.explicit").tasks


class Good:
    """Says men to every text."""

    task, name = "choice", "good"
    configuration: Mapping[str, JSON] = {"version": 1}

    def judge(self, text: str) -> Verdict:
        return Verdict(True, "men") if text else Verdict(False, reason="empty")


async def checks(make: Callable[[], Any], name: str | None = "good") -> dict[str, Check]:
    found = await conformance(make, "spatial.explicit", TASK, name)
    return {check.name: check for check in found}


async def failing(make: Callable[[], Any]) -> Check:
    """The only check that fails."""
    (check,) = [check for check in (await checks(make)).values() if check.passed is False]
    return check


async def test_a_good_judge_passes_all():
    found = await checks(Good)
    assert len(found) == 9
    untried = {check.name: check.said for check in found.values() if not check.passed}
    assert untried == {"closes": "it has nothing to close"}


async def test_one_that_cannot_be_loaded_fails_there():
    def broken() -> Good:
        raise OSError("no model file")

    (check,) = (await checks(broken)).values()
    assert (check.name, check.passed, check.said) == ("loads", False, "OSError: no model file")


class Misnamed(Good):
    name = "better"


class Unstable(Good):
    numbers = count()

    def __init__(self) -> None:
        self.configuration = {"seed": next(self.numbers)}


class NoJson(Good):
    configuration = {"words": {1, 2}}  # noqa: RUF012


class Raising(Good):
    def judge(self, text: str) -> Verdict:
        text.encode("utf-8")
        return super().judge(text)


class Drifting(Good):
    def __init__(self) -> None:
        self.asked = 0

    def judge(self, text: str) -> Verdict:
        self.asked += 1
        return Verdict(True, "men" if self.asked <= len(ODD_TEXTS) else "women")


class Unallowed(Good):
    def judge(self, text: str) -> Verdict:
        return Verdict(True, "a man")


class Unreasoned(Good):
    def judge(self, text: str) -> Verdict:
        return Verdict(False)


@pytest.mark.parametrize(
    ("make", "name", "said"),
    [
        (Misnamed, "declares its task and name", "its name is 'better', not 'good'"),
        (Unstable, "has the same JSON configuration", '{"seed":0} and then {"seed":1}'),
        (NoJson, "has the same JSON configuration", "no JSON: TypeError"),
        (Raising, "answers 26 odd texts", "lone surrogates: UnicodeEncodeError"),
        (Unallowed, "gives values that the task 'choice'", "26 times; empty: 'a man'; allowed:"),
        (Unreasoned, "gives short reasons", "an invalid verdict without a reason"),
    ],
)
async def test_a_broken_promise_is_told_with_an_example(make, name, said):
    check = await failing(make)
    assert check.name.startswith(name)
    assert said in check.said


class Silent(Good):
    def judge(self, text: str) -> Verdict:
        raise OSError("no model")


async def test_what_could_not_be_tried_is_no_pass():
    found = await checks(Silent)
    verdicts = [check.passed for check in found.values()]
    assert verdicts == [True, True, True, False, None, None, None, None, None]
    assert {check.said for check in found.values() if check.passed is None} == {
        "it gave no verdict",
        "it has nothing to close",
    }


async def test_a_judge_that_changes_its_mind_is_found():
    found = await checks(Drifting)
    assert not found["says the same again"].passed
    assert "empty: 'men', then 'women'" in found["says the same again"].said


class Strict(Good):
    """Says something valid to the plainest answer alone."""

    said = "men"

    def judge(self, text: str) -> Verdict:
        return Verdict(True, self.said) if text == "men" else Verdict(False, reason="unclear")


class StrictAndWrong(Strict):
    said = "a man"


class Blind(Good):
    def judge(self, text: str) -> Verdict:
        return Verdict(False, reason="unclear")


@pytest.mark.parametrize(
    ("make", "passed", "said"),
    [
        (Strict, True, ""),
        (StrictAndWrong, False, "the plain answer: 'a man'; allowed: "),
        (Blind, None, "it gave no valid verdict, of the plain answers men, women, neither"),
    ],
)
async def test_a_judge_to_which_odd_texts_say_nothing_is_asked_about_plain_ones(make, passed, said):
    check = (await checks(make))["gives values that the task 'choice' may take"]
    assert check.passed is passed
    assert check.said.startswith(said)


async def test_a_judge_is_never_asked_about_no_texts_at_all():
    sizes = []

    class Silent:
        task, name = "gender", "mine"
        configuration: Mapping[str, JSON] = {}

        async def start(self) -> None:
            pass

        async def judge_batch(self, values):
            sizes.append(len(values))
            return [Verdict(False, reason="unclear") for _ in values]

        async def close(self) -> None:
            pass

    task = next(task for task in protocols.get("stories").tasks if task.reads)
    found = {check.name: check for check in await conformance(Silent, "stories", task, "mine")}
    untried = found["gives values that the task 'gender' may take"]
    assert (untried.passed, untried.said) == (None, "it gave no valid verdict")
    assert all(sizes)


class Ordered(Good):
    """Its verdict depends on the text before."""

    def __init__(self) -> None:
        self.last = ""

    def judge(self, text: str) -> Verdict:
        said = "men" if len(text) >= len(self.last) else "women"
        self.last = text
        return Verdict(True, said)


async def test_a_judge_that_minds_the_order_is_found():
    assert not (await checks(Ordered))["says the same in another order, and alone"].passed


async def test_a_judge_of_annotations_is_asked_about_values():
    asked: list[str] = []

    class Genders:
        task, name = "gender", "mine"
        configuration: Mapping[str, JSON] = {}

        async def start(self) -> None:
            pass

        async def judge_batch(self, values):
            asked.extend(values)
            return [Verdict(True, "unknown") for _ in values]

        async def close(self) -> None:
            pass

    task = next(task for task in protocols.get("stories").tasks if task.name == "gender")
    found = await conformance(Genders, "stories", task, "mine")
    untried = {check.name: check.said for check in found if not check.passed}
    reasons = "gives short reasons, one for each invalid verdict"
    assert untried == {reasons: "it gave no reason, and no invalid verdict"}
    assert "null" in asked
    assert '""' not in asked, "no name is empty"
