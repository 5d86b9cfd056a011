"""Keeps small linear algebra on one thread."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any


def single_threaded() -> AbstractContextManager[Any]:
    """A context in which BLAS uses one thread.

    Matrices of some tens of columns gain nothing from several, and where other work keeps the
    cores busy threads that wait for each other take several times as long.
    """
    limits: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return limits


@lru_cache(maxsize=1)
def _controller() -> Any:
    # It knows the libraries that are loaded when it is made: numpy's and scipy's.
    import numpy  # noqa: F401
    import scipy.linalg  # noqa: F401
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
