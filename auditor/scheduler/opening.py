"""Opening what a run works with: its store under lock, its endpoints with their keys."""

from __future__ import annotations

import contextlib
import glob
import os
import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from auditor.endpoints import Endpoint
from auditor.errors import StoreError, StoreMismatch
from auditor.spec.keys import key_variable
from auditor.store import lock, plan, schema
from auditor.store.connection import connect, make_durable, sqlite_errors
from auditor.types import EndpointConfig, Provider

_BESIDE = ("-wal", "-shm", "-journal")
"""What SQLite calls its files beside a store."""
_MAKER = rf"(?P<pid>[1-9]\d{{0,6}})(?:{'|'.join(_BESIDE)})?"
"""The number of a process, which systems keep below eight digits: dates are none."""


def open_endpoint(
    config: EndpointConfig,
    *,
    seed: int,
    environ: Mapping[str, str],
    connection: sqlite3.Connection | None,
) -> Endpoint:
    """An endpoint that obeys what a store knows of its models (None: nothing). Nothing is sent."""
    if config.provider == "sim":
        from auditor.providers.sim import SimProvider

        simulated = SimProvider(seed)
        return Endpoint(config, lambda _api, _model: simulated)
    if config.provider == "local":
        from auditor.providers.local import open_models
        from auditor.providers.local.provider import LocalProvider

        models = open_models(config)
        local = LocalProvider(models, seed=seed)
        return Endpoint(config, lambda _api, _model: local, shared=models)
    from auditor.providers import key_variables, known_provider, open_provider, open_transport
    from auditor.scheduler.profiles import read_profile

    variable = key_variable(config, key_variables([config.provider]))
    key = environ.get(variable) if variable else None
    # An outside package's adapter has connections of its own.
    is_ours = known_provider(config.provider).adapter is None
    transport = open_transport(config, api_key=key) if is_ours else None

    def provider_for(api: str, model: str) -> Provider:
        return open_provider(
            config,
            api=api,
            api_key=key,
            profile=None if connection is None else read_profile(connection, config.name, model),
            transport=transport,
        )

    return Endpoint(config, provider_for, shared=transport)


def check_place(path: Path, name: str) -> bool:
    """Whether there is no store at this path yet, and one may be made there.

    Raises StoreMismatch where it cannot be the store of the run of this name. Writes nothing.
    """
    if path.is_dir():
        raise StoreMismatch(f"{path} is a folder", where=str(path), hint="name a store (.db)")
    if not path.parent.is_dir():
        raise StoreMismatch(
            f"{path}: there is no folder {path.parent}", where=str(path), hint="make it first"
        )
    if not plan.exists(path):
        return True
    plan.check_run(path, name)
    return False


def hold_store(path: Path, *, say: Callable[[str], None]) -> int:
    """Create the store if there is none, take its lock, and give the epoch.

    An older store is brought to this version's schema. Raises StoreLocked while another process
    writes it.
    """
    if not plan.exists(path):
        _make_store(path)
    connection = connect(path)
    try:
        with sqlite_errors(path):
            make_durable(connection)
            epoch = lock.acquire(connection, say=say)
            schema.bring_up(connection, path)
            return epoch
    finally:
        connection.close()


@contextlib.contextmanager
def ready_store(path: Path, *, say: Callable[[str], None]) -> Iterator[int]:
    """As `hold_store`, while the store is made ready for work; the lock outlasts the block.

    After an error in it the store is as it was, and one that was made for it is gone.
    """
    is_new = not plan.exists(path)
    epoch = hold_store(path, say=say)
    try:
        yield epoch
    except BaseException:
        if is_new:
            _remove_store(path)
        else:
            _give_back(path, epoch)
        raise


def _make_store(path: Path) -> None:
    """A store that is there whole or not at all, whenever this process ends.

    It is made beside its place and then put there, where nobody else has put one meanwhile.
    """
    place = path.resolve()
    made = place.with_name(f".{place.name}.{os.getpid()}")
    try:
        _take_unfinished_away(place)
        plan.lay_out(made)
        _take_log_away(place)
        try:
            os.link(made, place)
        except OSError:  # an empty file is in its place, or the file system knows no links
            if not plan.exists(place):
                made.replace(place)
    except StoreError as error:
        raise StoreError(
            error.message.replace(str(made), str(path)), where=str(path), hint=error.hint
        ) from error
    finally:
        _remove_store(made)


def _take_unfinished_away(place: Path) -> None:
    """What processes left that were killed while they made this store."""
    made = re.escape(f".{place.name}.")
    for path in place.parent.glob(f".{glob.escape(place.name)}.*"):
        found = re.fullmatch(made + _MAKER, path.name)
        if found is None:
            continue
        pid = int(found["pid"])
        if pid == os.getpid() or not lock.process_exists(pid):
            _remove_store(path.with_name(f".{place.name}.{pid}"))


def _take_log_away(place: Path) -> None:
    """The log of a store that was removed would be taken for the log of the one put there next.

    SQLite takes it away itself when it opens an empty file, and leaves it where a store has come
    to be meanwhile.
    """
    if place.with_name(f"{place.name}-wal").exists():
        connection = connect(place)
        try:
            with sqlite_errors(place):
                connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        finally:
            connection.close()


def _remove_store(path: Path) -> None:
    """Take away a store that holds nothing, with the files SQLite keeps beside it."""
    for suffix in ("", *_BESIDE):
        # Where no file can be, there is none to take away.
        with contextlib.suppress(OSError):
            path.with_name(path.name + suffix).unlink(missing_ok=True)


def last_ending(path: Path) -> str | None:
    """How the last process that wrote a store ended; None where none has."""
    connection = connect(path, read_only=True)
    try:
        holder = lock.last_holder(connection)
    finally:
        connection.close()
    return None if holder is None else holder.ending


def _give_back(path: Path, epoch: int) -> None:
    """Give a lock back after an error, under which nothing was written.

    Where that fails too, the next process finds the holder gone; the error is what counts.
    """
    with contextlib.suppress(StoreError):
        connection = connect(path)
        try:
            with sqlite_errors(path):
                lock.release(connection, epoch, "incomplete")
        finally:
            connection.close()
