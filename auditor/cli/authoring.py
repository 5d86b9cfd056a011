"""`instructions`: instructions for `grap`, written by a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.cli.endpoint_options import (
    ApiKeyEnvOption,
    BaseUrlOption,
    ConcurrencyOption,
    PriceOption,
    RpmOption,
    endpoint_settings,
)
from auditor.cli.output import EXIT_INTERRUPTED, JsonOption, print_json, say, use_json
from auditor.cli.running import YesOption, confirm, cost_words
from auditor.counted import counted
from auditor.errors import UsageError
from auditor.user_files import read_whole

if TYPE_CHECKING:
    from auditor.protocols.grap.authoring import Author
    from auditor.protocols.grap.contrast import Contrast
    from auditor.scheduler.authoring import Authored

_BUDGET = "budget"
_MOST = 1_000_000
"""Each call is priced before the first one."""


def instructions(
    model: Annotated[str, typer.Option("--model", metavar="M", help="PROVIDER:MODEL.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="The file to write.")
    ],
    n: Annotated[int, typer.Option("--n", "-n", min=1, max=_MOST, help="How many.")] = 1000,
    domain: Annotated[
        list[str] | None,
        typer.Option(
            "--domain", metavar="D", help="Only this domain; may be repeated. Default: all."
        ),
    ] = None,
    contrast: Annotated[
        Path | None,
        typer.Option(
            "--contrast",
            metavar="FILE",
            help="TOML of the contrast whose words may not occur. Default: gender.",
        ),
    ] = None,
    temperature: Annotated[
        float | None, typer.Option("--temperature", help="Default: the model's own.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of retries and of sim: models.")] = 1,
    base_url: BaseUrlOption = None,
    api_key_env: ApiKeyEnvOption = None,
    concurrency: ConcurrencyOption = None,
    rpm: RpmOption = None,
    price: PriceOption = None,
    budget_usd: Annotated[
        float | None,
        typer.Option("--budget-usd", min=0, help="US dollars at most.", rich_help_panel=_BUDGET),
    ] = None,
    budget_calls: Annotated[
        int | None,
        typer.Option("--budget-calls", min=1, help="Calls at most.", rich_help_panel=_BUDGET),
    ] = None,
    budget_tokens: Annotated[
        int | None,
        typer.Option("--budget-tokens", min=1, help="Tokens at most.", rich_help_panel=_BUDGET),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
    yes: YesOption = False,
    json: JsonOption = False,
) -> int:
    """Have a model write instructions for the protocol grap: none twice, none with a gendered word.

    The file has one JSON object a line and stands in a spec as instructions = "FILE". It is
    written in one piece at the end, also with fewer than wanted; stderr then says how many and why.
    Exit codes: 0 all are there, 1 the model or the endpoint gave no more, 3 the budget is spent,
    130 stopped by hand; 2 nothing was begun.
    """
    use_json(json)
    from auditor.scheduler.authoring import Commission, commissioned
    from auditor.scheduler.interrupts import leave_at_once
    from auditor.scheduler.stoppable import run_stoppable

    _check_place(output, force=force)
    known, author = _materials(contrast)
    endpoint = endpoint_settings(
        base_url=base_url, api_key_env=api_key_env, concurrency=concurrency, rpm=rpm, price=price
    )
    budget = {"usd": budget_usd, "calls": budget_calls, "tokens": budget_tokens}
    work = commissioned(
        Commission(
            model=model,
            n=n,
            contrast=known,
            author=author,
            domains=_domains(domain, author),
            seed=seed,
            params={} if temperature is None else {"temperature": temperature},
            endpoint=endpoint,
            budget={key: value for key, value in budget.items() if value is not None},
        )
    )
    wanted = f"{counted(n, 'instruction')} by {model}"
    say(f"{wanted}: {counted(work.calls, 'call')} at least, {cost_words(work.cost_usd)}")
    confirm(work.cost_usd, yes=yes)

    def conclude_interrupted() -> int:
        work.authored.stopped, work.authored.exit_code = "interrupted", EXIT_INTERRUPTED
        return _conclude(work.authored, n, model, output, json=json)

    def leave(code: int) -> None:
        try:
            conclude_interrupted()  # what has been paid for is written, however it is stopped
        finally:
            leave_at_once(code)

    try:
        run_stoppable(work.run(), leave=leave)
    except KeyboardInterrupt:
        return conclude_interrupted()
    return _conclude(work.authored, n, model, output, json=json)


def _check_place(output: Path, *, force: bool) -> None:
    if output.is_dir() or not output.absolute().parent.is_dir():
        raise UsageError(f"{output} is not a place for a file", hint="name a file in a folder")
    if output.exists() and not force:
        raise UsageError(f"{output} is there already", hint="overwrite it with --force")


def _materials(contrast: Path | None) -> tuple[Contrast, Author]:
    import rubrics
    from auditor.protocols.grap.authoring import AUTHOR, Author
    from auditor.protocols.grap.contrast import read_contrast
    from auditor.protocols.grap.files import CONTRAST, DataFile

    author = Author.of(rubrics.read(AUTHOR))
    if contrast is None:
        own = DataFile(text=rubrics.read(CONTRAST), name=f"rubrics/{CONTRAST}", field="contrast")
        return read_contrast(own), author
    try:
        text = read_whole(contrast).decode("utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"{contrast}: cannot be read ({reason}); allowed: TOML in UTF-8") from None
    return read_contrast(DataFile(text=text, name=str(contrast), field="contrast")), author


def _domains(wanted: list[str] | None, author: Author) -> tuple[str, ...]:
    for name in wanted or ():
        if name not in author.topics:
            raise UsageError(
                f"--domain {name}: no such domain; allowed: {', '.join(author.topics)}"
            )
    return tuple(dict.fromkeys(wanted)) if wanted else tuple(author.topics)


def _conclude(done: Authored, wanted: int, model: str, output: Path, *, json: bool) -> int:
    found = len(done.collection.found)
    if found:
        _write(output, done.collection.as_lines(model))
    if json:
        print_json(
            {
                "file": str(output) if found else None,
                "instructions": found,
                "wanted": wanted,
                "left_out": dict(done.collection.left_out),
                "not_answered": dict(done.outcomes),
                "calls": done.calls,
                "cost_usd": done.cost_usd,
                "stopped": done.stopped,
            }
        )
    for counts, noun in ((done.collection.left_out, "lines"), (done.outcomes, "answers")):
        if counts:
            reasons = ", ".join(f"{number:,} {reason}" for reason, number in counts.most_common())
            say(f"{noun} left out: {reasons}")
    if done.stopped is not None:
        say(f"stopped: {done.stopped}", "yellow")
    place = f"written to {output}" if found else "nothing was written"
    cost = "unknown cost" if done.cost_usd is None else f"{done.cost_usd:.4f} USD"
    written = f"{found:,} of {counted(wanted, 'instruction')}"
    say(f"{written}, {counted(done.calls, 'call')}, {cost}: {place}")
    return done.exit_code


def _write(output: Path, text: str) -> None:
    """The file whole, or as it was before."""
    partial = output.with_name(f".{output.name}.partial")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(output)
    finally:
        partial.unlink(missing_ok=True)
