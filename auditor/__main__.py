"""The entry point of the `auditor` command."""

from __future__ import annotations

import sys
from pathlib import Path


def main() -> None:
    """Run the command line and leave with its exit code."""
    _refuse_foreign_agents()
    from auditor.cli.app import run

    sys.exit(run())


def _refuse_foreign_agents() -> None:
    """OpenAI's agents SDK also installs a package `agents`; ours must be the one that is found."""
    import agents

    if getattr(agents, "PROJECT", None) != "bias-auditor":
        place = Path(agents.__file__ or "").parent
        sys.stderr.write(
            f"error: the package `agents` at {place} is not this program's own\n"
            "hint: uninstall openai-agents from this environment, or install bias-auditor in one"
            " of its own\n"
        )
        sys.exit(2)


if __name__ == "__main__":
    main()
