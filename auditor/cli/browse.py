"""`show`."""

from __future__ import annotations

from typing import Annotated

import typer

from auditor.cli.output import JsonOption, print_json, say, stdout, use_json
from auditor.cli.running import StoreArgument


def show(
    store: StoreArgument,
    protocol: Annotated[
        str | None, typer.Option("--protocol", help="Answers to this protocol.")
    ] = None,
    target: Annotated[str | None, typer.Option("--target", help="Answers of this target.")] = None,
    task: Annotated[
        str | None, typer.Option("--task", help="Answers with an annotation of this task.")
    ] = None,
    value: Annotated[
        str | None, typer.Option("--value", help="Whose annotation of --task has this value.")
    ] = None,
    invalid: Annotated[
        bool, typer.Option("--invalid", help="Answers that are counted as invalid.")
    ] = False,
    refused: Annotated[
        bool, typer.Option("--refused", help="Answers that are counted as refusals.")
    ] = False,
    outcome: Annotated[
        str | None,
        typer.Option("--outcome", help="answered, refused, filtered, truncated or empty."),
    ] = None,
    trial: Annotated[
        str | None, typer.Option("--trial", help="The answer to the trial whose key begins so.")
    ] = None,
    n: Annotated[int, typer.Option("-n", min=1, help="How many at most.")] = 10,
    json: JsonOption = False,
) -> int:
    """Show prompts, answers and annotations."""
    use_json(json)
    from auditor.reports.answer_view import render_answers
    from auditor.reports.browsing import answers
    from auditor.store.connection import sqlite_errors
    from auditor.store.reading import open_reader

    connection = open_reader(store)
    try:
        with sqlite_errors(store):
            found = list(
                answers(
                    connection,
                    protocol=protocol,
                    target=target,
                    task=task,
                    value=value,
                    invalid=invalid,
                    refused=refused,
                    outcome=outcome,
                    trial=trial,
                    n=n,
                )
            )
    finally:
        connection.close()
    if json:
        print_json([answer.as_json() for answer in found])
        return 0
    for shown in render_answers(found):
        stdout().print(shown)
    if not found:
        say("no such answers")
    return 0
