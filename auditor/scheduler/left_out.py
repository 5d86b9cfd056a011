"""Which targets a protocol passes over, because they do not give what it reads."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping

from auditor.errors import UsageError
from auditor.protocols.additions import is_logprob_reader, is_score_reader
from auditor.protocols.base import AnyProtocol
from auditor.providers import known_provider
from auditor.providers.capabilities import Capabilities
from auditor.scheduler.profiles import read_profile
from auditor.spec.model import Target

Reasons = Mapping[tuple[str, str], str]
"""By (target, protocol)."""

_WAYS_OUT = (
    "most protocols ask for answers alone, spatial.probability for answers with log-probabilities, "
    "spatial.tracing for scores (providers local and sim); see `auditor doctor`"
)
"""What helps where every target is left out of every protocol."""


def check_any_left(
    source: str, targets: Iterable[Target], protocols: Iterable[AnyProtocol], reasons: Reasons
) -> None:
    """Raise UsageError, with every reason, where all targets are left out of all protocols.

    `source` is what the message calls the spec.
    """
    names = [protocol.name for protocol in protocols]
    pairs = [(target.name, name) for target in targets for name in names]
    if pairs and all(pair in reasons for pair in pairs):
        said = "; ".join(said_once({pair: reasons[pair] for pair in pairs}))
        raise UsageError(f"{source}: nothing is left to ask; {said}", hint=_WAYS_OUT)


def known_beforehand(targets: Iterable[Target], protocols: Iterable[AnyProtocol]) -> Reasons:
    """Targets whose provider or api does not give what a protocol reads, whatever the model."""
    chosen = tuple(protocols)
    return {
        (target.name, protocol.name): reason
        for target in targets
        for protocol in chosen
        if (reason := _why_never(target, protocol)) is not None
    }


def _why_never(target: Target, protocol: AnyProtocol) -> str | None:
    provider = target.request.provider
    if is_score_reader(protocol):
        if target.simulated or known_provider(provider).scores:
            return None
        return f"provider {provider} scores no answers that are given"
    if target.request.api == "reward":
        return "a reward model scores answers and gives none"
    if not is_logprob_reader(protocol) or target.simulated:
        return None
    has_none = known_provider(provider).wire == "anthropic"
    return f"provider {provider} gives no log-probabilities" if has_none else None


def found_out(
    targets: Iterable[Target], protocols: Iterable[AnyProtocol], connection: sqlite3.Connection
) -> Reasons:
    """Targets whose model was asked and gives none (see `auditor doctor`)."""
    readers = [protocol.name for protocol in protocols if is_logprob_reader(protocol)]
    if not readers:
        return {}
    found: dict[tuple[str, str], str] = {}
    for target in targets:
        if target.request.api == "reward":
            continue
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


def sentences(reasons: Reasons) -> dict[tuple[str, str], str]:
    """What a reader of the run is told: one sentence for all protocols that have one reason."""
    names: dict[tuple[str, str], list[str]] = {}
    for (target, protocol), reason in reasons.items():
        names.setdefault((target, reason), []).append(protocol)
    return {
        (target, protocol): (
            f"target {target} is left out of {', '.join(names[target, reason])}: {reason}"
        )
        for (target, protocol), reason in reasons.items()
    }


def said_once(reasons: Reasons) -> list[str]:
    """The same sentences, each once."""
    return list(dict.fromkeys(sentences(reasons).values()))
