"""How a local model is to be loaded: what may stand in its `extra_body` and its `params`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from auditor.canonical import canonical_json
from auditor.errors import RejectedError
from auditor.types import JSON

DTYPES = ("float32", "bfloat16", "float16")
SAMPLING = (
    "temperature",
    "top_p",
    "top_k",
    "max_tokens",
    "stop",
    "seed",
    "presence_penalty",
    "frequency_penalty",
    "logprobs",
    "top_logprobs",
)
"""Parameters that a local model takes; beside a score none of them has a meaning."""

_DEVICE = re.compile(r"cpu|mps|(?:cuda|xpu)(?::\d{1,2})?")
_REVISION = re.compile(r"[\w./-]{1,100}")
_KEYS = ("device", "dtype", "revision", "chat_template_kwargs")
# Where a turn begins and ends is what tells an answer from its prompt: not the spec's to say.
_OWN = {"conversation", "tokenize", "add_generation_prompt", "continue_final_message"}


@dataclass(frozen=True, kw_only=True, slots=True)
class LocalSettings:
    """What of an `extra_body` decides how a model is loaded and asked."""

    device: str | None = None
    """None: the first CUDA device where there is one, else the CPU."""
    dtype: str | None = None
    """None: as the files are stored on a GPU, float32 on a CPU."""
    revision: str | None = None
    """Of a model on the Hub: a branch, a tag or a commit."""
    template: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """What the chat template is given beside the messages, as {"enable_thinking": false}."""


def wrong_settings(body: Mapping[str, JSON]) -> Iterator[tuple[str, str | None, str]]:
    """(key, value to be shown or None, what is allowed) of all that is no setting."""
    for key, value in body.items():
        if key not in _KEYS:
            yield key, None, ", ".join(_KEYS)
        elif key == "chat_template_kwargs":
            if not isinstance(value, dict) or _OWN & set(value):
                yield key, None, f"a table for the chat template, without {', '.join(sorted(_OWN))}"
        elif not isinstance(value, str):
            yield key, canonical_json(value), "a text"
        elif key == "device" and not _DEVICE.fullmatch(value):
            yield key, value, '"cpu", "cuda", "cuda:N", "mps", "xpu"'
        elif key == "dtype" and value not in DTYPES:
            yield key, value, ", ".join(f'"{name}"' for name in DTYPES)
        elif key == "revision" and not _REVISION.fullmatch(value):
            yield key, value, "a branch, tag or commit of a model on the Hub"


def settings_of(body: Mapping[str, JSON]) -> LocalSettings:
    """The settings of a request. Raises RejectedError for what is none."""
    for key, _, allowed in wrong_settings(body):
        raise RejectedError(
            f"{key} is no setting of a local model", parameter=key, hint=f"allowed: {allowed}"
        )
    return LocalSettings(
        device=body.get("device"),
        dtype=body.get("dtype"),
        revision=body.get("revision"),
        template=body.get("chat_template_kwargs") or {},
    )
