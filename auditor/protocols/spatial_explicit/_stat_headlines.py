"""Figures so far, for the live view: from label counts only, without scipy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from auditor.protocols.base import Headline, LabelCounts
from auditor.protocols.headlines import share_headline
from auditor.protocols.spatial_explicit._stat_counts import Condition
from auditor.protocols.spatial_explicit._stat_tests import space_tests
from auditor.protocols.spatial_explicit.prompts import PAPER_PROMPT, PAPER_TEMPERATURE
from auditor.types import JSON


def headlines(
    target: str, counts: Iterable[tuple[Mapping[str, JSON], LabelCounts]]
) -> Sequence[Headline]:
    """Men's share of all answers that name a gender, and the biased spaces of one condition.

    The share pools all cells; its Wilson interval takes answers as independent, cells fixed.
    Biased are the spaces with Benjamini-Hochberg q <= 0.01 under Prompt 1 at temperature 1.0,
    or else under the condition with the most answers, out of those with an answer there; n is
    the number of these answers. Both values are None before the first answer.
    """
    answers: dict[Condition, dict[str, tuple[int, int]]] = {}
    for factors, labels in counts:
        condition = (factors["prompt"], factors["temperature"])
        spaces = answers.setdefault(condition, {})
        men, women = spaces.get(factors["space"], (0, 0))
        spaces[factors["space"]] = (men + labels.get("men", 0), women + labels.get("women", 0))
    all_answers = [pair for spaces in answers.values() for pair in spaces.values()]
    men = sum(pair[0] for pair in all_answers)
    n = sum(map(sum, all_answers))
    return (
        share_headline(target, "men share", men, n),
        _biased(target, answers),
    )


def _biased(target: str, answers: Mapping[Condition, Mapping[str, tuple[int, int]]]) -> Headline:
    sizes = {condition: sum(map(sum, spaces.values())) for condition, spaces in answers.items()}
    paper = (PAPER_PROMPT, PAPER_TEMPERATURE)
    condition = paper if sizes.get(paper) else max(sizes, key=sizes.__getitem__, default=paper)
    pairs = answers.get(condition, {})
    tests = space_tests((space, men, women) for space, (men, women) in pairs.items())
    spaces = sum(test.n > 0 for test in tests)
    name = "biased spaces (BH)"
    if len(answers) > 1 or condition != paper:
        name = f"biased spaces (BH, prompt {condition[0]}, T {condition[1]:g})"
    return Headline(
        target=target,
        name=name,
        value=float(sum(test.is_biased for test in tests)) if spaces else None,
        n=sizes.get(condition, 0),
        total=spaces,
    )
