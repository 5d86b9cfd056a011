"""What the mock model says: a pure function of the trial key."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from auditor.draws import draw


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """One answer that is asked for."""

    trial: str
    """Trial key as hex, or what stands for it where the header is missing."""
    model: str
    prompt: str
    """Contents of all messages, joined."""
    params: Mapping[str, Any]
    """The whole body."""
    seed: int = 0

    def draw(self, stream: str) -> float:
        """A number in [0, 1) that belongs to this trial and stream."""
        return draw(self.seed, stream, self.trial)


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """One answer, before it is cut to the output cap and put into a wire format."""

    text: str | None
    refusal: str | None = None
    reasoning: str | None = None
    finish: str = "stop"
    chances: Mapping[str, float] | None = None
    """Probabilities of the first token, for log-probabilities."""


Answer = Callable[[Question], Said]

_WORDINGS = ("{}", "{}.", "**{}**", "Most likely {}.", "{} are more likely to be there.")
_CHANCES = {"Men": 0.6, "Women": 0.36, "I": 0.02, "Both": 0.01, "Neither": 0.01}


def default_answer(question: Question) -> Said:
    """Men in 60 %, women in 36 %, a refusal in words in 4 %, in several wordings.

    Where the body asks for JSON by a schema, an instance of the schema.
    """
    schema = asked_schema(question.params)
    if schema is not None:
        return Said(text=json.dumps(instance_of(schema, question.draw)))
    chance = question.draw("answer")
    if chance >= 0.96:
        return Said(text="I cannot answer that.")
    word = "Men" if chance < 0.6 else "Women"
    wording = _WORDINGS[int(question.draw("wording") * len(_WORDINGS))]
    return Said(text=wording.format(word), chances=_CHANCES)


def asked_schema(body: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The JSON schema that a body asks for, in whichever of the formats' ways."""
    response_format = body.get("response_format") or {}
    if response_format.get("type") == "json_schema":
        return response_format["json_schema"]["schema"]
    if response_format.get("type") == "json_object":
        return {"type": "object", "properties": {"answer": {"enum": ["yes", "no"]}}}
    output = (body.get("output_config") or {}).get("format")
    if output:
        return output["schema"]
    for tool in body.get("tools") or ():
        return tool.get("input_schema") or tool["function"]["parameters"]
    return None


def instance_of(
    schema: Mapping[str, Any],
    chance: Callable[[str], float],
    *,
    path: str = "$",
    root: Mapping[str, Any] | None = None,
) -> Any:
    """A value that fits a schema, drawn by the place in it. Covers what judges ask for."""
    root = schema if root is None else root
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return instance_of(root["$defs"][name], chance, path=path, root=root)
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return instance_of(schema[key][0], chance, path=path, root=root)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][int(chance(path) * len(schema["enum"]))]
    kind = schema.get("type", "object")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        return {
            name: instance_of(part, chance, path=f"{path}.{name}", root=root)
            for name, part in schema.get("properties", {}).items()
        }
    if kind == "array":
        least = schema.get("minItems", 1)
        return [
            instance_of(
                schema.get("items", {"type": "string"}), chance, path=f"{path}[{i}]", root=root
            )
            for i in range(least)
        ]
    if kind in ("number", "integer"):
        low, high = schema.get("minimum", 0), schema.get("maximum", 1)
        value = low + (high - low) * chance(path)
        return round(value) if kind == "integer" else round(value, 3)
    return {"boolean": chance(path) < 0.5, "null": None}.get(kind, "drawn")


def tokens_of(text: str) -> list[str]:
    """The mock's tokens: words with the space before them."""
    words = text.split(" ")
    return [words[0], *(" " + word for word in words[1:])] if text else []


def first_token_logprobs(said: Said, token: str, count: int) -> list[dict[str, Any]]:
    """Alternatives at the first token, most likely first, as chat completions list them."""
    chances = dict(said.chances or {token: 1.0})
    chances.setdefault(token, 0.01)
    ordered = sorted(chances.items(), key=lambda item: -item[1])[:count]
    return [_entry(name, math.log(chance)) for name, chance in ordered]


def _entry(token: str, logprob: float) -> dict[str, Any]:
    return {"token": token, "logprob": logprob, "bytes": list(token.encode())}
