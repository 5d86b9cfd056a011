"""A yes or a no from whoever sits at the terminal."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Iterator
from typing import TextIO

import typer

from auditor.signals import take_up, told_of_signals

_ANSWERS = {"y": True, "yes": True, "n": False, "no": False, "": False}


def is_agreed(question: str) -> bool:
    """Ask on stderr until the answer is y, yes, n, no or empty, which is a no.

    Raises
    ------
    KeyboardInterrupt
        Ctrl-C, at whatever moment it is pressed.
    typer.Abort
        The input has ended (Ctrl-D).
    """
    lines = _lines_of_stdin()
    while True:
        typer.echo(f"{question} [y/N]: ", nl=False, err=True)
        try:
            answer = next(lines, None)
        except KeyboardInterrupt:
            typer.echo(err=True)
            raise
        if answer is None:
            typer.echo(err=True)
            raise typer.Abort
        agreed = _ANSWERS.get(answer.strip().lower())
        if agreed is not None:
            return agreed
        typer.echo("please answer y or n", err=True)


def _lines_of_stdin() -> Iterator[str]:
    """Lines as they come; the rest of the input, if not empty, ends as a line does."""
    if sys.stdin is None:  # its descriptor was closed before this process began
        return
    held = b""
    while True:
        _await_input(sys.stdin)
        read = os.read(sys.stdin.fileno(), 4096)
        *lines, held = (held + read).split(b"\n")
        for line in lines:
            yield line.decode(errors="replace")
        if not read:
            break
    if held:
        yield held.decode(errors="replace")


def _await_input(file: TextIO) -> None:
    """Until something can be read, or a signal that ends the question has come.

    `input()` would not notice one that comes just before its wait.
    """
    with told_of_signals() as told:
        waiting: list[TextIO | int] = [file, told]
        while file not in select.select(waiting, [], [])[0]:
            take_up(told)
