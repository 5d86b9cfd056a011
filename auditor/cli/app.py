"""The `auditor` command: its subcommands by group, and what their errors become."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from functools import cache
from json import JSONDecodeError
from pathlib import Path
from typing import Annotated

import typer
from typer._click.exceptions import ClickException, NoArgsIsHelpError

from auditor.cli.commands import Commands
from auditor.cli.output import (
    EXIT_INTERRUPTED,
    is_terminal_gone,
    print_error,
    print_unexpected,
    say,
    use_json,
)
from auditor.errors import AuditorError, UsageError
from auditor.waiting import speak_by

_SQLITE = b"SQLite format 3\0"
app = typer.Typer(
    name="auditor",
    cls=Commands,
    help="Audit language models for social bias: asynchronous, resumable, every number with its"
    " source.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 complete; 1 failures above the tolerance, rejected lines or an error;"
    " 2 wrong usage or spec; 3 stopped by the budget; 130 interrupted. After 1, 3 and 130 a run"
    " can be resumed.",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from auditor import __version__

        typer.echo(f"auditor {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version and leave.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    pass


@cache
def _commands() -> Callable[..., object]:
    """The command line, made once in a process."""
    return typer.main.get_command(app)


def run(arguments: list[str] | None = None) -> int:
    """Run one command and give its exit code. Never raises what a user can be told in a line."""
    given = sys.argv[1:] if arguments is None else arguments
    speak_by(say)
    # Errors of the command line itself come before any command has seen its options.
    use_json("--json" in given)
    try:
        code = _commands()(args=given, prog_name="auditor", standalone_mode=False)
        sys.stdout.flush()
    except (Exception, KeyboardInterrupt) as error:
        return _explained(error, given)
    return code if isinstance(code, int) else 0


def _explained(error: BaseException, given: list[str]) -> int:
    """Tell the user what has ended a command, and give its exit code."""
    import sqlite3

    code = 1
    if isinstance(error, AuditorError):
        print_error(error)
        code = error.exit_code
    elif isinstance(error, ClickException):
        if isinstance(error, NoArgsIsHelpError):
            with contextlib.suppress(OSError):
                typer.echo(error.format_message())
        else:
            print_error(UsageError(_sentence(error), hint="see --help"))
        code = 2
    elif isinstance(error, (KeyboardInterrupt, typer.Abort)):
        say("interrupted")
        code = EXIT_INTERRUPTED
    elif isinstance(error, sqlite3.Error):
        from auditor.store.connection import store_error

        print_error(store_error(_store_of(given) or Path("the store"), error))
    elif isinstance(error, OSError):
        if error.filename is None and is_terminal_gone():
            # It was to end with its terminal; the signal that says so may have come too late.
            code = EXIT_INTERRUPTED
        elif not isinstance(error, BrokenPipeError):  # whoever read has left, as `| head` does
            print_error(_of_the_system(error))
        _forget_stdout()
    elif (damage := _damage_behind(error, given)) is not None:
        print_error(damage)
    else:
        print_unexpected(error)
    return code


def _store_of(given: list[str]) -> Path | None:
    """The store among the words of a command line; most readers name theirs themselves."""
    return next((path for path in map(Path, given) if _is_database(path)), None)


def _damage_behind(error: BaseException, given: list[str]) -> AuditorError | None:
    """What explains an error that nobody expects: a store that holds what nobody has written."""
    store = _store_of(given)
    if store is None:
        return None
    from auditor.store.connection import damaged, damaged_value

    if isinstance(error, UnicodeDecodeError):
        return damaged(store)
    if isinstance(error, JSONDecodeError):
        # What a store holds as JSON was written as JSON; what comes from elsewhere is checked.
        return damaged_value(store, f"a value in it is no JSON: {error}")
    from auditor.store.cell_verification import damage_of_cells
    from auditor.store.reading import open_reader

    try:
        with contextlib.closing(open_reader(store)) as connection:
            return damage_of_cells(connection, store)
    except Exception:  # the error itself is what there is to be told
        return None


def _is_database(path: Path) -> bool:
    try:
        if not path.is_file():  # to open a pipe is to wait for its writer
            return False
        with path.open("rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except (OSError, ValueError):
        return False


def _sentence(error: ClickException) -> str:
    """What was wrong with the command line, without the words of the validating library."""
    return error.format_message().replace("Value error, ", "")


def _of_the_system(error: OSError) -> AuditorError:
    place = None if error.filename is None else str(error.filename)
    said = error.strerror or str(error)
    return AuditorError(
        said if place is None else f"{place}: {said}",
        where=place,
        hint="what was acknowledged is stored",
    )


def _forget_stdout() -> None:
    """Nobody takes our output any more: what is buffered would fail again at the last flush."""
    # Inside another program stdout may be no file.
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
