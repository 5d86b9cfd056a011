"""Loading a model and its tokenizer, and refusing what is none for the purpose."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from auditor.errors import EndpointError, UnknownModelError, UsageError
from auditor.plugins import described
from auditor.providers.error_body import one_line
from auditor.providers.local.fingerprint import folder_fingerprint
from auditor.providers.local.folder import check_folder, folder_of, not_one_output
from auditor.providers.local.settings import LocalSettings

_MOST_NAMED = 3


@dataclass(frozen=True, kw_only=True, eq=False)
class Loaded:
    """A model in memory, with what its inputs and outputs need."""

    name: str
    model: Any
    tokenizer: Any
    is_reward: bool
    lead: tuple[int, ...]
    """Tokens that begin every plain text: a beginning-of-sequence token or none."""
    ends: frozenset[int]
    """Tokens that end an answer."""
    most_tokens: int | None
    """Positions that the model has; None: not said."""
    fingerprint: str
    device: str
    dtype: str
    parameters: int

    def ids(self, text: str, *, plain: bool) -> list[int]:
        """The tokens of a text; `plain`: led as the tokenizer leads one that is no template's."""
        found = self.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        return [*self.lead, *found] if plain else list(found)


def load(name: str, settings: LocalSettings, *, is_reward: bool) -> Loaded:
    """A language model, or a reward model. Takes seconds to minutes; may fetch from the Hub.

    Raises UnknownModelError where there is no such model, or none of this kind.
    """
    try:
        folder = folder_of(name)
        # Whether a chat template is needed is known with the first request only.
        check_folder(name, api="reward" if is_reward else "completions")
        return _loaded(name, settings, is_reward=is_reward, is_folder=folder is not None)
    except EndpointError:
        raise
    except UsageError as error:
        raise UnknownModelError(error.message, hint=error.hint) from None
    except Exception as error:
        where = "" if folder is not None else ", neither a folder nor to be had from the Hub"
        raise UnknownModelError(
            one_line(f"local model {name} cannot be loaded{where}: {described(error)}")
        ) from error


def _loaded(name: str, settings: LocalSettings, *, is_reward: bool, is_folder: bool) -> Loaded:
    import torch
    import transformers

    _quieten()
    device = settings.device or ("cuda" if torch.cuda.is_available() else "cpu")
    dtype = settings.dtype or ("float32" if device == "cpu" else "auto")
    folder = folder_of(name) if is_folder else None
    source: dict[str, Any] = {"trust_remote_code": False}
    if folder is not None:
        source["local_files_only"] = True
    elif settings.revision is not None:
        source["revision"] = settings.revision
    if folder is not None and settings.revision is not None:
        raise UnknownModelError(
            f"local model {name}: a folder has no revision",
            hint="revision is of models on the Hub",
        )
    place = name if folder is None else str(folder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(place, **source)
    kind = (
        transformers.AutoModelForSequenceClassification
        if is_reward
        else transformers.AutoModelForCausalLM
    )
    model, report = kind.from_pretrained(
        place,
        dtype=dtype if dtype == "auto" else getattr(torch, dtype),
        output_loading_info=True,
        **source,
    )
    _check_whole(name, report, is_reward=is_reward)
    if is_reward and model.config.num_labels != 1:
        raise not_one_output(name, model.config.num_labels)
    model = model.to(device).eval()
    weights = next(model.parameters())
    ends = frozenset() if is_reward else _ends(model, tokenizer)
    if not is_reward:
        # Its own sampling parameters would be mixed into those that are asked for.
        model.generation_config = transformers.GenerationConfig()
    commit = getattr(model.config, "_commit_hash", None)
    return Loaded(
        name=name,
        model=model,
        tokenizer=tokenizer,
        is_reward=is_reward,
        lead=_lead(tokenizer),
        ends=ends,
        most_tokens=getattr(model.config.get_text_config(), "max_position_embeddings", None),
        fingerprint=folder_fingerprint(folder) if folder else f"commit-{commit or 'unknown'}",
        device=str(weights.device),
        dtype=str(weights.dtype).removeprefix("torch."),
        parameters=sum(each.numel() for each in model.parameters()),
    )


@cache
def _quieten() -> None:
    """Keep bars and warnings of the libraries off a terminal that shows a run."""
    import transformers

    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    from huggingface_hub.utils import disable_progress_bars

    disable_progress_bars()
    warnings.filterwarnings("ignore", module=r"(torch|transformers|huggingface_hub)(\.|$)")


def _check_whole(name: str, report: dict[str, Any], *, is_reward: bool) -> None:
    """Raise UnknownModelError where weights are not in the files: they would be random numbers."""
    absent = [*report.get("missing_keys", ())]
    absent += [key if isinstance(key, str) else key[0] for key in report.get("mismatched_keys", ())]
    if absent:
        kind = "reward model" if is_reward else "language model"
        raise UnknownModelError(
            f"local model {name}: no whole {kind}, its files lack {_some(sorted(absent))}",
            hint="weights that are missing would be random numbers",
        )


def _some(names: Sequence[str]) -> str:
    rest = len(names) - _MOST_NAMED
    shown = ", ".join(names[:_MOST_NAMED])
    return shown if rest <= 0 else f"{shown} and {rest} more"


def _lead(tokenizer: Any) -> tuple[int, ...]:
    """What a tokenizer puts before a plain text; what it puts behind one is left out."""
    bare = tokenizer("a", add_special_tokens=False)["input_ids"]
    whole = tokenizer("a")["input_ids"]
    for start in range(len(whole) - len(bare) + 1):
        if whole[start : start + len(bare)] == bare:
            return tuple(whole[:start])
    return ()


def _ends(model: Any, tokenizer: Any) -> frozenset[int]:
    """Every token that one of the files names as an end: chat models often have two."""
    named = [
        getattr(model.generation_config, "eos_token_id", None),
        getattr(model.config.get_text_config(), "eos_token_id", None),
        tokenizer.eos_token_id,
    ]
    found: set[int] = set()
    for value in named:
        found.update(value if isinstance(value, list | tuple) else [] if value is None else [value])
    return frozenset(found)
