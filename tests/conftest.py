"""What holds for all tests."""

import os
import sys

# Many tests start processes of their own; without byte code each would compile every library.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
