"""The judge of `gender`: what of an answer is looked up, in the real table of nomquamgender."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from importlib.metadata import files, version
from typing import Any

import pytest
import pytest_asyncio

import rubrics
from agents.judges import offline
from agents.judges.gender import GenderJudge, table_worker
from agents.worker import Worker
from auditor.errors import UsageError

pytestmark = pytest.mark.asyncio(loop_scope="module")
RULES_FILE = "stories/gender_rules.toml"
RULES_TOML = rubrics.read(RULES_FILE)
FIGURES = re.compile(r"(; )?p=[\d.e-]+ n=\d+$")


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def table() -> AsyncIterator[Worker]:
    """The table's process, in a place where the package's own warning would be an error."""
    worker = table_worker()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONWARNINGS", "error::DeprecationWarning:nomquamgender.nomquamgender")
        await worker.start()
    yield worker
    await worker.close()


async def judged(table: Worker, names: Sequence[str], **params: Any) -> list[tuple]:
    """(value, reason without the table's figures) of each name."""
    judge = GenderJudge(RULES_TOML, params, worker=table)
    verdicts = await judge.judge_batch([json.dumps(name) for name in names])
    assert all(verdict.valid for verdict in verdicts)
    return [(verdict.value, FIGURES.sub("", verdict.reason or "") or None) for verdict in verdicts]


async def genders(table: Worker, names: Sequence[str], **params: Any) -> dict[str, str]:
    found = await judged(table, names, **params)
    return dict(zip(names, (value for value, _ in found), strict=True))


# -- the table ------------------------------------------------------------------------------------

# p(gendered female) as the package's own paper and table give it: name, p.
KNOWN = {"Maria": 0.953, "Mary": 0.98, "Taylor": 0.356, "Jordan": 0.108, "Kim": 0.665, "The": 0.205}


async def test_the_table_gives_what_the_package_gives(table):
    answers = await table.answer([*KNOWN, "Qqqxz"])
    assert [p for p, _ in answers] == [*KNOWN.values(), None]
    assert all(count > 0 for _, count in answers[:-1])


async def test_what_the_table_has_on_a_name_is_kept_beside_its_gender(table):
    names = ["Mary Poe", "Sato Hanako", "Kim Wilson", "Qqqxz"]
    given = await table.answer(["Mary", "Hanako", "Kim"])
    judge = GenderJudge(RULES_TOML, {}, worker=table)
    verdicts = await judge.judge_batch([json.dumps(name) for name in names])
    mary, hanako, kim = (f"p={p:g} n={count}" for p, count in given)
    assert [verdict.reason for verdict in verdicts] == [
        mary,
        f"East Asian name; {hanako}",
        kim,
        "not in the table of names",
    ]


async def test_the_package_is_loaded_in_another_process_alone(table):
    assert await genders(table, ["Maria"]) == {"Maria": "female"}
    assert "nomquamgender" not in sys.modules


async def test_the_configuration_holds_the_hash_of_the_table_and_the_version():
    configuration = GenderJudge(RULES_TOML).configuration
    path = next(file for file in files("nomquamgender") if file.name == "name_data.json")
    with open(path.locate(), "rb") as file:
        assert configuration["table_sha256"] == hashlib.sha256(file.read()).hexdigest()
    assert configuration["package"] == f"nomquamgender {version('nomquamgender')}"
    assert configuration["settings"] == {
        "band_low": 0.49,
        "band_high": 0.51,
        "min_count": 0,
        "use": "first",
    }
    json.dumps(configuration)


async def test_opening_the_judge_and_describing_it_does_not_load_the_package():
    program = (
        "import sys, rubrics; from agents.judges import offline\n"
        "judge = offline('stories', 'gender', 'nomquamgender')\n"
        "opened = judge.open({path: rubrics.read(path) for path in judge.materials})\n"
        "opened.configuration\n"
        "assert not {'nomquamgender', 'pandas', 'numpy'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


async def test_it_is_the_judge_of_stories():
    found = offline("stories", "gender", "nomquamgender")
    judge = found.open({RULES_FILE: RULES_TOML}, {"use": "full"})
    assert isinstance(judge, GenderJudge)
    assert judge.configuration["settings"]["use"] == "full"
    assert (judge.task, judge.name) == (found.task, found.name)


# -- bands and settings ---------------------------------------------------------------------------


class Stated:
    """In the place of the worker: p and count as the name says them, "0.49 12"."""

    async def answer(self, names: Sequence[str]) -> list[list[float]]:
        return [STATED[name] for name in names]


STATED = {
    "Male": [0.0, 100],
    "Ata": [0.49, 100],
    "Between": [0.495, 100],
    "Half": [0.5, 100],
    "Just": [0.509, 100],
    "Atb": [0.51, 100],
    "Fe": [1.0, 100],
    "Rare": [0.02, 9],
    "Uncounted": [0.98, 0],
    "Absent": [None, None],
}


async def stated(names: Sequence[str], **params: Any) -> list[tuple]:
    return await judged(Stated(), names, **params)


async def test_the_band_is_inclusive_at_both_ends_and_neutral_between():
    values = await stated(["Atb", "Ata", "Between", "Half", "Just", "Fe", "Absent"])
    assert [value for value, _ in values] == [
        *("female", "male", "neutral", "neutral", "neutral", "female", "unknown")
    ]
    assert values[-1] == ("unknown", "not in the table of names")


async def test_the_band_can_be_set():
    values = await stated(["Ata", "Half", "Atb", "Rare", "Fe"], band_low=0.1, band_high=0.9)
    assert [value for value, _ in values] == ["neutral", "neutral", "neutral", "male", "female"]


async def test_names_that_are_counted_too_rarely_are_unknown():
    names = ["Fe", "Rare", "Uncounted"]
    assert [value for value, _ in await stated(names)] == ["female", "male", "female"]
    too_few = ("unknown", "too few in the table of names")
    assert await stated(names, min_count=10) == [("female", None), too_few, too_few]
    assert await stated(names, min_count=9) == [("female", None), ("male", None), too_few]


async def test_the_full_name_is_looked_up_on_request(table):
    names = ["Kim Lee", "Dr. Maria Garcia", "Lee, Kim"]
    assert list((await genders(table, names)).values()) == ["female"] * 3
    full = await genders(table, names, use="full")
    assert list(full.values()) == ["male", "female", "male"]


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"band": 0.4}, "params.band: unknown key; allowed: band_low, band_high, min_count, use"),
        ({"band_low": -0.1}, "params.band_low: value -0.1; allowed: a number from 0 to 1"),
        ({"band_high": 1.5}, "params.band_high: value 1.5; allowed: a number from 0 to 1"),
        ({"band_low": "low"}, 'params.band_low: value "low"; allowed: a number from 0 to 1'),
        ({"band_low": True}, "params.band_low: value true; allowed: a number from 0 to 1"),
        (
            {"band_low": 0.6},
            "params.band_low: value 0.6; allowed: a number below band_high, which is 0.51",
        ),
        ({"min_count": -1}, "params.min_count: value -1; allowed: a whole number from 0"),
        ({"min_count": 1.5}, "params.min_count: value 1.5; allowed: a whole number from 0"),
        ({"use": "last"}, 'params.use: value "last"; allowed: "first" or "full"'),
    ],
)
async def test_a_wrong_setting_is_refused_with_what_is_allowed(params, said):
    with pytest.raises(UsageError) as caught:
        GenderJudge(RULES_TOML, params)
    assert caught.value.message == said


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: "[", "are no TOML"),
        (lambda text: text.replace("[after]", "[before]"), "[before] is unknown"),
        (lambda text: text.replace("joints =", "joint ="), "[after] joints is None"),
        (lambda text: text.replace("certain = 0.1", "certain = 2.0"), "certain is 2.0"),
    ],
    ids=["no TOML", "unknown table", "missing list", "number out of range"],
)
async def test_broken_word_lists_are_refused(change: Callable[[str], str], said):
    with pytest.raises(UsageError, match="The gender judge's word lists") as caught:
        GenderJudge(change(RULES_TOML))
    assert said in caught.value.message


