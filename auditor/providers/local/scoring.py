"""Scores of answers that are given: their log-probability, or a reward."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Sequence

from auditor.providers.local.loading import Loaded
from auditor.providers.local.rendering import Dialogue, GivenAnswer
from auditor.types import JSON

_MOST_TOKENS = 4096
"""Of one pass: the logits of a pass hold a number for each token and word of the vocabulary."""


def log_probabilities(loaded: Loaded, given: Sequence[GivenAnswer]) -> list[float]:
    """Natural log of the probability of each answer after its prompt, summed over its tokens.

    The model's own distribution, at temperature 1. Padding stands behind the texts, where no
    earlier token of a causal model sees it.
    """
    found: list[float] = []
    for batch in _batches(given):
        found += _pass(loaded, batch)
    return found


def rewards(loaded: Loaded, dialogues: Sequence[Dialogue]) -> list[float]:
    """What the model's single output says of each dialogue.

    Only dialogues of the same length go through the model together, so that none is padded: which
    token a head reads, or an encoder attends to, does not depend on the batch.
    """
    import torch

    places: dict[int, list[int]] = defaultdict(list)
    # Heads of decoders refuse batches where no padding token is named.
    alone = loaded.model.config.get_text_config().pad_token_id is None
    for place, each in enumerate(dialogues):
        places[-place - 1 if alone else len(each.ids)].append(place)
    found = [math.nan] * len(dialogues)
    for group in places.values():
        chosen = [dialogues[place] for place in group]
        inputs = {"input_ids": torch.tensor([each.ids for each in chosen], device=loaded.device)}
        inputs["attention_mask"] = torch.ones_like(inputs["input_ids"])
        if chosen[0].types is not None:
            types = [each.types for each in chosen]
            inputs["token_type_ids"] = torch.tensor(types, device=loaded.device)
        with torch.inference_mode():
            outputs = loaded.model(**inputs).logits
        for place, value in zip(group, outputs.float().reshape(-1).tolist(), strict=True):
            found[place] = value
    return found


def score_text(name: str, value: float, **beside: JSON) -> str:
    """A score as the text of an answer; one that is not finite is null, with the reason."""
    if math.isfinite(value):
        return json.dumps({name: value, **beside})
    return json.dumps({name: None, **beside, "reason": f"not finite: {value}"})


def _batches(given: Sequence[GivenAnswer]) -> list[Sequence[GivenAnswer]]:
    batches: list[list[GivenAnswer]] = []
    longest = 0
    for each in given:
        longest = max(longest, len(each.ids))
        if not batches or longest * (len(batches[-1]) + 1) > _MOST_TOKENS:
            batches.append([])
            longest = len(each.ids)
        batches[-1].append(each)
    return list(batches)


def _pass(loaded: Loaded, batch: Sequence[GivenAnswer]) -> list[float]:
    import torch

    width = max(len(each.ids) for each in batch)
    rows = [[*each.ids, *[0] * (width - len(each.ids))] for each in batch]
    marks = [[1] * len(each.ids) + [0] * (width - len(each.ids)) for each in batch]
    found = []
    with torch.inference_mode():
        logits = loaded.model(
            input_ids=torch.tensor(rows, device=loaded.device),
            attention_mask=torch.tensor(marks, device=loaded.device),
            use_cache=False,
        ).logits
        for row, each in enumerate(batch):
            end = len(each.ids)
            start = end - each.answer
            # What stands at a place is the distribution of the token behind it.
            logs = torch.log_softmax(logits[row, start - 1 : end - 1].float(), dim=-1)
            said = torch.tensor(each.ids[start:], device=logs.device)
            chosen = logs.gather(1, said[:, None]).reshape(-1).tolist()
            found.append(math.fsum(chosen) if all(map(math.isfinite, chosen)) else sum(chosen))
    return found
