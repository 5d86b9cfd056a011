"""What holds for all tests."""

import gc
import os
import signal
import sys

import pytest
from hypothesis import HealthCheck, settings

# Many tests start processes of their own; without byte code each would compile every library.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# A shell lets what it starts in the background ignore Ctrl-C, and so would all that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# One seed for every run, and no look at the clock: a test that fails by luck, or because the
# machine is busy, says nothing of the change at hand.
settings.register_profile(
    "same",
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("same")

# What thousands of tests are made of stays to the end: no use in looking through it for garbage.
gc.set_threshold(50_000, 20, 50)


def pytest_collection_finish(session: pytest.Session) -> None:
    gc.collect()
    gc.freeze()
