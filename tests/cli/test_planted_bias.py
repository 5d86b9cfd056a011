"""The whole engine finds the bias that was planted, over many seeds, and none where there is none.

Everything between plan and result table takes part: cells, calls, store, judge, statistics. The
seeds are fixed, so a failure is a change of the program and no bad luck.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, sqrt

import pytest

from tests.cli.driving import auditor, write

SEEDS = range(20)
REPETITIONS = 20
PLANTED = {"kitchen": 0.05, "garage": 0.95, "mall": 0.5, "park": 0.5, "office": 0.5, "gym": 0.5}
FAIR = [space for space, men in PLANTED.items() if men == 0.5]
REFUSAL, NOISE = 0.1, 0.05
STANDARD_ERRORS = 4.5


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """The result rows of every seed, by statistic and space."""
    folder = tmp_path_factory.mktemp("planted")
    found = []
    for seed in SEEDS:
        spec = write(
            folder / f"{seed}.toml",
            targets='[[targets]]\nmodel = "sim:planted"\nextra_body = {'
            f"refusal = {REFUSAL}, noise = {NOISE}, "
            "men = {kitchen = 0.05, garage = 0.95, default = 0.5}}\n",
            repetitions=REPETITIONS,
            spaces=tuple(PLANTED),
        )
        spec.write_text(spec.read_text().replace("seed = 1\n", f"seed = {seed}\n"))
        assert auditor("run", spec, "--json").code == 0
        stats = auditor("stats", spec.with_suffix(".db"), "--json").data
        assert all(row["simulated"] for row in stats)
        found.append({(row["statistic"], row["group"].get("space")): row for row in stats})
    return found


def pooled(results, statistic: str, space: str | None) -> tuple[float, int]:
    """The share over all seeds, and how many answers it rests on."""
    rows = [found[statistic, space] for found in results]
    n = sum(row["n"] for row in rows)
    return sum(row["value"] * row["n"] for row in rows) / n, n


@pytest.mark.parametrize("space", PLANTED)
def test_the_share_of_men_is_the_planted_one(results, space):
    share, n = pooled(results, "men_share", space)
    men = PLANTED[space]
    assert n == pytest.approx(len(SEEDS) * REPETITIONS * (1 - REFUSAL - NOISE), rel=0.1)
    assert abs(share - men) < STANDARD_ERRORS * sqrt(men * (1 - men) / n)


@pytest.mark.parametrize(
    ("statistic", "planted"), [("refusal_rate", REFUSAL), ("invalid_rate", NOISE)]
)
def test_answers_without_a_gender_come_at_their_planted_rates(results, statistic, planted):
    rows = [found[statistic, space] for found in results for space in PLANTED]
    n = sum(row["n"] for row in rows)
    rate = sum(row["value"] * row["n"] for row in rows) / n
    assert n == len(SEEDS) * REPETITIONS * len(PLANTED)
    assert abs(rate - planted) < STANDARD_ERRORS * sqrt(planted * (1 - planted) / n)


def test_a_strongly_biased_space_is_found_on_its_side(results):
    for found in results:
        assert found["men_share", "garage"]["ci_low"] > 0.5
        assert found["men_share", "kitchen"]["ci_high"] < 0.5
    named = sum(found["men_biased_spaces", None]["value"] for found in results)
    assert named == sum(
        found["binomial_q", space]["value"] <= 0.01 and found["men_share", space]["value"] > 0.5
        for found in results
        for space in PLANTED
    )
    assert named >= len(SEEDS) / 2


@pytest.mark.parametrize("level", [0.01, 0.05, 0.2])
def test_fair_spaces_are_significant_as_often_as_the_exact_test_says(results, level):
    rows = [found["binomial_p", space] for found in results for space in FAIR]
    count = sum(row["value"] <= level for row in rows)
    assert is_likely(count, [true_level(row["n"], level) for row in rows])


def test_intervals_cover_the_planted_share_as_often_as_wilsons_do(results):
    rows = [(found["men_share", space], men) for found in results for space, men in PLANTED.items()]
    held = sum(row["ci_low"] <= men <= row["ci_high"] for row, men in rows)
    assert is_likely(held, [wilson_coverage(row["n"], men) for row, men in rows])


def is_likely(count: int, coins: Sequence[float]) -> bool:
    """Whether so many heads are in neither far tail of a throw of these unequal coins."""
    chances = [1.0]
    for heads in coins:
        stay = [*(chance * (1 - heads) for chance in chances), 0.0]
        chances = [a + b * heads for a, b in zip(stay, [0.0, *chances], strict=True)]
    return min(sum(chances[count:]), sum(chances[: count + 1])) > 1e-3


def true_level(n: int, level: float) -> float:
    """Chance that the exact two-sided test of an even coin gives p <= level after n tosses."""
    masses = [comb(n, k) / 2**n for k in range(n + 1)]
    tails = [2 * sum(masses[: min(k, n - k) + 1]) for k in range(n + 1)]
    return sum(mass for mass, p in zip(masses, tails, strict=True) if p <= level)


def wilson_coverage(n: int, share: float) -> float:
    """Chance that Wilson's interval of 95 % holds the true share, summed over all counts."""
    z = 1.959963984540054
    covered = 0.0
    for k in range(n + 1):
        middle = (k + z * z / 2) / (n + z * z)
        half = z / (n + z * z) * sqrt(k * (n - k) / n + z * z / 4)
        if middle - half <= share <= middle + half:
            covered += comb(n, k) * share**k * (1 - share) ** (n - k)
    return covered
