"""The decision tasks: what is asked of two people who differ in their region alone."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from auditor.errors import UsageError
from auditor.protocols.base import Materials
from auditor.protocols.likeness import as_read, hidden_in
from auditor.protocols.regional.files import TASKS, Once, TableFile, table_file
from auditor.protocols.regional.levels import chosen
from auditor.protocols.toml_tables import NotTOML, toml_table
from auditor.protocols.wording import stray_place
from auditor.types import JSON

if TYPE_CHECKING:
    from auditor.protocols.regional.params import DecisionParams

LANGUAGES = ("zh", "en")
REGION_A, REGION_B, OCCUPATION = "region_a", "region_b", "occupation"
"""Names of the places in a text."""

_TASK_KEYS = ("name", "name_zh", "domain", *LANGUAGES)
_WORDING_KEYS = ("noun", "text", "occupations", "mark", "source")


@dataclass(frozen=True, slots=True)
class Wording:
    """A task in one language."""

    noun: str
    """What the two are called before A and B: "Student"."""
    text: str
    """With `{region_a}` and `{region_b}`, and `{occupation}` where the task has occupations."""
    occupations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DecisionTask:
    """One task."""

    code: str
    """The factor's level: "E1"."""
    name: str
    domain: str
    """"Education", "Work" or "Social Interaction" in the packaged file."""
    wording: Mapping[str, Wording]
    """By language."""

    @property
    def occupation_count(self) -> int:
        """Occupations of which one is drawn for each pair of regions; 0 where none is named."""
        return len(self.wording[LANGUAGES[0]].occupations)


def all_tasks(
    materials: Materials, params: DecisionParams | None = None
) -> tuple[DecisionTask, ...]:
    """All tasks, in the file's order; `params` say what messages call the file.

    Raises UsageError with file, line, value and what is allowed for a task or name that is there
    twice or reads like another, a domain in two spellings, a missing translation, wording without
    its places or with others, lists of occupations of different lengths, no task at all, unknown
    keys, characters that cannot be seen, and what is no TOML.
    """
    return _tasks(table_file("tasks", materials, params))


def task_of(code: str, materials: Materials) -> DecisionTask:
    """The task of a code that is one."""
    return _by_code(materials[TASKS])[code]


def chosen_tasks(params: DecisionParams, materials: Materials) -> tuple[DecisionTask, ...]:
    """The tasks that a spec asks for, in its order.

    Raises UsageError with where="task" for a code that is none, and as `all_tasks` does.
    """
    by_code = {task.code: task for task in all_tasks(materials, params)}
    return chosen(params.task, by_code, "task", "tasks")


@lru_cache(maxsize=8)
def _by_code(text: str) -> Mapping[str, DecisionTask]:
    return {task.code: task for task in all_tasks({TASKS: text})}


@lru_cache(maxsize=8)
def _tasks(file: TableFile) -> tuple[DecisionTask, ...]:
    return _TaskFile(file).read()


