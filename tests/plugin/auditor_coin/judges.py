"""A judge that reads one text at a time, and one that reads many at once."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence

from agents.judges import Verdict
from auditor.errors import UsageError
from auditor.types import JSON


class Words:
    """Reads a side by word lists."""

    summary = "reads a man or a woman by word lists"
    materials = ("coin/words.toml",)
    takes_params = True
    task, name = "side", "words"

    def __init__(self, words_toml: str, params: Mapping[str, JSON]) -> None:
        for key, value in params.items():
            if key != "strict" or not isinstance(value, bool):
                raise UsageError(f"params.{key}: value {value!r}; allowed: strict, true or false")
        self._lists = tomllib.loads(words_toml)
        self._strict = params.get("strict", False)

    @property
    def configuration(self) -> Mapping[str, JSON]:
        return {"words": self._lists, "strict": self._strict}

    def judge(self, text: str) -> Verdict:
        found = set(re.findall(r"[a-z]+", text.lower()))
        sides = [side for side, words in self._lists.items() if found & set(words)]
        if len(sides) == 1:
            return Verdict(True, sides[0])
        return Verdict(False, reason="both sides" if sides else "no side")


class Capitals:
    """Takes the first words with capitals for the name."""

    summary = "the first two capitalised words, an example"
    task, name = "name", "capitals"
    configuration: Mapping[str, JSON] = {"version": 1}

    async def start(self) -> None:
        pass

    async def judge_batch(self, values: Sequence[str]) -> list[Verdict]:
        return [self._verdict(text) for text in values]

    async def close(self) -> None:
        pass

    def _verdict(self, text: str) -> Verdict:
        found = re.search(r"\b[A-Z][a-z]+ [A-Z][a-z]+\b", text)
        return Verdict(True, found.group() if found else None)
