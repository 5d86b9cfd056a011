"""What `spatial.construction` computes from annotations. The card defines every statistic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from auditor.protocols.base import CellRecord, Materials, StatisticRow
from auditor.protocols.rows import Rows
from auditor.protocols.spatial_construction._stat_agency import agency_rows
from auditor.protocols.spatial_construction._stat_feeling import sentiment_rows
from auditor.protocols.spatial_construction._stat_rates import left_out, length_rows, rate_rows
from auditor.protocols.spatial_construction._stat_roles import role_rows
from auditor.protocols.spatial_construction._stat_stories import collect
from auditor.protocols.spatial_construction._stat_words import adjective_rows, salient_rows
from auditor.protocols.spatial_construction.params import LEAST_FREQUENCY, SALIENT_WORDS
from auditor.protocols.spatial_construction.prompts import word_limit
from auditor.protocols.spatial_construction.values import (
    ADJECTIVES,
    AGENCY,
    ROLE,
    SENTIMENT,
    WORDS,
)
from auditor.protocols.spatial_explicit.prompts import all_spaces

if TYPE_CHECKING:
    from auditor.protocols.spatial_construction.params import SpatialConstructionParams

PROTOCOL = "spatial.construction"


def statistics(
    target: str,
    cells: Iterable[CellRecord],
    params: SpatialConstructionParams | None,
    materials: Materials,
) -> Iterator[StatisticRow]:
    """All rows of one target. A task that nothing annotated gives no rows.

    Raises StatisticsError for an annotation value that its task does not allow.
    """
    spaces = all_spaces(materials)
    domains = {space.name: space.domain for space in spaces}
    stories = collect(cells, domains, word_limit(materials))
    rows = Rows(PROTOCOL, target)
    notes = {task: left_out(found) for task, found in stories.coverage.items()}
    judged = {task for task, found in stories.coverage.items() if found.valid}
    yield from rate_rows(rows, stories)
    if stories.lengths:
        yield from length_rows(rows, stories, notes.get(WORDS))
    if WORDS in judged:
        most = params.salient_words if params else SALIENT_WORDS
        yield from salient_rows(rows, stories, [space.name for space in spaces], most)
    if SENTIMENT in judged:
        yield from sentiment_rows(rows, stories, notes[SENTIMENT])
    if ADJECTIVES in judged:
        least = params.least_frequency if params else LEAST_FREQUENCY
        yield from adjective_rows(rows, stories, least, notes[ADJECTIVES])
    if AGENCY in judged:
        yield from agency_rows(rows, stories, notes[AGENCY])
    if ROLE in judged:
        yield from role_rows(rows, stories, notes[ROLE])
