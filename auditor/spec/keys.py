"""Whether the keys that a run needs are in the environment. No key is read further than that."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from auditor.spec.model import SIMULATED, Spec
from auditor.spec.positions import Path
from auditor.spec.problems import Problems
from auditor.types import EndpointConfig


def check_keys(
    spec: Spec,
    environ: Mapping[str, str],
    default_variables: Mapping[str, str],
    *,
    endpoints: Collection[str] | None = None,
) -> None:
    """Raise UsageError that lists every variable that is missing or blank, as `parse_spec` does.

    Args:
        spec: the run's spec.
        environ: the environment.
        default_variables: variable of each provider's key, for endpoints that name none.
        endpoints: names of the endpoints that the run calls; None: all that its targets and
            judges use. A key of any other endpoint is never asked for.
    """
    problems = Problems(spec.source, spec.positions)
    wanted = spec.used_endpoints if endpoints is None else endpoints
    for name in wanted:
        variable = missing_key(spec.endpoints[name], environ, default_variables)
        if variable is not None:
            problems.add(
                _place(spec, name),
                f"the environment variable {variable} is not set",
                f"a key in {variable}, or another variable in api_key_env",
            )
    problems.raise_any()


def missing_key(
    config: EndpointConfig, environ: Mapping[str, str], default_variables: Mapping[str, str]
) -> str | None:
    """The variable that should hold an endpoint's key, where it is not set or blank; else None."""
    variable = key_variable(config, default_variables)
    return None if variable is None or environ.get(variable, "").strip() else variable


def key_variable(config: EndpointConfig, default_variables: Mapping[str, str]) -> str | None:
    """The variable that holds an endpoint's key, or None where it needs none.

    A server at a base_url of the user's own gets the vendor's key only where the spec says so.
    """
    if config.provider == SIMULATED:
        return None
    if config.api_key_env is not None or config.base_url is not None:
        return config.api_key_env
    return default_variables.get(config.provider)


def _place(spec: Spec, endpoint: str) -> Path:
    declared: Path = ("endpoints", endpoint, "api_key_env")
    if declared[:2] in spec.positions.paths():
        return declared
    for place, target in enumerate(spec.targets):
        if target.endpoint == endpoint:
            return ("targets", place, "model")
    for place, judge in enumerate(spec.judges):
        if judge.endpoint == endpoint:
            return ("judges", place, "model")
    return declared
