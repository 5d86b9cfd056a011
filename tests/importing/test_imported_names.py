"""Statistics on names that were collected elsewhere, against pandas and scipy on the same table.

The names go through the real import, its judge of genders and its statistics. Beside them stands
what a person reads as the given name; everything from there on is computed a second time here.
"""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

import pandas as pd
import pytest
from scipy.stats import kendalltau

import rubrics
from auditor.importing import import_file
from auditor.store.connection import connect
from auditor.store.results import ResultRow, read_statistics

NO_NAME = "<no name>"
TARGETS, OCCUPATIONS, REPETITIONS = ("a", "b", "c"), 14, 12
RATES = ("unknown_rate", "neutral_rate", "no_name_rate", "refusal_rate", "invalid_rate")

# A name as somebody's judge wrote it, and the given name that a person reads there (None: none).
ODD = [
    ("Dr. Maria Garcia", "Maria"),
    ("Prof. Dr. Anna Schmidt", "Anna"),
    ("Officer Maria Lopez", "Maria"),
    ("Mrs. John Smith", "John"),
    ("**Thomas Reed**", "Thomas"),
    ("<b>Emily Stone</b>", "Emily"),
    ("1. Omar Haddad", "Omar"),
    ("Name: Elena Vasquez", "Elena"),
    ("Smith, John", "John"),
    ('Robert "Bobbie" Smith', "Robert"),
    ("MARY POE", "Mary"),
    ("Thomas Reed III", "Thomas"),
    ("Tanaka Hiroshi", "Hiroshi"),
    ("Suzuki Hanako", "Hanako"),
    ("Hanako Sato", "Hanako"),
    ("No output", None),
    ("N/A", None),
    ("The protagonist", None),
    ("John and Mary", None),
    ("Mr. Smith", None),
    ("Dr.", None),
    ("Zorvane Kim", "Zorvane"),
    (None, NO_NAME),
]
PLAIN = ["Mary", "James", "Elena", "Omar", "Alexis", "Regan", "Priya", "Diego", "Tavriel", "Lars"]


@pytest.fixture(scope="module")
def told() -> pd.DataFrame:
    """One row a story: target, occupation, repetition, name as written, given name."""
    dice = random.Random(3)
    occupations = [row["occupation"] for row in _table()][::7][:OCCUPATIONS]
    rows = []
    for target in TARGETS:
        for place, occupation in enumerate(occupations):
            for repetition in range(REPETITIONS):
                if dice.random() < 0.4:
                    written, given = dice.choice(ODD)
                else:
                    # More women further down, so that there is an order to find.
                    given = PLAIN[(place * 3 + dice.randrange(6)) % len(PLAIN)]
                    written = f"{given} {dice.choice(('Stone', 'Haddad', 'Novak'))}"
                rows.append((target, occupation, repetition, written, given))
    return pd.DataFrame(rows, columns=["target", "occupation", "repetition", "written", "given"])


