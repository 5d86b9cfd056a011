"""Python's search for reference cycles, told that a run hardly makes any.

What a call needs is freed by its reference counts. Left as it is, the collector looks through the
calls under way at every 700th object, and now and then through all modules that are loaded: an
eighth of the CPU of a run.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_OBJECTS = 20_000
"""Objects made and not freed before the next look: a hundred calls under way hold fewer."""


@contextmanager
def rare_collections() -> Iterator[None]:
    """Look for cycles seldom, and not among what is there already."""
    usual = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_OBJECTS, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)
        gc.unfreeze()
