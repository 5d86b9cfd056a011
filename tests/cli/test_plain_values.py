"""Values of a command line are read as typer reads them, and refused in its words; its help."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from typer.core import TyperCommand

from auditor.cli.plain_values import PlainCommand
from tests.cli.driving import auditor


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


def _command(
    path: Annotated[Path, typer.Argument()],
    more: Annotated[list[Path] | None, typer.Argument()] = None,
    name: Annotated[str | None, typer.Option()] = None,
    names: Annotated[list[str] | None, typer.Option()] = None,
    colour: Annotated[Colour | None, typer.Option()] = None,
    number: Annotated[int, typer.Option(min=1)] = 3,
    share: Annotated[float | None, typer.Option()] = None,
    there: Annotated[Path | None, typer.Option(exists=True, dir_okay=False)] = None,
    flag: bool = False,
) -> dict[str, Any]:
    return dict(locals())


def _read(cls: type[TyperCommand], words: list[str]) -> object:
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(cls=cls)(_command)
    try:
        return typer.main.get_command(app)(args=words, standalone_mode=False)
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["a.db"],
        ["a.db", "b.db", "c.db"],
        ["."],
        ["a\0b"],
        ["no-such-folder/a.db"],
        ["a", "--name", "", "--names", "x", "--names", "y"],
        ["a", "--colour", "red"],
        ["a", "--colour", "RED"],
        ["a", "--colour", "green"],
        ["a", "--number", "7", "--share", "0.5", "--flag"],
        ["a", "--number", "0"],
        ["a", "--number", "seven"],
        ["a", "--share", "half"],
        ["a", "--there", "no-such-file"],
        ["a", "--there", "."],
        ["a", "--there", __file__],
        ["a", "--none"],
    ],
    ids=" ".join,
)
def test_a_command_line_means_what_it_means_to_typer(words):
    assert _read(PlainCommand, words) == _read(TyperCommand, words)


def test_a_file_that_cannot_be_read_is_refused_as_typer_does(monkeypatch):
    monkeypatch.setattr("os.access", lambda *_, **__: False)
    assert "is not readable" in str(_read(PlainCommand, [__file__]))
    assert _read(PlainCommand, [__file__]) == _read(TyperCommand, [__file__])


@pytest.mark.parametrize("name", ["judge", "instructions"])
def test_a_help_keeps_options_apart_that_belong_together(name):
    budget = "budget of this judging" if name == "judge" else "budget"
    _, _, sections = auditor(name, "--help").out.partition("\nOptions:\n")
    general, _, rest = sections.partition("\nendpoint of a model:\n")
    endpoint, _, spending = rest.partition(f"\n{budget}:\n")
    assert "--yes" in general
    assert "--rpm" in endpoint
    assert "--budget-usd" in spending
