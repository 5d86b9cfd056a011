"""The `[[targets]]` of a spec: requests that differ, at endpoints that exist."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from auditor.errors import UsageError
from auditor.protocols.additions import is_score_reader
from auditor.providers import known_provider
from auditor.providers.sim import check_common_plant
from auditor.spec.endpoints import Endpoints
from auditor.spec.local_models import LOCAL, check_local_model
from auditor.spec.model import SIMULATED, Target
from auditor.spec.positions import Path
from auditor.spec.problems import Problems, shown
from auditor.spec.protocols import ChosenProtocol
from auditor.spec.tables import TargetParamsTable, TargetTable
from auditor.spec.validation import validated
from auditor.types import JSON, TargetRequest

_SET_BY_US = ("model", "messages", "prompt", "n", "stream", "max_completion_tokens")
"""Fields of a request that stand elsewhere in the spec, or in no spec."""
_CREDENTIALS = ("api_key", "api-key", "apikey", "x-api-key", "authorization", "access_token")


def checked_targets(
    raw: Iterable[tuple[int, Mapping[str, Any]]],
    endpoints: Endpoints,
    protocols: Iterable[ChosenProtocol],
    problems: Problems,
) -> tuple[tuple[int, Target], ...]:
    """The sound targets with their places, in the spec's order; `raw` holds their tables."""
    chosen = tuple(protocols)
    targets: list[tuple[int, Target]] = []
    for place, table in raw:
        path: Path = ("targets", place)
        target = _target(table, path, endpoints, problems)
        if target is None:
            continue
        check_body(target.request.extra_body, target.simulated, path, problems)
        asked, params = target.request, target.request.params
        if asked.api == "reward":
            for key in params:
                problems.add((*path, "params", key), "a reward model samples nothing", "no params")
            params = {}
        if asked.provider == LOCAL:
            check_local_model(params, asked.extra_body, path, problems)
        asking = [each for each in chosen if _asks(each, target)]
        _check_factors(target, path, asking, problems)
        if target.simulated:
            _check_plants(target, path, asking, problems)
        _check_unlike(target, path, targets, problems)
        targets.append((place, target))
    return tuple(targets)


def _asks(chosen: ChosenProtocol, target: Target) -> bool:
    """Whether a protocol has anything to ask of a target: reward models score answers alone."""
    return target.request.api != "reward" or is_score_reader(chosen.protocol)


def check_body(body: Mapping[str, JSON], simulated: bool, path: Path, problems: Problems) -> None:
    """Report fields of an extra_body that belong elsewhere in the spec, or nowhere in it."""
    if simulated:
        return
    for key in body:
        place = (*path, "extra_body", key)
        if key.lower() in _CREDENTIALS:
            problems.add(
                place, "value not shown", "no key in a spec; name its variable in api_key_env"
            )
        elif key in TargetParamsTable.model_fields:
            problems.add(place, "a sampling parameter", f"{key} in params")
        elif key in _SET_BY_US:
            problems.add(place, "a field that the program sets", "any other field of the endpoint")


def _has_completions(provider: str) -> bool:
    """Whether legacy completions are spoken there; an adapter of its own decides for itself."""
    if provider == SIMULATED:
        return True
    try:
        row = known_provider(provider)
    except UsageError:  # a caller's own name for a provider
        return False
    return row.wire == "openai" or row.adapter is not None


def _scores(provider: str) -> bool:
    """Whether answers that are given are scored there."""
    if provider == SIMULATED:
        return True
    try:
        return known_provider(provider).scores
    except UsageError:  # a caller's own name for a provider
        return False


def _target(
    raw: Mapping[str, Any], path: Path, endpoints: Endpoints, problems: Problems
) -> Target | None:
    table = validated(TargetTable, raw, path, problems)
    if table is None:
        return None
    split = endpoints.split_model(table.model, (*path, "model"))
    if split is None:
        return None
    provider, model = split
    if table.api == "completions" and not _has_completions(provider):
        problems.add(
            (*path, "api"), f'value "completions" with provider {provider}', '"chat" there'
        )
    if table.api == "reward" and not _scores(provider):
        problems.add(
            (*path, "api"),
            f'value "reward" with provider {provider}',
            '"reward" where a provider scores answers, as local and sim do',
        )
    endpoint = endpoints.of_model(table.endpoint, provider, path)
    if endpoint is None:
        return None
    return Target(
        name=model if table.name is None else table.name,
        request=TargetRequest(
            provider=provider,
            model=model,
            api=table.api,
            params=dict(raw.get("params", {})),
            extra_body=table.extra_body,
            system=table.system,
            variant=table.variant,
        ),
        endpoint=endpoint,
        samples_per_request=table.samples_per_request,
        tuned_from=table.tuned_from,
    )


def _check_factors(
    target: Target, path: Path, protocols: Iterable[ChosenProtocol], problems: Problems
) -> None:
    for chosen in protocols:
        name = chosen.protocol.name
        for key in sorted(chosen.factors & set(target.request.params)):
            problems.add(
                (*path, "params", key),
                f"value {shown(target.request.params[key])}, but {key} is a factor of {name}",
                f'{key} in [protocols."{name}"] only',
            )


def _check_plants(
    target: Target, path: Path, protocols: Iterable[ChosenProtocol], problems: Problems
) -> None:
    plant, wrong = check_common_plant(target.request.extra_body)
    body: Path = (*path, "extra_body")
    if wrong is not None:
        _add_plant_problem(wrong, body, problems)
    for chosen in protocols:
        name = chosen.protocol.name
        if not chosen.is_whole:
            continue
        wrong = chosen.protocol.check_plant(plant, chosen.materials)
        if wrong is not None:
            own: Path = (name,) if isinstance(plant.get(name), Mapping) else ()
            _add_plant_problem(wrong, (*body, *own), problems)


def _add_plant_problem(sentence: str, place: Path, problems: Problems) -> None:
    """A plant's check says "key[.part]: what is wrong; allowed: what is right"."""
    said, _, allowed = sentence.partition("; allowed: ")
    keys = said.partition(":")[0].partition(",")[0].split(".", 1)
    problems.add(
        (*place, *keys), said.partition(": ")[2] or said, allowed or "see the protocol's card"
    )


def _check_unlike(
    target: Target, path: Path, others: Iterable[tuple[int, Target]], problems: Problems
) -> None:
    for place, other in others:
        line = problems.line(("targets", place))
        if other.name == target.name:
            problems.add(
                (*path, "name"),
                f"value {shown(target.name)} is also the name of the target in line {line}",
                "a name of its own",
            )
        if other.request.key == target.request.key:
            problems.add(
                path,
                f"the same requests as target {shown(other.name)} in line {line}",
                "targets that differ in model, api, params, extra_body, system or variant",
            )
