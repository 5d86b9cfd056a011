"""`judge`: another judge for a store that is there."""

from __future__ import annotations

import json as json_module
import os
from collections.abc import Iterator
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
from auditor.cli.output import JsonOption, print_json, say, use_json
from auditor.cli.running import (
    NoProbeOption,
    StoreArgument,
    YesOption,
    confirm,
    cost_words,
)
from auditor.cli.view_of_work import view_of_work
from auditor.counted import counted
from auditor.errors import UsageError

if TYPE_CHECKING:
    from auditor.scheduler.audit import AuditEnd
    from auditor.scheduler.estimates import Expected
    from auditor.scheduler.rejudging import Rejudging
    from auditor.spec.model import Budget
    from auditor.types import JSON

BUDGET = "budget of this judging"
_MODEL = "PROVIDER:MODEL, an offline judge, or a judge of the store by its name."


def judge(
    store: StoreArgument,
    task: Annotated[str, typer.Option("--task", metavar="T", help="The annotation task.")],
    judge: Annotated[str, typer.Option("--judge", metavar="M", help=_MODEL)],
    name: Annotated[
        str | None, typer.Option("--name", help="What to call it. Default: after M.")
    ] = None,
    protocol: Annotated[
        str | None, typer.Option("--protocol", help="Where several protocols have the task.")
    ] = None,
    param: Annotated[
        list[str] | None,
        typer.Option(
            "--param",
            metavar="KEY=VALUE",
            help="A sampling parameter, or a setting of an offline judge; may be repeated.",
        ),
    ] = None,
    extra_body: Annotated[
        list[str] | None,
        typer.Option(
            "--extra-body",
            metavar="KEY=VALUE",
            help="A further field of the request; may be repeated.",
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            metavar="WAY",
            help="How a model is asked for typed output: native, tool or prompted."
            " Default: as the model is found to take it.",
        ),
    ] = None,
    setting: Annotated[
        str | None,
        typer.Option(
            "--setting",
            help="What of a trial it is shown, where the task knows several ways. Default: each.",
        ),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option",
            metavar="KEY=VALUE",
            help="An option of a model at its task, as paired=true for rubric; may be repeated.",
        ),
    ] = None,
    base_url: BaseUrlOption = None,
    api_key_env: ApiKeyEnvOption = None,
    concurrency: ConcurrencyOption = None,
    rpm: RpmOption = None,
    price: PriceOption = None,
    budget_usd: Annotated[
        float | None,
        typer.Option("--budget-usd", help="US dollars at most.", rich_help_panel=BUDGET),
    ] = None,
    budget_calls: Annotated[
        int | None, typer.Option("--budget-calls", help="Calls at most.", rich_help_panel=BUDGET)
    ] = None,
    budget_tokens: Annotated[
        int | None, typer.Option("--budget-tokens", help="Tokens at most.", rich_help_panel=BUDGET)
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit",
            metavar="N",
            min=1,
            help="Add at most N annotations of this judge now, over all its settings together: a"
            " text in two settings is two, the answers of a pair are two, an invalid one counts,"
            " a failed one too. What other judges read of them (gender of name) does not.",
        ),
    ] = None,
    yes: YesOption = False,
    no_probe: NoProbeOption = False,
    plan: Annotated[
        bool, typer.Option("--plan", help="Only say what it would take; sends and writes nothing.")
    ] = False,
    json: JsonOption = False,
) -> int:
    """Judge a store by a further judge, or go on with one: both stand side by side.

    What other judges said stays. The judge joins the store's plan, so that status counts it and
    resume goes on with it. Without a limit of its own the run's budget holds. Can be interrupted
    and repeated: only the rest is done.
    """
    use_json(json)
    from auditor.scheduler.rejudging import check_purse, rejudging
    from auditor.scheduler.wishes import JudgeWish

    endpoint = endpoint_settings(
        base_url=base_url, api_key_env=api_key_env, concurrency=concurrency, rpm=rpm, price=price
    )
    wish = JudgeWish(
        task=task,
        judge=judge,
        name=name,
        protocol=protocol,
        params=_pairs("--param", param),
        extra_body=_pairs("--extra-body", extra_body),
        output=output,
        options=_pairs("--option", option),
        setting=setting,
        endpoint=endpoint,
    )
    purse = _purse(budget_usd, budget_calls, budget_tokens)
    order = rejudging(store, wish)
    check_purse(order, purse or order.plan.spec.budget)
    expected = order.expected(limit)
    missing = list(_missing_keys(order))
    notes = list(order.left_out)
    if plan:
        notes += [f"`auditor judge` will refuse this: {e.message}; {e.hint}" for e in missing]
    for sentence in notes:
        say(f"note: {sentence}")
    if plan:
        _print_plan(order, expected, limit, notes, json=json)
        return 0
    if missing:  # before anything is written or spent
        raise missing[0]
    say(_announced(order, expected, limit))
    confirm(expected.cost_usd, yes=yes)
    return _carried_out(order, purse, limit, probes=not no_probe, json=json)


