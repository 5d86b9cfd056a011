"""What of a plan one process is to do: some protocols, targets or judges, or so many trials."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from auditor.scheduler.judge_plan import JudgeWork
from auditor.spec.model import Judge, Spec, Target
from auditor.store.status import JudgeProgress


@dataclass(frozen=True, kw_only=True)
class JudgePart:
    """Which judges of a plan work, where not all of them do."""

    asked: tuple[JudgeWork, ...]
    """The judge that is asked for: one a setting, where its task has several."""
    readers: tuple[JudgeWork, ...] = ()
    """Those that read its annotations."""
    limits: tuple[int, ...] | None = None
    """Sources that each of `asked` takes up at most; None: all."""

    @property
    def works(self) -> tuple[JudgeWork, ...]:
        """All that work, in an order in which none reads a later one."""
        return (*self.asked, *self.readers)

    @property
    def names(self) -> frozenset[tuple[str, str]]:
        """(task, name) of all that work, as the spec calls them."""
        return frozenset((work.record.task, work.record.name) for work in self.works)

    def limit_of(self, work: JudgeWork) -> int | None:
        """How many sources a judge takes up at most; None: all."""
        if self.limits is None or work not in self.asked:
            return None
        return self.limits[self.asked.index(work)]

    def planned(self, progress: Iterable[JudgeProgress]) -> int:
        """Sources that these judges have in the whole."""
        return sum(judge.planned for judge in self._own(progress))

    def undone(self, progress: Iterable[JudgeProgress]) -> int:
        """Sources at which they failed, or which they should have read and did not."""
        undone = 0
        for judge in self._own(progress):
            is_limited = self.limits is not None and judge.task == self.asked[0].record.task
            undone += judge.failed + (0 if is_limited else judge.lag)
        return undone

    def _own(self, progress: Iterable[JudgeProgress]) -> list[JudgeProgress]:
        labels = {(work.record.task, work.record.label) for work in self.works}
        return [judge for judge in progress if (judge.task, judge.judge) in labels]


@dataclass(frozen=True, kw_only=True)
class Part:
    """What of a plan this process is to do; the plan itself stays whole."""

    protocols: frozenset[str] | None = None
    targets: frozenset[str] | None = None
    trials: int | None = None
    judges: JudgePart | None = None
    """Judges that work; None: all. Where some are named, the plan is no matter of this process."""

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left out."""
        return self == Part()

    def targets_of(self, spec: Spec) -> list[Target]:
        """The targets that are asked."""
        wanted = self.targets
        return [target for target in spec.targets if wanted is None or target.name in wanted]

    def endpoints_of(self, spec: Spec) -> list[str]:
        """The endpoints that are called; a key of any other is not needed."""
        targets = [target.endpoint for target in self.targets_of(spec)]
        judges = [judge.endpoint for judge in self.judges_of(spec) if judge.endpoint is not None]
        return list(dict.fromkeys([*targets, *judges]))

    def judges_of(self, spec: Spec) -> list[Judge]:
        """The judges of the spec that work."""
        part = self.judges
        return [j for j in spec.judges if part is None or (j.task, j.name) in part.names]