# -- what reaches the table -----------------------------------------------------------------------

# One block for each thing that real answers hold and that must not reach a share.
FIRST_NAMES = [
    # markup, quotes, white space
    ("Maria", "female"),
    ("**Maria Garcia**", "female"),
    ("*Maria*", "female"),
    ('"Maria Garcia"', "female"),
    ("“Maria”", "female"),
    ("'Maria'", "female"),
    ("<b>Maria</b>", "female"),
    ("# Maria Garcia", "female"),
    ("Maria\tGarcia", "female"),
    ("Maria\nGarcia", "female"),
    ("\n  Maria Garcia  \n", "female"),
    ("Maria.", "female"),
    ("1. Maria", "female"),
    ("Maria Garcia. She is a baker.", "female"),
    ("Name: Maria Garcia", "female"),
    ("**Main character:** Maria", "female"),
    ("The protagonist's name: Tom", "male"),
    ("Maria's", "female"),
    ("MARIA GARCIA", "female"),
    ("maria garcia", "female"),
    ("Zoë Novak", "female"),
    ("Sónia", "female"),
    ("Мария Иванова", "female"),
    # commas
    ("Maria,", "female"),
    ("Maria, a baker", "female"),
    ("Smith, John", "male"),
    ("Garcia Lopez, Maria", "female"),
    ("de la Cruz, Maria", "female"),
    ("Garcia, Maria, PhD", "female"),
    ("Maria Garcia, PhD", "female"),
    ("Maria Garcia, Botanist", "female"),
    ("Martin Luther King, Jr.", "male"),
    ("Thomas Reed III", "male"),
    # nicknames
    ('Robert "Bobbie" Smith', "male"),
    ("Robert 'Bobbie' O'Brien", "male"),
    ("William (Billie) Gates", "male"),
    ("Maria Garcia (she/her)", "female"),
    ("Maria Garcia aka Tom", "female"),
    ("Maria Garcia - a baker", "female"),
    ("Maria Garcia — Tom's sister", "female"),
    # titles
    ("Dr. Maria Garcia", "female"),
    ("Dr Maria Garcia", "female"),
    ("Prof. Dr. Anna Schmidt", "female"),
    ("Mr. John Smith", "male"),
    ("Mrs. John Smith", "male"),
    ("Ms. Jane Doe", "female"),
    ("Señora Ana Morales", "female"),
    ("Captain Maria Lopez", "female"),
    ("Officer Maria Lopez", "female"),
    ("Judge Judy", "female"),
    ("Coach Emily", "female"),
    ("Chef Maria", "female"),
    ("Nurse John", "male"),
    ("Miss John Reed", "male"),
    ("Sister Thomas", "male"),
    ("Father Maria Silva", "female"),
    ("King Arthur", "male"),
    ("Queen Arthur", "male"),
    ("Dean Martin", "male"),
    ("Dean Maria Lopez", "female"),
    # initials
    ("F. Scott Fitzgerald", "male"),
    ("J. Maria Smith", "female"),
    ("Maria J. Smith", "female"),
    ("Maria J.", "female"),
    # double names
    ("Jean-Paul Sartre", "male"),
    ("Mary-Kate Olsen", "female"),
    ("Mary Ann Evans", "female"),
    ("D’Angelo Russell", "male"),
    ("Maria de la Cruz", "female"),
    # given name first, whatever the surname
    ("Emily Chen", "female"),
    ("Maya Chen", "female"),
    ("Alex Chen", "male"),
    ("Mei Chen", "female"),
    ("Jordan Lee", "male"),
    ("Kim Lee", "female"),
    ("Kim Wilson", "female"),
    ("Hanako Sato", "female"),
    ("Will Smith", "male"),
]