def _carried_out(
    order: Rejudging, purse: Budget | None, limit: int | None, *, probes: bool, json: bool
) -> int:
    from auditor.scheduler.rejudging import carry_out

    with view_of_work(order.path) as view:
        end = carry_out(
            order,
            say=view.say,
            purse=purse,
            limit=limit,
            probes=probes,
            begun=view.begun,
        )
    _conclude(order, end, json=json)
    return end.exit_code


def _conclude(order: Rejudging, end: AuditEnd, *, json: bool) -> None:
    from agents.shutdown import Ending
    from auditor.cli.results import print_results
    from auditor.store.status_json import status_json

    record = order.works[0].record
    labels = {(work.record.task, work.record.label) for work in order.works}
    own = [judge for judge in end.progress.judges if (judge.task, judge.judge) in labels]
    judged = {
        "done": sum(judge.done for judge in own),
        "invalid": sum(judge.invalid for judge in own),
        "failed": sum(judge.failed for judge in own),
        "left": sum(judge.lag for judge in own),
    }
    if json:
        named = {"task": record.task, "judge": record.name, **judged}
        print_json({**status_json(end.progress), "judged": named})
    elif end.ending is not Ending.INTERRUPTED:
        print_results(order.path, order.protocol)
    if end.excess is not None:
        say(f"the budget was passed: {end.excess}", "yellow")
    for sentence in end.stopped:
        say(sentence, "yellow")
    words = {
        Ending.COMPLETE: "done",
        Ending.INCOMPLETE: "ended",
        Ending.BUDGET: "stopped by the budget",
        Ending.INTERRUPTED: "interrupted",
    }
    made = f"{counted(judged['done'], 'text')} judged"
    for key, said in (("invalid", "of them invalid"), ("failed", "failed"), ("left", "left")):
        if judged[key]:
            made += f", {judged[key]:,} {said}"
    say(f"{order.name}: {words[end.ending]}: {made}; store: {order.path}")
    if judged["failed"] or judged["left"]:
        say("to go on: the same command again, or auditor resume " + str(order.path))


def _announced(order: Rejudging, expected: Expected, limit: int | None) -> str:
    left = [part.open for part in order.sources]
    limits = order.limits(limit)
    count = sum(left) if limits is None else sum(map(min, limits, left))
    said = f"{order.name}: {counted(count, 'text')} to judge"
    if order.endpoints:
        said += f" in {counted(expected.calls, 'call')}, {cost_words(expected.cost_usd)}"
    if count < sum(left):
        said += f"; {sum(left) - count:,} more are left for later"
    if too_long := _too_long(order):
        said += f"; {too_long:,} of all are too long to be sent"
    if done := sum(part.done for part in order.sources):
        said += f"; {done:,} judged already"
    return said


def _too_long(order: Rejudging) -> int:
    return sum(part.open - part.sent for part in order.sources)


def _print_plan(
    order: Rejudging, expected: Expected, limit: int | None, notes: list[str], *, json: bool
) -> None:
    if json:
        record = order.works[0].record
        print_json(
            {
                "task": record.task,
                "judge": record.name,
                "protocol": order.protocol,
                "known": order.is_known,
                "done": sum(part.done for part in order.sources),
                "left": sum(part.open for part in order.sources),
                "too_long": _too_long(order),
                **{key: value for key, value in expected.as_json().items() if key != "trials"},
                "notes": notes,
            }
        )
        return
    say(_announced(order, expected, limit))
    if order.endpoints:
        say(
            f"at most {expected.tokens:,} tokens, if each answer takes {expected.max_tokens}; an"
            " output that does not fit is asked for again, at most twice"
        )


def _missing_keys(order: Rejudging) -> Iterator[UsageError]:
    """An error for each endpoint of the judge whose key is not in the environment."""
    from auditor.providers import key_variables
    from auditor.spec import missing_key

    for name in order.endpoints:
        config = order.plan.spec.endpoints[name]
        variable = missing_key(config, os.environ, key_variables([config.provider]))
        if variable is not None:
            yield UsageError(
                f"{order.name}: the environment variable {variable} is not set",
                hint=f"put the key into {variable}, or name another variable with --api-key-env",
            )


def _purse(usd: float | None, calls: int | None, tokens: int | None) -> Budget | None:
    from auditor.spec.model import Budget

    given = {"--budget-usd": usd, "--budget-calls": calls, "--budget-tokens": tokens}
    for option, value in given.items():
        if value is not None and not 0 < value < float("inf"):
            raise UsageError(f"{option}: value {value}; allowed: a number above 0")
    if all(value is None for value in given.values()):
        return None
    return Budget(usd=usd, calls=calls, tokens=tokens)


def _pairs(option: str, given: list[str] | None) -> dict[str, JSON]:
    found: dict[str, JSON] = {}
    for part in given or ():
        key, equals, value = part.partition("=")
        if not equals or not key.strip():
            raise UsageError(f"{option}: value {part!r}; allowed: KEY=VALUE")
        if key in found:
            raise UsageError(f"{option}: {key} is given twice; allowed: once")
        found[key.strip()] = _value(value)
    return found


def _value(text: str) -> JSON:
    """JSON where it is some (0.5, true, {"a": 1}); else the text itself."""
    try:
        value: JSON = json_module.loads(text)
    except ValueError:
        return text
    return text if value is None else value