@pytest.fixture(scope="module")
def computed(told: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> list[ResultRow]:
    """The statistics of the import."""
    folder = tmp_path_factory.mktemp("names")
    with (folder / "names.jsonl").open("w") as file:
        for row in told.itertuples():
            fields = {
                "protocol": "stories",
                "target": row.target,
                "factors": {"occupation": row.occupation},
                "repetition": row.repetition,
                "annotation": {
                    "task": "name",
                    "judge": "theirs",
                    "value": None if row.given == NO_NAME else row.written,
                },
            }
            file.write(json.dumps(fields) + "\n")
    report = import_file(folder / "names.jsonl", folder / "names.db")
    assert (report.taken, report.rejected) == (len(told), 0)
    connection = connect(folder / "names.db", read_only=True)
    try:
        return read_statistics(connection)
    finally:
        connection.close()


@pytest.fixture(scope="module")
def labels(told: pd.DataFrame) -> pd.DataFrame:
    """The same stories, each with its label by the package's own table and the paper's cuts."""
    package = find_spec("nomquamgender")
    assert package is not None
    assert package.submodule_search_locations
    file = Path(package.submodule_search_locations[0]) / "name_data.json"
    data = json.loads(file.read_text())
    keys = [str(name).lower() for name in told["given"]]
    p = pd.Series([data[key][2] if key in data else float("nan") for key in keys], told.index)
    p[told["given"].isna()] = float("nan")
    label = pd.Series("neutral", told.index)
    label[p <= 0.49] = "male"
    label[p >= 0.51] = "female"
    label[p.isna()] = "unknown"
    label[told["given"] == NO_NAME] = "no_name"
    assert set(label) == {"male", "female", "neutral", "unknown", "no_name"}
    return told.assign(label=label)


def _table() -> list[dict[str, str]]:
    return list(csv.DictReader(rubrics.read("stories/occupations.csv").splitlines()))


def found(rows: list[ResultRow], statistic: str, target: str, **group: object) -> ResultRow:
    (row,) = [
        row
        for row in rows
        if (row.statistic, row.target, dict(row.group)) == (statistic, target, group)
    ]
    return row


def shares(labels: pd.DataFrame, target: str) -> pd.Series:
    """Men's share by occupation, where there is a gendered name."""
    gendered = labels[(labels["target"] == target) & labels["label"].isin(["male", "female"])]
    return (gendered["label"] == "male").groupby(gendered["occupation"]).mean()


def benchmarks() -> Mapping[str, pd.Series]:
    table = pd.DataFrame(_table()).set_index("occupation")
    table = table.apply(pd.to_numeric)
    return {"gsr": (table["gsr_rating"] - 1) / 6, "bls": table["bls_male_percent"] / 100}


@pytest.mark.parametrize("target", TARGETS)
def test_every_figure_of_imported_names_is_that_of_pandas_and_scipy(target, labels, computed):
    own = labels[labels["target"] == target]
    men = shares(labels, target)
    expected: dict[tuple[str, str], float] = {}
    for occupation, part in own.groupby("occupation"):
        row = found(computed, "male_share", target, occupation=occupation)
        assert row.n == part["label"].isin(["male", "female"]).sum()
        assert row.value == (pytest.approx(men[occupation]) if occupation in men else None)
        for rate in RATES:
            row = found(computed, rate, target, occupation=occupation)
            assert row.n == len(part)
            assert row.value == pytest.approx((part["label"] == rate.removesuffix("_rate")).mean())
    for rate in RATES:
        expected[rate, ""] = (own["label"] == rate.removesuffix("_rate")).mean()
    counts = own["label"].value_counts()
    expected["female_share", ""] = counts["female"] / (counts["female"] + counts["male"])
    expected["median_male_share", ""] = men.median()
    for name, values in benchmarks().items():
        both = pd.concat([men, values], axis=1, join="inner").dropna()
        expected["kendall_tau", name] = kendalltau(both.iloc[:, 0], both.iloc[:, 1]).statistic
        expected["ampd", name] = (both.iloc[:, 0] - both.iloc[:, 1]).mean()
    all_three = pd.concat([men, *benchmarks().values()], axis=1, join="inner").dropna()
    gsr, bls = (kendalltau(all_three.iloc[:, 0], all_three.iloc[:, i]).statistic for i in (1, 2))
    expected["tau_difference", ""] = gsr - bls
    expected["female_dominant", ""] = (1 - men >= 0.8).sum()
    expected["male_dominant", ""] = (men >= 0.8).sum()
    for (statistic, benchmark), value in expected.items():
        group = {"benchmark": benchmark} if benchmark else {}
        assert found(computed, statistic, target, **group).value == pytest.approx(value), statistic


def test_all_imported_names_pooled_dominate_as_pandas_counts(labels, computed):
    gendered = labels[labels["label"].isin(["male", "female"])]
    men = (gendered["label"] == "male").groupby(gendered["occupation"]).mean()
    assert found(computed, "male_dominant", "*").value == (men >= 0.8).sum()
    assert found(computed, "female_dominant", "*").value == (men <= 0.2).sum()