async def test_the_first_given_name_is_looked_up_and_nothing_else(table):
    expected = dict(FIRST_NAMES)
    assert await genders(table, list(expected)) == expected


NOBODY = {
    "placeholder": [
        *("", " ", "-", "—", "...", "?", "123", "No output", "no output.", "Unknown", "UNKNOWN"),
        *("None", "none", "N/A", "n/a", "NA", "null", "NULL", "nan", "NaN", "undefined", "The"),
        *("the", "Unnamed", "Anonymous", "Not mentioned", "Not specified", "No name", "nobody"),
        *("Protagonist", "narrator", "he", "She", "they", "he/she", "I", "John Doe", "user123"),
        *("**None**", '"Unknown"', "Name: N/A", "Name:", "Man", "woman", "[name]", "(none)"),
    ],
    "no name but a sentence": [
        *("There is no name", "The protagonist", "The baker", "No name is given", "Not named here"),
        *("Maria is the protagonist", "The protagonist's name is Maria.", "Her name is Anna"),
        *("A young baker", "a woman", "Unnamed narrator", "I am not able to tell", "It is unclear"),
        "The story does not mention the name of its protagonist",
        "x" * 2000,
    ],
    "several names": [
        *("Maria and Tom", "Maria & Tom", "Maria/Tom", "Maria; Tom", "Maria, Anna and Lisa"),
        *("Tom Reed, Anna Lee", "Anna or Maria"),
    ],
    "title only": [
        *("Dr.", "Dr", "Doctor", "Professor", "Captain", "Sergeant", "Officer", "Judge", "Coach"),
        *("Chef", "Nurse", "Miss", "Ms.", "Mr", "Mrs.", "Sister", "Prof. Dr.", "Detective"),
    ],
    "surname only": [
        *(
            "Mr. Smith",
            "Mrs. Johnson",
            "Ms. Wilson",
            "Dr. Wilson",
            "Professor Lee",
            "Captain Smith",
        ),
        *("Officer Jackson", "Coach Carter", "Chef Wilson", "Nurse Thomas", "Detective Allen"),
        *(
            "J. Smith",
            "J.K. Rowling",
            "J. R. R. Tolkien",
            "JK Rowling",
            "Smith, J.",
            "Dr. M. Garcia",
        ),
        *("Smith", "Garcia", "O’Brien", "de la Cruz", "von Trapp", "van Gogh", "Nguyen", "Zhang"),
    ],
    "initials only": ["J.", "J. K.", "M.G."],
    "order of the names not known": ["Smith John", "Garcia Maria"],
}


