"""Rows that divide out what a model answers to the options alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from auditor.protocols.base import StatisticRow
from auditor.protocols.rows import Rows, join_notes
from auditor.protocols.spatial_probability._stat_masses import SpaceMass


def prior_rows(
    rows: Rows, prompt: str, prior: SpaceMass, spaces: Sequence[SpaceMass]
) -> Iterator[StatisticRow]:
    """`men_prior` of a prompt, and each space's probability with the prior divided out."""
    why = _why_no_prior(prior)
    yield rows.figure("men_prior", {"prompt": prompt}, prior.share, n=prior.n, note=why)
    for space in spaces:
        unknown = None if space.share is not None else "uncovered or without a valid answer"
        yield rows.figure(
            "men_probability_corrected",
            {"space": space.space, "prompt": prompt},
            None if why or unknown else _corrected(space, prior),
            n=space.n,
            note=join_notes(unknown, why),
        )


def _why_no_prior(prior: SpaceMass) -> str | None:
    """Why nothing can be divided by the prior; None where it can."""
    if prior.share is None:
        return "the prompt without a place is uncovered or has no valid answer"
    side = prior.missing_side
    return f"without a place no token of {side} is among those listed" if side else None


def _corrected(space: SpaceMass, prior: SpaceMass) -> float:
    """Both masses divided by their prior, normalised."""
    assert space.men is not None
    assert space.women is not None
    assert prior.men
    assert prior.women
    men, women = space.men / prior.men, space.women / prior.women
    return men / (men + women)
