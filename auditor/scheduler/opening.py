"""Opening what a run works with: its store under lock, its endpoints with their keys."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path

from auditor.endpoints import Endpoint
from auditor.spec.keys import key_variable
from auditor.store import lock, plan
from auditor.store.connection import connect, make_durable, sqlite_errors
from auditor.types import EndpointConfig, Provider


def open_endpoint(
    config: EndpointConfig,
    *,
    seed: int,
    environ: Mapping[str, str],
    connection: sqlite3.Connection,
) -> Endpoint:
    """An endpoint that obeys what is known of its models. Nothing is sent."""
    if config.provider == "sim":
        from auditor.providers.sim import SimProvider

        simulated = SimProvider(seed)
        return Endpoint(config, lambda _api, _model: simulated)
    from auditor.providers import known_provider, open_provider, open_transport
    from auditor.scheduler.profiles import read_profile

    defaults = {config.provider: known_provider(config.provider).api_key_env}
    variable = key_variable(config, {k: v for k, v in defaults.items() if v is not None})
    key = environ.get(variable) if variable else None
    transport = open_transport(config, api_key=key)

    def provider_for(api: str, model: str) -> Provider:
        return open_provider(
            config,
            api=api,
            api_key=key,
            profile=read_profile(connection, config.name, model),
            transport=transport,
        )

    return Endpoint(config, provider_for, shared=transport)


def hold_store(path: Path, *, say: Callable[[str], None]) -> int:
    """Create the store if there is none, take its lock, and give the epoch.

    Raises StoreLocked while another process writes it.
    """
    if not plan.exists(path):
        plan.lay_out(path)
    connection = connect(path)
    try:
        with sqlite_errors(path):
            make_durable(connection)
            return lock.acquire(connection, say=say)
    finally:
        connection.close()


def let_go(path: Path, epoch: int, ending: str) -> None:
    """Give a lock back without having written anything under it."""
    connection = connect(path)
    try:
        with sqlite_errors(path):
            lock.release(connection, epoch, ending)
    finally:
        connection.close()
