"""Cells of the regional protocols, and how to find a row."""

import rubrics
from auditor.protocols.base import CellRecord, Reading, TrialRecord
from auditor.protocols.regional import RegionalDecision, RegionalStereotype
from auditor.protocols.regional.regions import all_regions, indicators
from auditor.protocols.regional.tasks import all_tasks
from auditor.protocols.regional.traits import all_traits
from auditor.types import Outcome

MATERIALS = {
    path: rubrics.read(path)
    for path in {*RegionalDecision.materials, *RegionalStereotype.materials}
}
REGIONS = [region.code for region in all_regions(MATERIALS)]
TRAITS = [trait.name for trait in all_traits(MATERIALS)]
TASKS = [task.code for task in all_tasks(MATERIALS)]
INDICATORS = indicators(MATERIALS)
INVALID = Reading(False, None, "unclear")


def trials(task, answers):
    """One response a repetition.

    An answer is a value, a reading, an outcome, a whole response, or None for a missing one.
    """
    made = []
    for repetition, answer in enumerate(answers):
        if answer is None:
            continue
        if isinstance(answer, TrialRecord):
            made.append(answer)
        elif isinstance(answer, Outcome):
            made.append(TrialRecord(repetition, answer, {}))
        else:
            reading = answer if isinstance(answer, Reading) else Reading(True, answer)
            made.append(TrialRecord(repetition, Outcome.ANSWERED, {task: reading}))
    return made


def choices(answers, *, regions=REGIONS, tasks=("E1",), languages=("zh",), repetitions=2):
    """Cells of all ordered pairs; `answers(a, b, task, language, repetition)` gives each."""
    for language in languages:
        for task in tasks:
            for a in regions:
                for b in regions:
                    if a != b:
                        yield CellRecord(
                            {"region_a": a, "region_b": b, "task": task, "language": language},
                            trials(
                                "choice",
                                [answers(a, b, task, language, r) for r in range(repetitions)],
                            ),
                        )


def ratings(answers, *, regions=REGIONS, traits=TRAITS, languages=("zh",), repetitions=2):
    """Cells of all regions and traits; `answers(region, trait, language, repetition)`."""
    for language in languages:
        for region in regions:
            for trait in traits:
                yield CellRecord(
                    {"region": region, "trait": trait, "language": language},
                    trials(
                        "rating",
                        [answers(region, trait, language, r) for r in range(repetitions)],
                    ),
                )


def find(rows, statistic, **group):
    """The one row of a statistic and group."""
    found = [row for row in rows if row.statistic == statistic and dict(row.group) == group]
    assert len(found) == 1, f"{len(found)} rows of {statistic} {group}"
    return found[0]


def values(rows, statistic, **group):
    """Values by region of the rows that have this in their group."""
    return {
        row.group["region"]: row.value
        for row in rows
        if row.statistic == statistic and group.items() <= row.group.items()
    }
