"""The guide for `role`: what each role means, its score, and stories that show it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from auditor.errors import UsageError
from auditor.protocols.base import Materials, Part
from auditor.protocols.spatial_construction.values import PERSONS, POWER, ROLES

ROLES_GUIDE = "spatial/roles.toml"
_EXAMPLE = ("story", *PERSONS, "why")


@dataclass(frozen=True, slots=True)
class RoleExample:
    """A story with the roles of its man and its woman."""

    story: str
    man: str
    woman: str
    why: str


@dataclass(frozen=True, slots=True)
class RoleGuide:
    """What people and models that label roles go by."""

    rule: str
    definitions: Mapping[str, str]
    """By role, in the order of `ROLES`."""
    examples: tuple[RoleExample, ...]


def role_guide(materials: Materials) -> RoleGuide:
    """The guide. Raises UsageError that names file and key where it is broken."""
    return _guide(materials[ROLES_GUIDE])


def role_parts(materials: Materials) -> tuple[Part, ...]:
    """The two parts of a value, each with what every role means."""
    guide = role_guide(materials)
    return tuple(
        Part(
            name=person,
            title=f"the {person}'s role",
            definition=guide.rule.strip(),
            anchors=dict(guide.definitions),
        )
        for person in PERSONS
    )


@lru_cache(maxsize=8)
def _guide(text: str) -> RoleGuide:
    try:
        tables: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _broken(f"not TOML: {error}") from None
    roles = tables.get("roles")
    if not isinstance(roles, dict) or set(roles) != set(ROLES):
        raise _broken(f"roles: missing or others; allowed: a table of {', '.join(ROLES)}")
    for name, role in roles.items():
        if role.get("score") != POWER[name]:
            raise _broken(f"roles.{name}.score: {role.get('score')!r}; allowed: {POWER[name]}")
        _text(role.get("definition"), f"roles.{name}.definition")
    examples = tables.get("examples", [])
    for place, example in enumerate(examples):
        for key in _EXAMPLE:
            value = _text(example.get(key), f"examples[{place}].{key}")
            if key in PERSONS and value not in ROLES:
                said = f"examples[{place}].{key}: {value!r}; allowed: {', '.join(ROLES)}"
                raise _broken(said)
    return RoleGuide(
        rule=_text(tables.get("rule"), "rule"),
        definitions={name: roles[name]["definition"] for name in ROLES},
        examples=tuple(RoleExample(*(example[key] for key in _EXAMPLE)) for example in examples),
    )


def _text(value: object, key: str) -> str:
    if isinstance(value, str) and value.strip():
        return value
    raise _broken(f"{key}: missing; allowed: a text")


def _broken(said: str) -> UsageError:
    return UsageError(f"rubrics/{ROLES_GUIDE}: {said}", where=f"rubrics/{ROLES_GUIDE}")
