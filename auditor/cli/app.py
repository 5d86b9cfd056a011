"""The `auditor` command: its subcommands by group, and what their errors become."""

from __future__ import annotations

import sys
from typing import Annotated

import typer
from typer._click.exceptions import ClickException

from auditor import __version__
from auditor.cli import about, browse, data, results, running, watching
from auditor.cli.output import print_error, say
from auditor.errors import AuditorError, UsageError

RUN, WATCH, RESULTS, DATA, ABOUT = "run", "watch", "results", "data", "about"

app = typer.Typer(
    name="auditor",
    help="Audit language models for social bias: asynchronous, resumable, every number with its"
    " source.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 complete; 1 failures above the tolerance, rejected lines or an error;"
    " 2 wrong usage or spec; 3 stopped by the budget; 130 interrupted. After 1, 3 and 130 a run"
    " can be resumed.",
)


def _print_version(wanted: bool) -> None:
    if wanted:
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


for group, name, command in (
    (RUN, "run", running.run),
    (RUN, "resume", running.resume),
    (RUN, "plan", running.plan),
    (RUN, "doctor", running.doctor),
    (WATCH, "status", watching.status),
    (WATCH, "watch", watching.watch),
    (RESULTS, "show", browse.show),
    (RESULTS, "stats", results.stats),
    (RESULTS, "export", data.export),
    (RESULTS, "explain", results.explain),
    (DATA, "import", data.import_),
    (DATA, "verify", results.verify),
    (ABOUT, "list", about.list_),
):
    app.command(name, rich_help_panel=group)(command)


def run(arguments: list[str] | None = None) -> int:
    """Run one command and give its exit code. Never raises what a user can be told in a line."""
    try:
        code = app(args=arguments, standalone_mode=False)
    except AuditorError as error:
        print_error(error)
        return error.exit_code
    except ClickException as error:
        print_error(UsageError(error.format_message(), hint="see --help"))
        return 2
    except (KeyboardInterrupt, typer.Abort):
        say("interrupted")
        return 130
    except BrokenPipeError:
        # The reader of our output has left (`| head`): nothing more to say to anyone.
        sys.stderr.close()
        return 1
    return code if isinstance(code, int) else 0
