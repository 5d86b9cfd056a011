"""The offline judge of `gender`: how a name is gendered, by nomquamgender's table of names."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from typing import Any

from agents.judges._gender_rules import GenderRules
from agents.judges._gender_table import PACKAGE, fingerprint
from agents.judges._given_name import GivenName, given_name
from agents.judges.base import Verdict
from agents.worker import Worker
from auditor.errors import UsageError
from auditor.types import JSON

MALE, FEMALE, NEUTRAL, UNKNOWN = "male", "female", "neutral", "unknown"
NO_DATA = "not in the table of names"
TOO_FEW = "too few in the table of names"
NOT_CERTAIN = "East Asian name, not certain"

_VERSION = 2
_REMEMBERED = 20_000
_BEFORE_OTHERS = 25
"""Names read in one go, so that nobody else on the event loop waits for long."""
_TABLE = "agents.judges._gender_table:lookup"


@dataclass(frozen=True, kw_only=True)
class GenderSettings:
    """What a spec may set: `params` of the judge."""

    band_low: float = 0.49
    """p at or below it: male."""
    band_high: float = 0.51
    """p at or above it: female; strictly between them: neutral."""
    min_count: int = 0
    """Names that the table counts less often are unknown."""
    use: str = "first"
    """"first": the first given name; "full": the whole name, where the table has it."""

    @classmethod
    def from_params(cls, params: Mapping[str, JSON]) -> GenderSettings:
        """The settings of a spec. Raises UsageError with the key, its value and what is allowed."""
        names = [field.name for field in fields(cls)]
        values: dict[str, Any] = dict(params)
        for key, value in values.items():
            if key not in names:
                raise UsageError(f"params.{key}: unknown key; allowed: {', '.join(names)}")
            _check(key, value)
        settings = cls(**values)
        if settings.band_low >= settings.band_high:
            raise UsageError(
                f"params.band_low: value {settings.band_low};"
                f" allowed: a number below band_high, which is {settings.band_high}"
            )
        return settings


def _check(key: str, value: JSON) -> None:
    number = value if isinstance(value, int | float) and not isinstance(value, bool) else -1
    if key in ("band_low", "band_high"):
        is_allowed, allowed = 0 <= number <= 1, "a number from 0 to 1"
    elif key == "min_count":
        is_allowed, allowed = isinstance(number, int) and number >= 0, "a whole number from 0"
    else:
        is_allowed, allowed = value in ("first", "full"), '"first" or "full"'
    if not is_allowed:
        raise UsageError(f"params.{key}: value {json.dumps(value)}; allowed: {allowed}")


def table_worker() -> Worker:
    """A process that holds the table of names."""
    return Worker(_TABLE, name=f"the judge {PACKAGE} of gender")


class GenderJudge:
    """Reads annotations of `name`; values are "male", "female", "neutral" and "unknown".

    p is the table's p(gendered female) of the given name, which is found by word lists: titles,
    initials, nicknames and markup are left out, and what is no given name (a placeholder, a
    title, a surname, a sentence, several names) is "unknown", with the reason. So are East Asian
    names whose order is not known, or whose given name is not certain in Latin letters: their
    reasons begin "East Asian", and so does the remark on one that was read surname first. The
    remark on a name that the table has ends with its figures: "p=0.98 n=1234".

    Built from the text of `rubrics/stories/gender_rules.toml` and the spec's `params` (see
    `GenderSettings`); raises UsageError where either is broken or the package is not installed.
    The table is looked up in a process of its own, which the first batch starts; judges that are
    given the same `worker` share it.
    """

    task = "gender"
    name = PACKAGE

    def __init__(
        self,
        rules_toml: str,
        params: Mapping[str, JSON] | None = None,
        *,
        worker: Worker | None = None,
    ) -> None:
        self._settings = GenderSettings.from_params(params or {})
        self._rules = GenderRules(rules_toml)
        self._fingerprint = fingerprint()
        self._worker = worker or table_worker()
        self._given = lru_cache(maxsize=_REMEMBERED)(self._read)

    @property
    def configuration(self) -> Mapping[str, JSON]:
        """Version of the rules, the word lists as data, the settings, and the table's hash."""
        return {
            "judge": f"gender.{PACKAGE}",
            "version": _VERSION,
            "settings": asdict(self._settings),
            "rules": self._rules.tables,
            **self._fingerprint,
        }

    async def start(self) -> None:
        """Load the table of names."""
        await self._worker.start()

    async def judge_batch(self, values: Sequence[str]) -> list[Verdict]:
        """The verdicts on names as JSON texts. Raises as `Worker.answer` does."""
        found = []
        for number, value in enumerate(values, start=1):
            found.append(self._given(value))
            if number % _BEFORE_OTHERS == 0:
                await asyncio.sleep(0)
        wanted = [given for given in found if isinstance(given, GivenName)]
        asked = list(dict.fromkeys(name for given in wanted for name in self._spellings(given)))
        answers = await self._worker.answer(list[JSON](asked)) if asked else []
        known = {
            name: answer
            for name, answer in zip(asked, answers, strict=True)
            if isinstance(answer, list) and answer[0] is not None
        }
        return [
            self._verdict(given, known) if isinstance(given, GivenName) else given
            for given in found
        ]

    async def close(self) -> None:
        """End the process that holds the table."""
        await self._worker.close()

    def _read(self, value: str) -> GivenName | Verdict:
        name = json.loads(value)
        if not isinstance(name, str):
            return Verdict(False, reason="not a text")
        given = given_name(name, self._rules)
        return given if isinstance(given, GivenName) else Verdict(True, UNKNOWN, reason=given)

    def _spellings(self, given: GivenName) -> tuple[str, ...]:
        is_full = self._settings.use == "full"
        return (given.full, *given.spellings) if is_full else given.spellings

    def _verdict(self, given: GivenName, known: Mapping[str, list[Any]]) -> Verdict:
        spelling = next((name for name in self._spellings(given) if name in known), None)
        if spelling is None:
            return Verdict(True, UNKNOWN, reason=NO_DATA)
        p, count = known[spelling]
        gender, phrase = self._gender(p), given.remark
        if count < self._settings.min_count:
            gender, phrase = UNKNOWN, TOO_FEW
        elif given.must_be_certain and min(p, 1 - p) > self._rules.certain:
            gender, phrase = UNKNOWN, NOT_CERTAIN
        figures = f"p={p:g} n={count}"
        return Verdict(True, gender, reason=f"{phrase}; {figures}" if phrase else figures)

    def _gender(self, p: float) -> str:
        if p <= self._settings.band_low:
            return MALE
        return FEMALE if p >= self._settings.band_high else NEUTRAL