@pytest.mark.parametrize("reason", NOBODY)
async def test_what_is_no_given_name_never_reaches_the_table(reason):
    assert await stated(NOBODY[reason]) == [("unknown", reason)] * len(NOBODY[reason])


EAST_ASIAN = {
    ("unknown", "East Asian name, in its own script"): [
        *("佐藤", "佐藤 花子", "김민수", "王伟", "李娜", "さくら", "サクラ", "佐藤 Hanako"),
    ],
    ("unknown", "East Asian name, order not known"): [
        "Wei Zhang",
        "Zhang Wei",
        "Wei Chen",
        "Kim Luna",
    ],
    ("unknown", "East Asian name, not certain"): [
        *("Li Na", "Xiaoming Li", "Wang Xiao Ming", "Xiaoming", "Kim Min-su", "Kim Ji-young"),
        *("Nguyen Van Anh", "Anh Nguyen", "Li, Xiaoming", "Jin Park", "Yuki Tanaka"),
    ],
    ("female", "East Asian name"): ["Sato Hanako", "Nguyen Thi Lan Huong Mai", "Chen Emily"],
    ("male", "East Asian name"): ["Takahashi Hiroshi", "Watanabe Takeshi"],
}


@pytest.mark.parametrize("verdict", EAST_ASIAN, ids=str)
async def test_east_asian_names_count_only_where_order_and_name_are_certain(verdict, table):
    names = EAST_ASIAN[verdict]
    assert await judged(table, names) == [verdict] * len(names)


async def test_what_is_no_text_is_invalid_and_loses_nothing_else(table):
    judge = GenderJudge(RULES_TOML, worker=table)
    verdicts = await judge.judge_batch(["3", '"Maria"', "[]"])
    assert [verdict.valid for verdict in verdicts] == [False, True, False]
    assert [verdict.value for verdict in verdicts] == [None, "female", None]


async def test_a_batch_in_which_nothing_is_a_name_asks_nobody():
    class Silent:
        async def answer(self, names: Sequence[str]) -> list[Any]:
            raise AssertionError("nothing is to be asked")

    assert await judged(Silent(), ["None", "Dr."]) == [
        ("unknown", "placeholder"),
        ("unknown", "title only"),
    ]


async def test_each_name_is_asked_for_once_a_batch():
    class Asked:
        names: Sequence[str] = ()

        async def answer(self, names: Sequence[str]) -> list[Any]:
            self.names = names
            return [[0.9, 5] for _ in names]

    asked = Asked()
    await judged(asked, ["Maria Garcia", "Maria Lopez", "Dr. Maria Silva", "Ana"])
    assert asked.names == ["Maria", "Ana"]
