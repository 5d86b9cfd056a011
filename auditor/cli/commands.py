"""The commands by group. Each is loaded when it is called or described: none waits for all."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cached_property, wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand, TyperGroup

from auditor.cli.output import EXIT_INTERRUPTED, say
from auditor.cli.plain_values import PlainCommand, plainly_read

if TYPE_CHECKING:
    from typer._click import Context, HelpFormatter, Parameter

GROUPS = {
    "run": {
        "run": "running.run",
        "resume": "running.resume",
        "plan": "running.plan",
        "doctor": "running.doctor",
    },
    "watch": {
        "status": "watching.status",
        "watch": "watching.watch",
    },
    "judge": {
        "judge": "judge_store.judge",
        "sample": "judging.sample",
        "validate": "judging.validate",
    },
    "results": {
        "show": "browse.show",
        "stats": "results.stats",
        "report": "reporting.report",
        "export": "data.export",
        "explain": "results.explain",
    },
    "data": {
        "import": "data.import_",
        "corpus": "corpus.corpus",
        "instructions": "authoring.instructions",
        "verify": "results.verify",
    },
    "about": {
        "list": "about.list_",
    },
}
"""By group and name, in the order of the help: where in this folder the function of each is."""


class _Sectioned(PlainCommand):
    """A command whose help shows options that belong together in a section of their own."""

    def format_options(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write a section for arguments, for options, and for each panel that options name."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                usual = "Arguments" if parameter.param_type_name == "argument" else "Options"
                title = getattr(parameter, "rich_help_panel", None) or usual
                sections.setdefault(title, []).append(record)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)


class Deferred(TyperCommand):
    """A command whose module is loaded, and whose signature is read, when it is called.

    To do both for all of them takes longer than a short command.
    """

    def __init__(self, name: str, *, place: str) -> None:
        super().__init__(name, rich_markup_mode=None)
        self._place = place

    @cached_property
    def function(self) -> Callable[..., int]:
        """What the command does, and in its docstring says that it does."""
        module, _, name = self._place.rpartition(".")
        found: Callable[..., int] = getattr(import_module(f"auditor.cli.{module}"), name)
        return found

    @property
    def summary(self) -> str:
        """The first paragraph of its docstring, on one line."""
        paragraphs = (inspect.getdoc(self.function) or "").split("\n\n")
        return " ".join(paragraphs[0].split())

    @cached_property
    def command(self) -> TyperCommand:
        """The command, with its arguments and options."""
        app = typer.Typer(
            add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None
        )
        app.command(self.name, cls=_Sectioned)(_answering(self.function))
        command = typer.main.get_command(app)
        assert isinstance(command, TyperCommand)
        return command

    def make_context(
        self, info_name: str | None, args: list[str], parent: Context | None = None, **extra: Any
    ) -> Context:
        """The context that the command itself runs in."""
        return self.command.make_context(info_name, args, parent, **extra)


class Commands(TyperGroup):
    """All commands; their help names each in its group, with the whole of its summary."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for functions in GROUPS.values():
            for name, place in functions.items():
                self.add_command(Deferred(name, place=place))

    def get_params(self, ctx: Context) -> list[Parameter]:
        """Its parameters, of which plain values are read without a library."""
        return plainly_read(super().get_params(ctx))

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write a section a group."""
        width = max(map(len, self.commands))
        for group, functions in GROUPS.items():
            with formatter.section(group):
                formatter.write_dl([(f"{name:{width}}", self._summary(name)) for name in functions])

    def _summary(self, name: str) -> str:
        command = self.commands[name]
        return command.summary if isinstance(command, Deferred) else ""


def _answering(command: Callable[..., int]) -> Callable[..., int]:
    """The command, with a line where Ctrl-C ends it: of the parser's own making there is none."""

    @wraps(command)
    def answering(*given: object, **named: object) -> int:
        try:
            return command(*given, **named)
        except KeyboardInterrupt:
            say("interrupted")
            return EXIT_INTERRUPTED

    return answering
