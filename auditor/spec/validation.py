"""Raw tables of a spec against their pydantic models, with problems in the spec's own terms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError
from pydantic.config import JsonDict
from pydantic.fields import FieldInfo

from auditor.spec.positions import Path
from auditor.spec.problems import Problems, shown
from auditor.types import JSON

Table = TypeVar("Table", bound=BaseModel)

SECRET: JsonDict = {"secret": True}
"""json_schema_extra of a field whose wrong value is not shown: it may be or hold a key."""


def validated(model: type[Table], raw: JSON, path: Path, problems: Problems) -> Table | None:
    """The table as its model, or None after adding all that is wrong with it to `problems`.

    What a field allows is said by its description, so that it is written in one place.
    """
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        # A list is also called too short for each wrong item: only the item is worth saying.
        details = error.errors(include_url=False)
        places = [detail["loc"] for detail in details]
    for detail, place in zip(details, places, strict=True):
        if any(len(other) > len(place) and other[: len(place)] == place for other in places):
            continue
        _add(model, detail["type"], detail["msg"], place, raw, path, problems)
    return None


def _add(
    model: type[BaseModel],
    kind: str,
    message: str,
    place: tuple[str | int, ...],
    raw: JSON,
    path: Path,
    problems: Problems,
) -> None:
    table, field = _field_at(model, place)
    if kind == "extra_forbidden":
        problems.add_unknown((*path, *place), table.model_fields)
        return
    allowed = (field.description if field else None) or message
    extra = field.json_schema_extra if field else None
    value, found = _value_at(raw, place)
    reason = message.removeprefix("Value error, ") if kind == "value_error" else ""
    if kind == "missing" or not found:
        said = "missing"
    elif isinstance(extra, dict) and extra.get("secret"):
        said = reason or "value not shown"
    else:
        said = f"value {shown(value)}" + (f" ({reason})" if reason else "")
    problems.add((*path, *place), said, allowed)


def _field_at(
    model: type[BaseModel], place: tuple[str | int, ...]
) -> tuple[type[BaseModel], FieldInfo | None]:
    """The innermost table on the way to a place, and the field of it that the way goes through."""
    field: FieldInfo | None = None
    for part in place:
        found = model.model_fields.get(part) if isinstance(part, str) else None
        if found is None:
            break
        field = found
        inner = _table_in(found.annotation)
        if inner is None:
            break
        model = inner
    return model, field


def _table_in(annotation: Any) -> type[BaseModel] | None:
    for candidate in (annotation, *get_args(annotation)):
        if isinstance(candidate, type) and issubclass(candidate, BaseModel):
            return candidate
    return None


def _value_at(raw: JSON, place: tuple[str | int, ...]) -> tuple[JSON, bool]:
    for part in place:
        is_item = isinstance(raw, list) and isinstance(part, int) and part < len(raw)
        if not is_item and not (isinstance(raw, Mapping) and part in raw):
            return None, False
        raw = raw[part]
    return raw, True
