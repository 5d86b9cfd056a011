"""What holds for all tests."""

import os
import sys

from hypothesis import settings

# Many tests start processes of their own; without byte code each would compile every library.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# One seed for every run: a test that fails by luck says nothing of the change at hand.
settings.register_profile("same", derandomize=True, database=None)
settings.load_profile("same")
