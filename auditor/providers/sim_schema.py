"""JSON that fits a schema: how a simulated judge answers, rightly, wrongly or by position."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from auditor.types import JSON

Draw = Callable[[str], float]
UNKNOWN: Any = object()
"""What is right is not known (None would be a JSON value)."""
_FREE_TEXT = "simulated"
_DEFAULT_RANGE = (0.0, 1.0)


def simulated_value(
    schema: Mapping[str, JSON],
    draw: Draw,
    *,
    truth: JSON = UNKNOWN,
    error: float = 0.0,
    order_preference: float = 0.0,
) -> JSON:
    """A value that fits the schema; for an object, each field is answered for itself.

    A field gives, with probability `order_preference`, the first of the options that its schema
    lists (fields without options have no order); else, with probability `error`, a value other
    than the right one; else the right one, where `truth` holds one, and a uniform draw where not.
    Fields that are not required are given too. `draw(stream)` is asked once for each field and
    purpose, so the answer is a pure function of it.

    Reads type, enum, const, properties, items, minItems, minimum, maximum, anyOf and oneOf (their
    first branch that is not null), and $ref into $defs. Numbers have two decimals, from
    0 to 1 where the schema sets no range.
    """
    return _Answer(schema, draw, error, order_preference).value(schema, truth, "")


class _Answer:
    def __init__(
        self, root: Mapping[str, JSON], draw: Draw, error: float, order_preference: float
    ) -> None:
        self._root = root
        self._draw = draw
        self._error = error
        self._order_preference = order_preference

    def value(self, schema: Mapping[str, JSON], truth: JSON, path: str) -> JSON:
        schema = self._resolved(schema)
        kind = schema.get("type")
        if kind == "object" or "properties" in schema:
            known = truth if isinstance(truth, Mapping) else {}
            return {
                name: self.value(part, known.get(name, UNKNOWN), f"{path}.{name}")
                for name, part in schema.get("properties", {}).items()
            }
        if kind == "array" and truth is UNKNOWN:
            item = schema.get("items", {})
            count = max(1, schema.get("minItems", 1))
            return [self.value(item, UNKNOWN, f"{path}[{i}]") for i in range(count)]
        options = _options(schema)
        if options and self._draw(f"order{path}") < self._order_preference:
            return options[0]
        is_wrong = self._draw(f"error{path}") < self._error
        if truth is not UNKNOWN and not is_wrong:
            return truth
        number = self._draw(f"value{path}")
        if options:
            others = [option for option in options if option != truth] or options
            return others[int(number * len(others))]
        return self._free(kind, schema, truth, number)

    def _free(self, kind: JSON, schema: Mapping[str, JSON], truth: JSON, number: float) -> JSON:
        if kind not in ("number", "integer"):
            return None if kind == "null" else _FREE_TEXT
        low = schema.get("minimum", _DEFAULT_RANGE[0])
        high = schema.get("maximum", max(low, _DEFAULT_RANGE[1]))
        if kind == "integer":
            values = [n for n in range(int(low), int(high) + 1) if n != truth] or [int(low)]
            return values[int(number * len(values))]
        value = round(low + number * (high - low), 2)
        if value == truth:
            # The far end of the range is never the value that was right.
            value = high if value - low < high - value else low
        return value

    def _resolved(self, schema: Mapping[str, JSON]) -> Mapping[str, JSON]:
        while True:
            if "$ref" in schema:
                found: Any = self._root
                for part in str(schema["$ref"]).removeprefix("#/").split("/"):
                    found = found[part]
                schema = found
            elif branches := schema.get("anyOf") or schema.get("oneOf"):
                schema = next((b for b in branches if b.get("type") != "null"), branches[0])
            else:
                return schema


def _options(schema: Mapping[str, JSON]) -> list[JSON]:
    if "enum" in schema:
        return list(schema["enum"])
    if "const" in schema:
        return [schema["const"]]
    return [True, False] if schema.get("type") == "boolean" else []
