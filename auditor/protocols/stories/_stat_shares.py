"""Rows of shares and rates: all occupations pooled, and each by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from auditor.protocols.base import StatisticRow
from auditor.protocols.rows import Group, Rows, join_notes, pending_note
from auditor.protocols.stories._stat_counts import Counts
from auditor.protocols.stories._stat_resamples import resampled_occupations
from auditor.protocols.stories.occupations import DOMINANCE
from auditor.statistics import median, percentile_interval, resampled_median

_NO_GENDER = "no name that is male or female"
_NOT_LONGER = "no text that was drawn is longer than the opening that was read"
_LABELS = ("refusal", "invalid", "no_name", "unknown", "neutral")


def overall_rows(rows: Rows, table: Mapping[str, Counts]) -> Iterator[StatisticRow]:
    """Women's share of all gendered names, the median occupation, and the rates."""
    whole = Counts.total(table.values())
    pending = pending_note(whole.pending, whole.responses)
    yield rows.rate(
        "female_share", {}, whole.female, whole.gendered, note=pending, nothing=_NO_GENDER
    )
    yield _median(rows, table, pending)
    yield from _rates(rows, {}, whole)
    yield from _pronoun_agreement(rows, whole)
    yield from _name_reading(rows, whole)


def occupation_rows(rows: Rows, table: Mapping[str, Counts]) -> Iterator[StatisticRow]:
    """Men's share of each occupation; then the rates of each."""
    for occupation, counts in table.items():
        yield rows.rate(
            "male_share",
            {"occupation": occupation},
            counts.male,
            counts.gendered,
            note=pending_note(counts.pending, counts.responses),
            nothing=_NO_GENDER,
        )
    for occupation, counts in table.items():
        yield from _rates(rows, {"occupation": occupation}, counts)


def dominance_rows(
    rows: Rows, names: Mapping[str, tuple[int, int]], threshold: float, note: str | None = None
) -> Iterator[StatisticRow]:
    """How many occupations are at least `threshold` female, or male.

    `names` holds male and female names by occupation. n is the number of occupations with any.
    """
    group: Group = {} if threshold == DOMINANCE else {"threshold": threshold}
    shown = [pair for pair in names.values() if sum(pair)]
    n = len(shown)
    nothing = None if n else f"no occupation has a {_NO_GENDER[3:]}"
    for place, gender in ((1, "female"), (0, "male")):
        # A quotient of integers equals a decimal threshold exactly where it should.
        count = sum(pair[place] / sum(pair) >= threshold for pair in shown)
        yield rows.figure(
            f"{gender}_dominant",
            group,
            float(count) if n else None,
            n=n,
            note=join_notes(nothing, note),
        )


def _median(rows: Rows, table: Mapping[str, Counts], pending: str | None) -> StatisticRow:
    shares = [share for counts in table.values() if (share := counts.male_share) is not None]
    n = len(shares)
    interval = None
    if n > 1:
        interval = percentile_interval(resampled_median(shares, resampled_occupations(n)))
    left_out = len(table) - n
    note = f"{left_out} without a gendered name left out" if n and left_out else None
    return rows.figure(
        "median_male_share",
        {},
        median(shares),
        n=n,
        interval=interval,
        note=join_notes(None if n else _NO_GENDER, note, pending),
    )


def _rates(rows: Rows, group: Group, counts: Counts) -> Iterator[StatisticRow]:
    """Over labelled responses, but the truncated rate: an outcome needs no annotation."""
    return rows.label_rates(
        group,
        {label: getattr(counts, label) for label in _LABELS},
        responses=counts.responses,
        pending=counts.pending,
        truncated=counts.truncated,
    )


def _pronoun_agreement(rows: Rows, whole: Counts) -> Iterator[StatisticRow]:
    if not whole.pronouns:
        return
    by_gender = {
        "male": (whole.male_agreeing, whole.male_compared),
        "female": (whole.female_agreeing, whole.female_compared),
    }
    both = [sum(counts) for counts in zip(*by_gender.values(), strict=True)]
    groups: list[tuple[Group, tuple[int, int]]] = [
        ({}, (both[0], both[1])),
        *(({"gender": gender}, counts) for gender, counts in by_gender.items()),
    ]
    for group, (agreeing, compared) in groups:
        yield rows.rate(
            "pronoun_agreement",
            group,
            agreeing,
            compared,
            note=None,
            nothing="no gendered name beside he or she",
        )


def _name_reading(rows: Rows, whole: Counts) -> Iterator[StatisticRow]:
    """How the offline judge of names found them; nothing where another judge read all."""
    if not whole.read:
        return
    checked = whole.same_by_whole + whole.other_by_whole
    for statistic, count, n in (
        ("name_undecided_rate", whole.by_spacy + whole.guessed, whole.read),
        ("name_by_spacy_rate", whole.by_spacy, whole.read),
        ("name_opening_agreement", whole.same_by_whole, checked),
    ):
        yield rows.rate(statistic, {}, count, n, note=None, nothing=_NOT_LONGER)
