"""Which targets a protocol passes over, because their endpoints do not give what it reads."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping

from auditor.protocols.base import AnyProtocol, is_logprob_reader
from auditor.providers import known_provider
from auditor.providers.capabilities import Capabilities
from auditor.scheduler.profiles import read_profile
from auditor.spec.model import Target

Reasons = Mapping[tuple[str, str], str]
"""By (target, protocol)."""


def known_beforehand(targets: Iterable[Target], protocols: Iterable[AnyProtocol]) -> Reasons:
    """Targets whose wire format has no log-probabilities, whatever the model."""
    readers = [protocol.name for protocol in protocols if is_logprob_reader(protocol)]
    return {
        (target.name, name): f"provider {target.request.provider} gives no log-probabilities"
        for target in targets
        if readers and not target.simulated
        for name in readers
        if known_provider(target.request.provider).wire == "anthropic"
    }


def found_out(
    targets: Iterable[Target], protocols: Iterable[AnyProtocol], connection: sqlite3.Connection
) -> Reasons:
    """Targets whose model was asked and gives none (see `auditor doctor`)."""
    readers = [protocol.name for protocol in protocols if is_logprob_reader(protocol)]
    if not readers:
        return {}
    found: dict[tuple[str, str], str] = {}
    for target in targets:
        known = read_profile(connection, target.endpoint, target.request.model)
        reason = None if known is None or target.simulated else _why_not(known)
        if reason is not None:
            for name in readers:
                found[target.name, name] = f"{target.request.model} {reason}"
    return found


def _why_not(known: Capabilities) -> str | None:
    if known.logprobs is False:
        return "gives no log-probabilities"
    if known.top_logprobs == 0:
        return "gives the log-probability of its own token only, no alternatives"
    return None


def sentence(target: str, protocol: str, reason: str) -> str:
    """What a reader of the run is told."""
    return f"target {target} is left out of {protocol}: {reason}"
