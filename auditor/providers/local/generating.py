"""Writing answers: prompts of one length go through the model together."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from auditor.errors import RejectedError
from auditor.providers.local.loading import Loaded
from auditor.providers.local.sampling import AllWritten, NextTokens, Sampling, Writing
from auditor.providers.outcomes import outcome_of
from auditor.types import JSON, Choice

_THOUGHT_ENDS = "</think>"
_THOUGHT_BEGINS = "<think>"
_MARK_TOKENS = 16
"""Which hold a mark and the blanks behind it, even where it has a token a letter."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """Answers to one prompt."""

    ids: Sequence[int]
    sampling: Sampling
    seeds: Sequence[int]
    """One an answer."""
    is_dropped: Callable[[], bool]


@dataclass(frozen=True, kw_only=True, slots=True)
class Written:
    """The answers to one prompt, and the tokens of all of them."""

    choices: tuple[Choice, ...]
    tokens: int


def write(loaded: Loaded, wanted: Sequence[Wanted]) -> list[Written | RejectedError]:
    """The answers to prompts of one and the same length, which are never padded.

    An error stands for a prompt to which the model gave no numbers.
    """
    import torch
    from transformers import GenerationConfig, LogitsProcessorList, StoppingCriteriaList

    length = len(wanted[0].ids)
    room = math.inf if loaded.most_tokens is None else loaded.most_tokens - length
    rows: list[list[Writing]] = [
        [
            Writing(
                sampling=each.sampling,
                seed=seed,
                cap=int(min(each.sampling.max_tokens, room)),
                is_dropped=each.is_dropped,
            )
            for seed in each.seeds
        ]
        for each in wanted
    ]
    writings = [writing for row in rows for writing in row]
    prompts = [each.ids for each in wanted for _ in each.seeds]
    inputs = torch.tensor(prompts, device=loaded.device)
    chooser = NextTokens(
        writings, ends=loaded.ends, has_stopped=lambda writing: _cut(loaded, writing) is not None
    )
    with torch.inference_mode():
        loaded.model.generate(
            input_ids=inputs,
            attention_mask=torch.ones_like(inputs),
            generation_config=GenerationConfig(
                max_new_tokens=max(writing.cap for writing in writings),
                do_sample=False,
                num_beams=1,
                # Rows that are through are written on and not read.
                pad_token_id=0,
                eos_token_id=None,
            ),
            logits_processor=LogitsProcessorList([chooser]),
            stopping_criteria=StoppingCriteriaList([AllWritten(writings)]),
        )
    return [
        _written(loaded, row, begun=_thought_is_begun(loaded, each.ids))
        for each, row in zip(wanted, rows, strict=True)
    ]


def _written(loaded: Loaded, row: Sequence[Writing], *, begun: bool) -> Written | RejectedError:
    if any(writing.finish == "broken" for writing in row):
        return RejectedError(
            f"{loaded.name} gives no numbers for the next token (NaN or infinite)",
            hint='another dtype may help, as extra_body = {dtype = "float32"}',
        )
    return Written(
        choices=tuple(_choice(loaded, writing, begun=begun) for writing in row),
        tokens=sum(len(writing.tokens) for writing in row),
    )


def _choice(loaded: Loaded, writing: Writing, *, begun: bool) -> Choice:
    tokens, text = writing.tokens, _text(loaded, writing.tokens)
    cut = _cut(loaded, writing)
    if cut is not None:
        text = text[:cut]
        # Tokens that hold nothing but what was cut away are no part of the answer.
        while tokens and len(_text(loaded, tokens[:-1])) >= cut:
            tokens = tokens[:-1]
    said, thought = _apart(text, begun=begun)
    logprobs: JSON = None
    if writing.sampling.logprobs:
        listed = writing.listed[: len(tokens)]
        logprobs = {
            "content": [
                {
                    **_token(loaded, token, own),
                    "top_logprobs": [_token(loaded, *other) for other in others],
                }
                for token, (own, others) in zip(tokens, listed, strict=True)
            ]
        }
    return Choice(
        outcome=outcome_of(said, writing.finish),
        text=said,
        reasoning=thought,
        finish_reason=writing.finish,
        logprobs=logprobs,
    )


def _text(loaded: Loaded, tokens: Sequence[int]) -> str:
    return str(
        loaded.tokenizer.decode(
            tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
    )


def _cut(loaded: Loaded, writing: Writing) -> int | None:
    """Where the first of the texts begins that end an answer; None where there is none."""
    stops = writing.sampling.stop
    if not stops:
        return None
    text = _text(loaded, writing.tokens)
    places = [place for stop in stops if (place := text.find(stop)) >= 0]
    return min(places, default=None)


def _thought_is_begun(loaded: Loaded, prompt: Sequence[int]) -> bool:
    """Whether a chat template has opened the thinking already, as some do."""
    end = loaded.tokenizer.decode(prompt[-_MARK_TOKENS:], clean_up_tokenization_spaces=False)
    return bool(end.rstrip().endswith(_THOUGHT_BEGINS))


def _apart(text: str, *, begun: bool) -> tuple[str | None, str | None]:
    """Answer and thinking, where a model marks that; `begun`: the prompt ends in thinking."""
    thought, ends, said = text.rpartition(_THOUGHT_ENDS)
    if ends:
        thought = thought.strip().removeprefix(_THOUGHT_BEGINS).strip()
        return said.lstrip("\n") or None, thought or None
    if begun or text.lstrip().startswith(_THOUGHT_BEGINS):
        return None, text.strip().removeprefix(_THOUGHT_BEGINS).strip() or None
    return text or None, None


def _token(loaded: Loaded, token: int, logprob: float) -> dict[str, JSON]:
    """One token in OpenAI's chat form; a leading space that decoding drops is put back."""
    text = str(loaded.tokenizer.decode([token], clean_up_tokenization_spaces=False))
    raw = loaded.tokenizer.convert_ids_to_tokens(token)
    if isinstance(raw, str) and raw[:1] in ("\u2581", "\u0120") and not text.startswith(" "):
        text = f" {text}"
    return {"token": text, "logprob": logprob if math.isfinite(logprob) else None}
