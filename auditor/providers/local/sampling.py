"""Choosing the next token of each answer that is being written, each by its own draws."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from auditor.draws import draw
from auditor.errors import RejectedError
from auditor.providers.local.settings import SAMPLING
from auditor.types import JSON

MAX_TOKENS = 1024
"""Output cap where nothing names one; a base model hardly ever ends by itself."""
MOST_ALTERNATIVES = 100


@dataclass(frozen=True, kw_only=True, slots=True)
class Sampling:
    """Parameters of one request. What is not named has its neutral value."""

    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int | None = None
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    max_tokens: int = MAX_TOKENS
    stop: tuple[str, ...] = ()
    logprobs: bool = False
    top_logprobs: int = 0

    @classmethod
    def of(cls, params: Mapping[str, JSON]) -> Sampling:
        """The parameters of a request. Raises RejectedError for one that is not known here."""
        values = {name: value for name, value in params.items() if value is not None}
        for name in values:
            if name not in (*SAMPLING, "score"):
                raise RejectedError(
                    f"{name} is no parameter of a local model",
                    parameter=name,
                    hint=f"allowed in params: {', '.join(sorted(SAMPLING))}",
                )
        values.pop("seed", None)
        values.pop("score", None)
        stop = values.pop("stop", ())
        values["stop"] = (stop,) if isinstance(stop, str) else tuple(stop)
        top = values.get("top_logprobs", 0)
        if top > MOST_ALTERNATIVES:
            raise RejectedError(
                f"top_logprobs = {top}; allowed: up to {MOST_ALTERNATIVES}",
                parameter="top_logprobs",
            )
        values["logprobs"] = bool(values.get("logprobs") or top)
        return cls(**values)


@dataclass(slots=True)
class Writing:
    """One answer that is being written."""

    sampling: Sampling
    seed: int
    cap: int
    """Tokens that it may have: what is asked for, or what the model has room for."""
    is_dropped: Callable[[], bool]
    """Whether nobody waits for it any more."""
    tokens: list[int] = field(default_factory=list)
    listed: list[tuple[float, list[tuple[int, float]]]] = field(default_factory=list)
    """Log-probability of each token, and the likeliest ones with theirs, where asked for."""
    finish: str | None = None
    """"stop", "length", "dropped" or "broken" (the model gives no numbers); None: goes on."""
    counts: Counter[int] = field(default_factory=Counter)


class NextTokens:
    """A logits processor that leaves of each row's distribution the token which it draws.

    transformers then takes that one. Draws are of `auditor.draws`, so that an answer depends on
    nothing but its seed and the model's numbers: not on its place, nor on what else is written.
    """

    def __init__(
        self,
        writings: Sequence[Writing],
        *,
        ends: frozenset[int],
        has_stopped: Callable[[Writing], bool],
    ) -> None:
        self._writings = writings
        self._ends = ends
        self._has_stopped = has_stopped

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """Scores of which one a row is finite."""
        import torch

        logits = scores.float() if scores.device.type == "cuda" else scores.float().cpu()
        chosen = [
            0 if writing.finish is not None else self._advance(writing, logits[row])
            for row, writing in enumerate(self._writings)
        ]
        left = torch.full_like(scores, -math.inf)
        left[torch.arange(len(chosen)), torch.tensor(chosen)] = 0.0
        return left

    def _advance(self, writing: Writing, logits: Any) -> int:
        import torch

        if writing.is_dropped():
            writing.finish = "dropped"
            return 0
        if torch.isnan(logits).any() or not torch.isfinite(logits.max()):
            writing.finish = "broken"
            return 0
        token = _drawn(writing, logits)
        if token in self._ends:
            writing.finish = "stop"
            return token
        if writing.sampling.logprobs:
            writing.listed.append(_listed(logits, token, writing.sampling.top_logprobs))
        writing.tokens.append(token)
        writing.counts[token] += 1
        if self._has_stopped(writing):
            writing.finish = "stop"
        elif len(writing.tokens) >= writing.cap:
            writing.finish = "length"
        return token


class AllWritten:
    """A stopping criterion: which rows are through."""

    def __init__(self, writings: Sequence[Writing]) -> None:
        self._writings = writings

    def __call__(self, input_ids: Any, scores: Any, **_: Any) -> Any:
        """A truth value a row."""
        import torch

        through = [writing.finish is not None for writing in self._writings]
        return torch.tensor(through, device=input_ids.device)


def _drawn(writing: Writing, logits: Any) -> int:
    """Penalties, temperature, top_k, top_p, in this order, as OpenAI and vLLM define them."""
    import torch

    asked = writing.sampling
    if writing.counts and (asked.presence_penalty or asked.frequency_penalty):
        logits = logits.clone()
        for token, count in writing.counts.items():
            logits[token] -= asked.presence_penalty + count * asked.frequency_penalty
    if asked.temperature == 0:
        return int(logits.argmax())
    shares, order = torch.softmax(logits.double() / asked.temperature, dim=-1).sort(descending=True)
    if asked.top_k is not None:
        shares = shares[: asked.top_k]
    below = shares.cumsum(0)
    if asked.top_p < 1:
        # The fewest tokens whose shares reach top_p of what is left.
        kept = int((below - shares < asked.top_p * below[-1]).sum())
        below = below[:kept]
    point = draw(writing.seed, "local token", str(len(writing.tokens))) * float(below[-1])
    place = int(torch.searchsorted(below, point, right=True))
    return int(order[min(place, len(below) - 1)])


def _listed(logits: Any, token: int, top: int) -> tuple[float, list[tuple[int, float]]]:
    """Of the model's own distribution: no temperature, no penalty."""
    logs = logits.log_softmax(dim=-1)
    values, tokens = logs.topk(min(top, len(logs)))
    return float(logs[token]), list(zip(tokens.tolist(), values.tolist(), strict=True))
