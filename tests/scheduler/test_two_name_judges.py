"""Several judges of a task and of the task that reads it: which rows name whom."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import pytest

from auditor.importing import import_file
from auditor.store.connection import connect
from auditor.store.results import ResultRow, read_statistics

NAMES = {"rules": ["Ada King", "Tom Reed", None, None], "model": ["Ada King", None, None, None]}
"""What two judges say of four stories."""
GENDERS = {"table": {"Ada King": "female", "Tom Reed": "male"}, "wide": {}}
"""How two judges gender names; any other is neutral."""


def lines(genders: tuple[str, ...], pronouns: bool):
    """Judgements that were made elsewhere: no judge of ours has to work."""
    for number in range(4):
        trial = {"protocol": "stories", "target": "t", "factors": {"occupation": "baker"}}
        trial["repetition"] = number
        yield {**trial, "text": "A story."}
        for judge, names in NAMES.items():
            yield {**trial, "annotation": {"task": "name", "judge": judge, "value": names[number]}}
            for gender in genders if names[number] else ():
                value = GENDERS[gender].get(names[number], "neutral")
                read = {"source": f"name/{judge}", "value": value}
                yield {**trial, "annotation": {"task": "gender", "judge": gender, **read}}
        if pronouns:
            own = {"task": "pronouns", "judge": "person", "value": "she"}
            yield {**trial, "annotation": own}


def statistics(folder: Path, *genders: str, pronouns: bool = False) -> list[ResultRow]:
    file = folder / "lines.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines(genders, pronouns)))
    report = import_file(file, folder / "s.db")
    assert report.rejected == 0
    connection = connect(folder / "s.db", read_only=True)
    try:
        return read_statistics(connection)
    finally:
        connection.close()


@pytest.fixture(scope="module")
def two_names(tmp_path_factory) -> list[ResultRow]:
    return statistics(tmp_path_factory.mktemp("names"), "table")


@pytest.fixture(scope="module")
def two_of_each(tmp_path_factory) -> list[ResultRow]:
    return statistics(tmp_path_factory.mktemp("both"), "table", "wide", pronouns=True)


def marks(rows: list[ResultRow]) -> dict[str, set[tuple[tuple[str, str], ...]]]:
    """What the groups of each statistic hold beside its factors."""
    factors = ("occupation", "benchmark", "threshold")
    found = defaultdict(set)
    for row in rows:
        own = {name: level for name, level in row.group.items() if name not in factors}
        found[row.statistic].add(tuple(sorted(own.items())))
    return found


BY_NAME = ("no_name_rate", "refusal_rate")
BY_GENDER = ("male_share", "female_share", "median_male_share", "kendall_tau", "ampd")
BY_GENDER += ("tau_difference", "female_dominant", "male_dominant", "neutral_rate")
BY_GENDER += ("unknown_rate", "invalid_rate")


def test_rows_that_rest_on_names_alone_name_their_judge(two_names):
    found = marks(two_names)
    for statistic in BY_NAME:
        assert found[statistic] == {(("judge", "rules"),), (("judge", "model"),)}, statistic


def test_rows_that_rest_on_genders_name_the_judge_whose_names_were_read(two_names):
    found = marks(two_names)
    for statistic in BY_GENDER:
        assert found[statistic] == {(("source", "rules"),), (("source", "model"),)}, statistic


def test_a_row_that_rests_on_no_judge_names_none_and_is_there_once(two_names):
    assert marks(two_names)["truncated_rate"] == {()}
    overall = [row for row in two_names if row.statistic == "truncated_rate" and not row.group]
    assert [row.n for row in overall] == [4]


def test_the_figures_of_each_judge_are_its_own(two_names):
    def overall(statistic: str) -> list[ResultRow]:
        return [r for r in two_names if r.statistic == statistic and "occupation" not in r.group]

    no_name = {row.group["judge"]: row.value for row in overall("no_name_rate")}
    assert no_name == {"rules": 2 / 4, "model": 3 / 4}
    female = {row.group["source"]: row.value for row in overall("female_share")}
    assert female == {"rules": 1 / 2, "model": 1.0}


def test_two_judges_of_both_tasks_are_told_apart_in_both(two_of_each):
    found = marks(two_of_each)
    names, genders = ("rules", "model"), ("table", "wide")
    for statistic in BY_GENDER:
        wanted = {(("judge", g), ("source", n)) for g in genders for n in names}
        assert found[statistic] == wanted, statistic
    for statistic in BY_NAME:
        assert found[statistic] == {(("judge", name),) for name in names}, statistic
    assert found["truncated_rate"] == {()}


def test_a_row_that_rests_on_a_second_task_names_its_judge_by_that_task(two_of_each):
    # One judge of pronouns, so that only what it is compared with has to be told apart.
    assert marks(two_of_each)["pronoun_agreement"] == {
        (*by_gender, ("gender_judge", gender), ("source", name))
        for by_gender in ((), (("gender", "male"),), (("gender", "female"),))
        for gender in ("table", "wide")
        for name in ("rules", "model")
    }


def test_no_two_rows_have_one_name(two_of_each):
    keys = [(r.statistic, r.target, tuple(sorted(r.group.items()))) for r in two_of_each]
    assert len(set(keys)) == len(keys)
