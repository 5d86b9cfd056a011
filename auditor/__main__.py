"""The entry point of the `auditor` command."""

from __future__ import annotations

import json
import signal
import sys
from io import TextIOWrapper


def main() -> None:
    """Run the command line and leave with its exit code."""
    try:
        _refuse_foreign_agents()
        code = _run()
    except KeyboardInterrupt:  # while the program was being loaded: nothing has begun
        code = 130
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # What is left of Python's own work is nobody's loss, and its traceback nobody's gain.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(code)


def _run() -> int:
    if isinstance(sys.stdout, TextIOWrapper):
        # A terminal or file in a small character set gets marks for what it cannot hold.
        sys.stdout.reconfigure(errors="replace")
    from auditor.cli.app import run

    return run()


def _refuse_foreign_agents() -> None:
    """OpenAI's agents SDK also installs a package `agents`; ours must be the one that is found."""
    try:
        import agents

        is_ours = getattr(agents, "PROJECT", None) == "bias-auditor"
    except Exception:  # whatever a foreign package needs may be missing
        is_ours = False
    if is_ours:
        return
    from importlib.util import find_spec

    found = find_spec("agents")
    place = "an unknown place" if found is None or found.origin is None else found.origin
    error = f"the package `agents` at {place} is not this program's own"
    hint = (
        "uninstall openai-agents from this environment, or install bias-auditor in one of its own"
    )
    if "--json" in sys.argv:
        sys.stderr.write(json.dumps({"error": error, "where": place, "hint": hint}) + "\n")
    else:
        sys.stderr.write(f"error: {error}\nhint: {hint}\n")
    sys.exit(2)


if __name__ == "__main__":
    main()
