"""Whether what local models need is installed; nothing of it is imported here."""

from __future__ import annotations

from importlib.util import find_spec

from auditor.errors import UsageError

_NEEDED = ("torch", "transformers")
_HINT = "pip install 'bias-auditor[local]'"


def check_library() -> None:
    """Raise UsageError that says what to install where something is missing."""
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        raise UsageError(
            f"provider local runs models in this process, and {' and '.join(missing)} {verb} not"
            " installed",
            hint=_HINT,
        )