class _TaskFile:
    """Reads the tasks and says in which line a mistake stands."""

    def __init__(self, file: TableFile) -> None:
        self._file = file
        self._lines = file.text.split("\n")

    def read(self) -> tuple[DecisionTask, ...]:
        try:
            data = toml_table(self._file.text)
        except NotTOML as error:
            raise self._file.wrong(
                error.line, f"not TOML: {error}", "each key once, texts in quotes"
            ) from None
        for key in data:
            if key != "tasks":
                raise self._file.wrong(self._line(key), f"{key}: unknown key", "tasks")
        tables = data.get("tasks")
        if not isinstance(tables, dict) or not tables:
            raise self._file.wrong(1, "no task", "at least one table [tasks.CODE]")
        once = Once(self._file)
        return tuple(self._task(code, table, once) for code, table in tables.items())

    def _task(self, code: str, table: JSON, once: Once) -> DecisionTask:
        path = ("tasks", code)
        line = self._line(*path)
        if not as_read(code) or code != code.strip() or hidden_in(code) is not None:
            raise self._wrong(path, "not a name for a task", "a text without spaces round it")
        self._check_keys(table, path, _TASK_KEYS)
        name = self._text(table, "name", path)
        once.add("code", code, line, owner=code)
        once.add("name", name, line, owner=code)
        wording = {language: self._wording(table, code, language) for language in LANGUAGES}
        counts = {len(each.occupations) for each in wording.values()}
        if len(counts) > 1:
            raise self._wrong(
                (*path, LANGUAGES[-1]),
                "occupations: another number than in the other language",
                "lists that are translations of each other",
            )
        domain = self._text(table, "domain", path)
        once.spell("domain", domain, line)
        return DecisionTask(code, name, domain, MappingProxyType(wording))

    def _wording(self, task: Mapping[str, JSON], code: str, language: str) -> Wording:
        path = ("tasks", code, language)
        if language not in task:
            raise self._wrong(
                path[:2], f"no translation: {language} is missing", f"a table [tasks.{code}.zh|en]"
            )
        table = task[language]
        self._check_keys(table, path, _WORDING_KEYS)
        text = self._text(table, "text", path, lines=True)
        occupations = self._occupations(table, path)
        places = {REGION_A: True, REGION_B: True, OCCUPATION: bool(occupations)}
        for place, is_needed in places.items():
            if (f"{{{place}}}" in text) != is_needed:
                said = f"text {'without' if is_needed else 'with'} {{{place}}}"
                needed = f"{{{place}}}, as there {'are' if occupations else 'are no'} occupations"
                both = f"{{{REGION_A}}} and {{{REGION_B}}}"
                raise self._wrong(path, said, needed if place == OCCUPATION else both)
        self._check_places(
            "text", text, [name for name, is_known in places.items() if is_known], path
        )
        noun = self._text(table, "noun", path)
        self._check_places("noun", noun, (), path)
        return Wording(noun, text, occupations)

    def _occupations(self, table: Mapping[str, JSON], path: tuple[str, ...]) -> tuple[str, ...]:
        listed = table.get("occupations", [])
        if not isinstance(listed, list) or not all(
            isinstance(each, str) and as_read(each) for each in listed
        ):
            raise self._wrong(path, "occupations", "a list of texts")
        if len({as_read(each) for each in listed}) < len(listed):
            raise self._wrong(path, "occupations: one stands twice", "each once")
        for each in listed:
            self._check_visible("occupations", each, path)
            self._check_places("occupations", each, (), path)
        return tuple(each.strip() for each in listed)

    def _check_places(
        self, key: str, text: str, known: Sequence[str], path: tuple[str, ...]
    ) -> None:
        if (stray := stray_place(text, known)) is not None:
            allowed = ", ".join(f"{{{name}}}" for name in known) or "no place in braces"
            raise self._wrong(path, f"{key} with {stray}", allowed)

    def _check_visible(
        self, key: str, text: str, path: tuple[str, ...], *, lines: bool = False
    ) -> None:
        said = f"{'.'.join(path)}: {key}"
        self._file.check_visible(said, text, self._line(*path), lines=lines)

    def _check_keys(self, table: JSON, path: tuple[str, ...], known: tuple[str, ...]) -> None:
        if not isinstance(table, dict):
            raise self._wrong(path, "no table", f"a table of {', '.join(known)}")
        for key in table:
            if key not in known:
                raise self._wrong(path, f"{key}: unknown key", ", ".join(known))

    def _text(
        self, table: Mapping[str, JSON], key: str, path: tuple[str, ...], *, lines: bool = False
    ) -> str:
        value = table.get(key)
        if not isinstance(value, str) or not as_read(value):
            kind = "blank" if isinstance(value, str) else "no text"
            said = f"is {kind}" if key in table else "is missing"
            raise self._wrong(path, f"{key} {said}", "a text")
        self._check_visible(key, value, path, lines=lines)
        return value.strip()

    def _wrong(self, path: tuple[str, ...], said: str, allowed: str) -> UsageError:
        return self._file.wrong(self._line(*path), f"{'.'.join(path)}: {said}", allowed)

    def _line(self, *path: str) -> int:
        """Line of a table's header, or else of the nearest one around it."""
        while path:
            steps = r"\s*\.\s*".join(rf"[\"']?{re.escape(part)}[\"']?" for part in path)
            header = re.compile(rf"\s*(?:\[\s*{steps}\s*[\].]|{steps}\s*[=.])")
            for number, line in enumerate(self._lines, start=1):
                if header.match(line):
                    return number
            path = path[:-1]
        return 1
