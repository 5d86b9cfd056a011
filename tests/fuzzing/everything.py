"""All parsers by their names."""

from tests.fuzzing import (  # noqa: F401 - they name theirs
    files,
    judges,
    outputs,
    replies,
    specs,
    stores,
)
