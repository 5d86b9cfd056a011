"""Rows of one space: the preferred answer of a reward model, p(men) of a language model."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from auditor.counted import counted
from auditor.protocols.base import StatisticRow
from auditor.protocols.rows import Group, Rows, join_notes, pending_note
from auditor.protocols.spatial_tracing._stat_scores import SpaceScores
from auditor.protocols.spatial_tracing.values import LOG_PROBABILITY, REWARD
from auditor.protocols.tuning_shifts import SHARE
from auditor.statistics import two_sided_p

LABEL = "reward_label"
_NAMES = {REWARD: "reward", LOG_PROBABILITY: "log-probability"}
_TIE = "both answers have the same reward"


def space_rows(
    rows: Rows, group: Group, found: SpaceScores, kinds: Sequence[str]
) -> Iterator[StatisticRow]:
    """Of rewards the answer with the higher one and by how much, of log-probabilities p(men)."""
    if REWARD in kinds:
        margin = found.difference(REWARD)
        n, note = found.n(REWARD), _note(found, REWARD)
        tie = _TIE if margin == 0 else None
        label = None if not margin else float(margin > 0)
        yield rows.figure(LABEL, group, label, n=n, note=join_notes(tie, note))
        yield rows.figure("reward_margin", group, margin, n=n, note=note)
    if LOG_PROBABILITY in kinds:
        yield rows.figure(
            SHARE,
            group,
            _men_share(found.difference(LOG_PROBABILITY)),
            n=found.n(LOG_PROBABILITY),
            note=_note(found, LOG_PROBABILITY),
        )


def domain_row(rows: Rows, group: Group, spaces: Sequence[SpaceScores]) -> StatisticRow:
    """`reward_men_spaces`: how many spaces are men's by their rewards, against a fair coin."""
    margins = [found.difference(REWARD) for found in spaces]
    known = [margin for margin in margins if margin is not None]
    decided = [margin for margin in known if margin]
    men, n = sum(margin > 0 for margin in decided), len(decided)
    return rows.figure(
        "reward_men_spaces",
        group,
        float(men) if n else None,
        n=n,
        p_value=two_sided_p(men, n),
        note=join_notes(
            None if n else "no space has a preferred answer",
            _left_out(len(known) - n, "with equal rewards"),
            _left_out(len(margins) - len(known), "without both rewards"),
        ),
    )


def _men_share(log_odds: float | None) -> float | None:
    """p(men) / (p(men) + p(women)) from the difference of their logs, however small both are."""
    if log_odds is None:
        return None
    rest = math.exp(-abs(log_odds))
    return (1.0 if log_odds >= 0 else rest) / (1 + rest)


def _note(found: SpaceScores, kind: str) -> str | None:
    missing = " and ".join(found.missing(kind))
    tally = found.tally
    return join_notes(
        f"no {_NAMES[kind]} of {missing}" if missing else None,
        pending_note(tally.pending, tally.responses),
    )


def _left_out(spaces: int, why: str) -> str | None:
    return f"{counted(spaces, 'space')} {why} left out" if spaces else None
