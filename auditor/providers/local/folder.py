"""What can be seen of a model's folder without loading anything, so that mistakes show at once."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from auditor.errors import UsageError

CONFIG = "config.json"
_TOKENIZER_CONFIG = "tokenizer_config.json"
_WEIGHTS = ("*.safetensors", "pytorch_model*.bin")
_TOKENIZERS = (
    "tokenizer.json",
    "tokenizer.model",
    "vocab.json",
    "vocab.txt",
    "spiece.model",
    "sentencepiece.bpe.model",
    "tiktoken.model",
    "tekken.json",
)
_HUB_NAME = re.compile(r"[A-Za-z0-9_][\w.-]*(?:/[\w.-]+)?")


def folder_of(name: str) -> Path | None:
    """The folder that a model's name is, seen from the current one; None for a name on the Hub.

    Raises UsageError for what is neither.
    """
    path = Path(name).expanduser()
    if path.is_dir():
        return path
    if path.exists():
        raise UsageError(
            f"local model {name}: a file",
            hint="the folder that holds config.json, the tokenizer and the weights is meant",
        )
    if _HUB_NAME.fullmatch(name):
        return None
    raise UsageError(
        f"local model {name}: there is no such folder",
        hint="a path from the folder that `auditor` is started in, or a name on the Hub as"
        " ORGANISATION/MODEL",
    )


def weight_files(folder: Path) -> list[Path]:
    """The files that hold a model's weights, by name."""
    return sorted(path for pattern in _WEIGHTS for path in folder.glob(pattern))


def check_folder(name: str, *, api: str) -> None:
    """Raise UsageError where a folder holds no model that could be asked through this api.

    A name on the Hub is not looked up.
    """
    folder = folder_of(name)
    if folder is None:
        return
    config = _read(folder / CONFIG, name)
    if config is None:
        raise UsageError(
            f"local model {name}: no {CONFIG} in this folder",
            hint="what `save_pretrained` of transformers writes is a model's folder",
        )
    if not weight_files(folder):
        raise UsageError(
            f"local model {name}: no weights in this folder", hint=f"looked for {_any(_WEIGHTS)}"
        )
    if not any((folder / file).is_file() for file in _TOKENIZERS):
        raise UsageError(
            f"local model {name}: no tokenizer in this folder",
            hint=f"looked for {_any(_TOKENIZERS)}",
        )
    if api == "reward":
        _check_reward(name, config)
    else:
        _check_language(name, config)
        if api == "chat" and not _has_template(folder, name):
            raise no_template(name)


def no_template(name: str) -> UsageError:
    """The error about a tokenizer that cannot put messages into a model's own form."""
    return UsageError(
        f"local model {name}: its tokenizer has no chat template",
        hint='a base model is asked with api = "completions"',
    )


def not_one_output(name: str, outputs: int) -> UsageError:
    """The error about a head that gives no reward."""
    return UsageError(
        f"local model {name}: a sequence classification head with {outputs} outputs; a reward"
        " model has one",
        hint="a classifier's scores are no rewards",
    )


def _check_reward(name: str, config: dict[str, Any]) -> None:
    kinds = _kinds(config)
    if kinds and not any(kind.endswith("ForSequenceClassification") for kind in kinds):
        raise UsageError(
            f"local model {name}: no sequence classification head ({', '.join(kinds)})",
            hint='api = "reward" is for reward models; a language model is asked with "chat" or'
            ' "completions"',
        )
    labels = config.get("id2label")
    # transformers writes the labels only where they are not its default of two.
    outputs = len(labels) if isinstance(labels, dict) else config.get("num_labels", 2)
    if outputs != 1:
        raise not_one_output(name, outputs)


def _check_language(name: str, config: dict[str, Any]) -> None:
    kinds = _kinds(config)
    if kinds and all(kind.endswith("ForSequenceClassification") for kind in kinds):
        raise UsageError(
            f"local model {name}: no language model ({', '.join(kinds)})",
            hint='a reward model is asked with api = "reward"',
        )


def _kinds(config: dict[str, Any]) -> list[str]:
    kinds = config.get("architectures")
    return [kind for kind in kinds if isinstance(kind, str)] if isinstance(kinds, list) else []


def _has_template(folder: Path, name: str) -> bool:
    if any((folder / file).is_file() for file in ("chat_template.jinja", "chat_template.json")):
        return True
    return bool((_read(folder / _TOKENIZER_CONFIG, name) or {}).get("chat_template"))


def _read(path: Path, name: str) -> dict[str, Any] | None:
    """A JSON object; None where there is no such file."""
    try:
        found = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"local model {name}: {path.name} cannot be read: {error}") from error
    if not isinstance(found, dict):
        raise UsageError(f"local model {name}: {path.name} holds no JSON object")
    return found


def _any(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"
