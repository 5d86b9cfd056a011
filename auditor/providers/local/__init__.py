"""Models that run in this process through transformers: provider `local`.

    [[targets]]
    model = "local:models/my-model"      # a folder, or a name on the Hugging Face Hub
    api = "chat"                         # or "completions" (base models), or "reward"

Needs the extra `local` (torch, transformers). Code that comes with a model is never run.

A model is loaded with the first call to it, once a process, and stays in memory until the end of
the run: all local models of a spec are there at once. That takes 4 bytes a parameter on a CPU
(float32 unless `dtype` says otherwise), on a GPU what the files are stored in; `--only TARGET`
runs one after the other. One thread does all the work. Calls that wait for the same model go
through it together, never more than the endpoint's `concurrency` allows.

Answers are drawn by names: the seed of the run (or of the trial, where the spec asks for seeds)
and the trial decide, never order or number. Numbers are those of torch: the last digits depend on
machine, device, dtype and version, and on what else is in a batch; with `concurrency = 1` the same
machine gives the same digits. A sampled answer changes where such a digit tips a draw.

A model is known by its name: other weights in the same folder need another `variant` of the target,
or what was answered before counts as theirs. Each call keeps a fingerprint of the files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.providers.capabilities import Capabilities
from auditor.types import EndpointConfig, Provider

if TYPE_CHECKING:
    from auditor.providers.local.models import LocalModels

__all__ = ["open_local", "open_models"]


def open_models(config: EndpointConfig) -> LocalModels:
    """The models of one endpoint, none of which is loaded yet.

    Raises UsageError where the libraries are not installed.
    """
    from auditor.providers.local.library import check_library
    from auditor.providers.local.models import LocalModels

    check_library()
    return LocalModels(most_at_once=config.concurrency)


def open_local(
    config: EndpointConfig,
    *,
    api: str = "chat",
    api_key: str | None = None,
    profile: Capabilities | None = None,
) -> Provider:
    """A provider with models of its own, which it frees when it is closed; its seed is 0.

    Raises UsageError where the libraries are not installed.
    """
    from auditor.providers.local.provider import LocalProvider

    return LocalProvider(open_models(config), seed=0, owns_models=True)
