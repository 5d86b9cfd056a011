"""What every command prints with: data to stdout, words to stderr, errors in one shape."""

from __future__ import annotations

import contextlib
import errno
import json
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from auditor.errors import AuditorError
from auditor.harmless import harmless

if TYPE_CHECKING:
    from rich.console import Console

JsonOption = Annotated[
    bool, typer.Option("--json", help="Print data as JSON; errors too, on stderr.")
]

EXIT_INTERRUPTED = 130

_wants_json = False


def use_json(wanted: bool) -> bool:
    """Remember whether errors are to be JSON; gives the flag back."""
    global _wants_json  # noqa: PLW0603 - one process, one command line
    _wants_json = wanted
    return wanted


def stdout() -> Console:
    """Where results go."""
    from rich.console import Console

    return Console(soft_wrap=False, highlight=False)


def stderr() -> Console:
    """Where words and the live view go."""
    from auditor.cli.consoles import Words

    return Words(stderr=True, highlight=False)


def say(text: str, style: str = "") -> None:
    """A line for the user, on stderr; dropped where the terminal has gone away."""
    from rich.text import Text

    with contextlib.suppress(OSError):
        stderr().print(Text(harmless(text, keep_lines=True), style=style), soft_wrap=True)


def print_json(value: Any) -> None:
    """A JSON value on stdout, laid out for reading."""
    # ASCII only: a lone surrogate in a model's text must not end the output.
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=True, allow_nan=False) + "\n")


def print_error(error: AuditorError) -> None:
    """One error on stderr: a sentence and a hint, or JSON where the command was asked for it."""
    if _wants_json:
        body = {"error": error.message, "where": error.where, "hint": error.hint}
        _write_words(json.dumps(body) + "\n")
        return
    say(f"error: {error.message}", "bold red")
    if error.hint:
        say(f"hint: {error.hint}")


def print_unexpected(error: BaseException) -> None:
    """A bug on stderr: where it happened, and the traceback where words were asked for."""
    at = traceback.extract_tb(error.__traceback__)[-1]
    if not _wants_json:
        _write_words(harmless("".join(traceback.format_exception(error)), keep_lines=True))
    print_error(
        AuditorError(
            f"unexpected {type(error).__name__}: {error}",
            where=f"{Path(at.filename).name}:{at.lineno}",
            hint="what was acknowledged is stored; please report this with the traceback",
        )
    )


def _write_words(text: str) -> None:
    with contextlib.suppress(OSError):
        sys.stderr.write(text)


def is_terminal_gone() -> bool:
    """Whether stdout or stderr is a terminal whose window has been closed."""
    try:
        import termios
    except ImportError:  # a system whose terminals do not hang up
        return False
    for stream in (sys.stdout, sys.stderr):
        try:
            termios.tcgetattr(stream.fileno())
        except termios.error as error:
            if error.args[0] == errno.EIO:
                return True
        except (AttributeError, OSError, ValueError):  # no file, as inside another program
            continue
    return False
