"""Models that run in this process: what a spec may say of them, and whether they are here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

from auditor.errors import UsageError
from auditor.providers.local.folder import check_folder
from auditor.providers.local.library import check_library
from auditor.providers.local.settings import SAMPLING, wrong_settings
from auditor.spec.model import Judge, Spec, Target
from auditor.spec.positions import Path
from auditor.spec.problems import Problems, shown
from auditor.spec.tables import EndpointTable
from auditor.types import JSON

LOCAL = "local"
"""The provider that runs models in this process."""


def check_local_endpoint(table: EndpointTable, path: Path, problems: Problems) -> None:
    """Report what an endpoint of provider `local` cannot have: it is no server."""
    for key in ("base_url", "api_key_env", "client", "timeout_seconds"):
        if key in table.model_fields_set:
            problems.add(
                (*path, key),
                "at provider local",
                "concurrency, requests_per_minute, tokens_per_minute and price: its models run in"
                " this process, and no call to them is lost or late",
            )


def check_local_model(
    params: Mapping[str, JSON],
    body: Mapping[str, JSON],
    path: Path,
    problems: Problems,
) -> None:
    """Report settings and parameters that a local model does not take."""
    for key, value, allowed in wrong_settings(body):
        said = "no setting of a local model" if value is None else f"value {shown(value)}"
        problems.add((*path, "extra_body", key), said, allowed)
    for key in params:
        if key not in SAMPLING:
            problems.add(
                (*path, "params", key), "no parameter of a local model", ", ".join(SAMPLING)
            )


def check_local_models(spec: Spec, targets: Iterable[Target], judges: Iterable[Judge]) -> None:
    """Raise UsageError where the libraries or a model's files are missing, before any call.

    `targets` and `judges`: those of the spec that the run calls. The message has a line for each
    model at fault, as `parse_spec` gives them. Nothing is loaded; a model on the Hub is not looked
    up.
    """
    for gap in local_gaps(spec, targets, judges):
        raise gap


def local_gaps(
    spec: Spec, targets: Iterable[Target], judges: Iterable[Judge]
) -> Iterator[UsageError]:
    """What `check_local_models` would raise: of the libraries first, then of the models' files."""
    asked: list[tuple[str, str, Path]] = [
        (target.request.model, target.request.api, ("targets", spec.targets.index(target), "model"))
        for target in targets
        if target.request.provider == LOCAL
    ]
    asked += [
        (judge.model or "", "chat", ("judges", spec.judges.index(judge), "model"))
        for judge in judges
        if judge.provider == LOCAL
    ]
    if not asked:
        return
    yield from _errors_of(check_library)
    problems = Problems(spec.source, spec.positions)
    for model, api, path in asked:
        for error in _errors_of(partial(check_folder, model, api=api)):
            problems.add(path, error.message, error.hint or "another model")
    yield from _errors_of(problems.raise_any)


def gaps_of_model(model: str, *, api: str) -> Iterator[UsageError]:
    """What is missing for one local model: of the libraries first, then of its files."""
    yield from _errors_of(check_library)
    yield from _errors_of(partial(check_folder, model, api=api))


def _errors_of(check: Callable[[], None]) -> Iterator[UsageError]:
    try:
        check()
    except UsageError as error:
        yield error
