"""Texts, paths and choices of a command line, read without loading a library.

typer hands every value to pydantic, which takes longer to load than `auditor status` takes.
"""

from __future__ import annotations

import os
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_origin

from typer.core import TyperCommand

if TYPE_CHECKING:
    from typer._click import Context, Parameter

_UNCHECKED = {
    "parser": None,
    "exists": False,
    "file_okay": True,
    "dir_okay": True,
    "writable": False,
    "resolve_path": False,
}
"""What a parameter asks of a value, where it asks no more than that a file can be read."""


class PlainCommand(TyperCommand):
    """A command whose plain values are read here."""

    def get_params(self, ctx: Context) -> list[Parameter]:
        """Its arguments and options."""
        return plainly_read(super().get_params(ctx))


def plainly_read(parameters: list[Parameter]) -> list[Parameter]:
    """The same parameters, which from here on read plain values themselves, and others as ever.

    A release of typer that keeps its readers elsewhere reads every value as ever.
    """
    for parameter in parameters:
        if getattr(parameter, "_runtime_param", ...) is None:
            vars(parameter)["_runtime_param"] = _Reader()
    return parameters


class _NotPlainError(Exception):
    pass


class _Reader:
    """Stands where typer keeps what reads a parameter's values."""

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """The value as the command takes it; typer says what is wrong with one that is no such."""
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        try:
            return _read(value, param.type_descriptor)
        except (ValueError, _NotPlainError):
            param._runtime_param = None
            return param.get_runtime_param().coerce(value, param=param, ctx=ctx)


def _read(value: Any, descriptor: Any) -> Any:
    if any(getattr(descriptor.parameter_info, name) != so for name, so in _UNCHECKED.items()):
        raise _NotPlainError
    kind = descriptor.annotation
    if get_origin(kind) is list and not isinstance(value, str):
        (kind,) = get_args(kind)
        return [_read_one(each, kind) for each in value]
    return _read_one(value, kind)


def _read_one(value: Any, kind: Any) -> Any:
    if not isinstance(kind, type):
        raise _NotPlainError
    if issubclass(kind, Path):
        if _is_there(value) and not os.access(value, os.R_OK):
            raise _NotPlainError
        return kind(value)
    if isinstance(value, kind):  # a text, or a value that stands for one that was not given
        return value
    if issubclass(kind, Enum):
        return kind(value)
    raise _NotPlainError


def _is_there(path: str) -> bool:
    """Raises ValueError for what is no path."""
    try:
        os.stat(path)
    except OSError:
        return False
    return True
