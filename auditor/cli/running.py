"""`run`, `resume`, `plan` and `doctor`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.cli.output import JsonOption, print_json, say, stderr, stdout, use_json
from auditor.cli.question import is_agreed
from auditor.cli.view_of_work import view_of_work
from auditor.counted import counted
from auditor.errors import UsageError

if TYPE_CHECKING:
    from auditor.scheduler.audit import AuditEnd
    from auditor.scheduler.part import Part
    from auditor.scheduler.plan import Plan
    from auditor.scheduler.profiles import Probed
    from auditor.scheduler.readiness import Readiness, TargetReadiness
    from auditor.spec.model import Spec

SpecArgument = Annotated[Path, typer.Argument(metavar="SPEC", help="The spec: a TOML file.")]
StoreOption = Annotated[
    Path | None,
    typer.Option("--store", help="The store. Default: beside the spec, same name, .db."),
]
StoreArgument = Annotated[
    Path, typer.Argument(metavar="STORE", help="The store: the .db file of a run.")
]
OnlyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--only", metavar="PROTOCOL|TARGET", help="Only this protocol or target; may be repeated."
    ),
]
LimitOption = Annotated[
    int | None, typer.Option("--limit", min=1, help="Send at most so many trials now.")
]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before spending money.")]
NoProbeOption = Annotated[
    bool, typer.Option("--no-probe", help="Do not ask models first what they take.")
]

_ASK_FROM_USD = 1.0


def run(
    spec: SpecArgument,
    store: StoreOption = None,
    only: OnlyOption = None,
    limit: LimitOption = None,
    yes: YesOption = False,
    no_probe: NoProbeOption = False,
    supersede: Annotated[
        bool,
        typer.Option(
            "--supersede",
            help="Where the spec asks otherwise than before, mark the old answers as superseded.",
        ),
    ] = False,
    json: JsonOption = False,
) -> int:
    """Carry out a spec, or go on where an earlier run of it stopped."""
    use_json(json)
    from auditor.scheduler.plan import make_plan
    from auditor.spec import load_spec

    return _carry_out(
        make_plan(load_spec(spec)),
        store or spec.with_suffix(".db"),
        only=only,
        limit=limit,
        yes=yes,
        probes=not no_probe,
        supersede=supersede,
        json=json,
    )


def resume(
    store: StoreArgument,
    only: OnlyOption = None,
    limit: LimitOption = None,
    yes: YesOption = False,
    no_probe: NoProbeOption = False,
    json: JsonOption = False,
) -> int:
    """Go on with a run, by the spec and the rubrics that its store keeps."""
    use_json(json)
    from auditor.scheduler.launch import stored_plan

    found = stored_plan(store)
    for sentence in found.differing:
        say(f"note: {sentence}", "yellow")
    return _carry_out(
        found.plan,
        store,
        only=only,
        limit=limit,
        yes=yes,
        probes=not no_probe,
        supersede=False,
        json=json,
    )


def plan(spec: SpecArgument, json: JsonOption = False) -> int:
    """Say what a spec will take: trials, calls, tokens, money, time. Sends nothing."""
    use_json(json)
    from auditor.scheduler.estimates import check_prices, expected, expected_judges
    from auditor.scheduler.left_out import said_once
    from auditor.scheduler.plan import make_plan
    from auditor.spec import load_spec

    made = make_plan(load_spec(spec))
    left_out = list(said_once(made.left_out))
    for sentence in left_out:
        say(sentence)
    refused = [f"`auditor run` will refuse this: {gap}" for gap in _gaps(made.spec)]
    for sentence in refused:
        say(f"note: {sentence}", "yellow")
    total, by_target = expected(made)
    by_judge = expected_judges(made)
    check_prices(made)
    if json:
        targets = [{"target": name, **found.as_json()} for name, found in by_target.items()]
        judges = [{"judge": name, **found.as_json()} for name, found in by_judge.items()]
        notes = [*left_out, *refused]
        print_json({**total.as_json(), "targets": targets, "judges": judges, "notes": notes})
        return 0
    from auditor.live.plans import plan_table

    stdout().print(
        plan_table(made.spec.name, total, by_target, by_judge, caps_output=made.caps_output)
    )
    return 0


def doctor(
    spec: SpecArgument,
    store: StoreOption = None,
    json: JsonOption = False,
) -> int:
    """Say what is ready; ask every model a few short questions, and keep the answers.

    Nothing is asked while a target or a judge is not ready: exit code 2, with what mends it.
    """
    use_json(json)
    from auditor.scheduler.doctor import examine
    from auditor.scheduler.plan import make_plan
    from auditor.scheduler.readiness import judges_readiness, targets_readiness
    from auditor.spec import check_keys, check_local_models, load_spec

    loaded = load_spec(spec)
    made = make_plan(loaded)
    variables = _key_variables(loaded)
    targets = list(targets_readiness(loaded, os.environ, variables))
    judges = list(judges_readiness(loaded, os.environ, variables))
    # What keeps models from being asked is said with its place in the spec, by the checks below.
    unready = [judge.error for judge in judges if judge.error and not judge.is_model]
    probed: list[Probed] = []
    problem: UsageError | None = unready[0] if unready else None
    try:
        check_keys(loaded, os.environ, variables)
        check_local_models(loaded, loaded.targets, loaded.judges)
        if problem is None:
            probed = examine(made, store or spec.with_suffix(".db"), say=say)
    except UsageError as error:
        problem = problem or error
    _print_examined(targets, judges, None if problem else probed, json=json)
    if problem is not None:
        raise problem
    return 1 if any(found.error for found in probed) else 0


def _print_examined(
    targets: list[TargetReadiness],
    judges: list[Readiness],
    probed: list[Probed] | None,
    *,
    json: bool,
) -> None:
    """What was found; `probed` is None where no model was asked."""
    if json:
        print_json(
            {
                "targets": [target.as_json() for target in targets],
                "judges": [judge.as_json() for judge in judges],
                "models": None if probed is None else [found.as_json() for found in probed],
            }
        )
        return
    from auditor.live.plans import findings_table, judges_table, targets_table

    stdout().print(targets_table(targets))
    stdout().print(judges_table(judges))
    if probed is not None:
        stdout().print(findings_table(probed))


def _carry_out(
    plan: Plan,
    store: Path,
    *,
    only: list[str] | None,
    limit: int | None,
    yes: bool,
    probes: bool,
    supersede: bool,
    json: bool,
) -> int:
    from auditor.scheduler.launch import launch
    from auditor.scheduler.opening import check_place
    from auditor.spec import check_keys, check_local_models

    part = _part(plan, only, limit)
    check_keys(
        plan.spec, os.environ, _key_variables(plan.spec), endpoints=part.endpoints_of(plan.spec)
    )
    check_local_models(plan.spec, part.targets_of(plan.spec), part.judges_of(plan.spec))
    if not check_place(store, plan.spec.name):
        _tell_left_out(plan, store)
    _announce(plan, store, part, yes=yes)
    with view_of_work(store) as view:
        end = launch(
            plan,
            store,
            say=view.say,
            part=part,
            supersede=supersede,
            probes=probes,
            begun=view.begun,
        )
    _conclude(store, end, part, json=json)
    return end.exit_code


def _tell_left_out(plan: Plan, store: Path) -> None:
    """Name judges that `judge` added to this store and that the spec leaves out of its plan."""
    from auditor.scheduler.rejudging import left_out_judges

    names = left_out_judges(plan, store)
    if names:
        say(
            f"note: {', '.join(names)}: added to this store and not in {plan.spec.source}; what"
            " they said is kept, and left out of status and statistics",
            "yellow",
        )


def _part(plan: Plan, only: list[str] | None, limit: int | None) -> Part:
    from auditor.scheduler.part import Part

    protocols, targets = set(), set()
    names = {target.name for target in plan.spec.targets}
    for name in only or ():
        if name in plan.spec.protocols:
            protocols.add(name)
        elif name in names:
            targets.add(name)
        else:
            allowed = ", ".join([*plan.spec.protocols, *sorted(names)])
            raise UsageError(f"--only {name}: no such protocol or target; allowed: {allowed}")
    return Part(
        protocols=frozenset(protocols) or None, targets=frozenset(targets) or None, trials=limit
    )


def _announce(plan: Plan, store: Path, part: Part, *, yes: bool) -> None:
    """Say first what is left to do and what it costs; ask on a terminal where that is much."""
    from auditor.scheduler.estimates import check_prices
    from auditor.scheduler.readiness import remarks
    from auditor.scheduler.remaining import remaining

    check_prices(plan)
    for sentence in remarks(plan.judges):
        say(f"note: {sentence}", "yellow")
    left = remaining(plan, part, store)
    total = left.total
    said = (
        f"{counted(total.trials, 'trial')} in {counted(total.calls, 'call')},"
        f" {cost_words(total.cost_usd)}"
    )
    if not total.calls:
        said = "nothing is left to be sent"
    if left.done:
        said += f"; {left.done:,} of {counted(plan.trials, 'trial', verb=('is', 'are'))} done"
    if left.later:
        said += f"; {left.later:,} {'is' if left.later == 1 else 'are'} left for later"
    say(f"{plan.spec.name}: {said}")
    if plan.caps_output and total.calls:
        cap = counted(total.max_tokens, "token a call", verb=("is", "are"))
        say(f"the budget needs an output cap: {cap} asked for")
    confirm(total.cost_usd, yes=yes)


def cost_words(cost_usd: float | None) -> str:
    """What is said of a cost before it is spent."""
    from auditor.live.figures import dollars

    return "at an unknown price" if cost_usd is None else f"at most {dollars(cost_usd)} USD"


def confirm(cost_usd: float | None, *, yes: bool) -> None:
    """Ask on a terminal before what costs a dollar or more; a no leaves with 2."""
    is_costly = cost_usd is not None and cost_usd >= _ASK_FROM_USD
    if is_costly and not yes and stderr().is_terminal and not is_agreed("go on?"):
        raise typer.Exit(2)


def _conclude(store: Path, end: AuditEnd, part: Part, *, json: bool) -> None:
    from agents.shutdown import Ending
    from auditor.cli.results import print_results
    from auditor.store.status_json import status_json

    if json:
        print_json(status_json(end.progress))
    elif end.ending is not Ending.INTERRUPTED:
        print_results(store)
    if end.excess is not None:
        say(f"the budget was passed: {end.excess}", "yellow")
    for sentence in end.stopped:
        say(sentence, "yellow")
    missing = end.progress.planned - end.progress.responses
    unjudged = sum(judge.failed + judge.lag for judge in end.progress.judges)
    left = [counted(missing, "trial without a response")] if missing or not unjudged else []
    left += [counted(unjudged, "text that a judge did not annotate")] if unjudged else []
    words = {
        Ending.COMPLETE: _completed(part, missing),
        Ending.INCOMPLETE: f"ended with {' and '.join(left)}",
        Ending.BUDGET: f"stopped by the budget with {counted(missing, 'trial')} to go",
        Ending.INTERRUPTED: f"interrupted with {counted(missing, 'trial')} to go",
    }
    say(f"{words[end.ending]}; store: {store}")
    if missing or unjudged:
        say(f"to go on: auditor resume {store}")
    elif end.ending is Ending.INTERRUPTED:
        say(f"the statistics were left: auditor stats {store}")


def _completed(part: Part, missing: int) -> str:
    if not missing:
        return "complete"
    if part.is_whole:
        return f"complete but for {counted(missing, 'trial')}, which the spec tolerates"
    return f"this part is done; {counted(missing, 'trial of the plan', verb=('is', 'are'))} to go"


def _gaps(spec: Spec) -> Iterator[str]:
    """What a run of the spec lacks here: keys, libraries and files of models, one in a sentence."""
    from auditor.spec import check_keys, local_gaps

    try:
        check_keys(spec, os.environ, _key_variables(spec))
    except UsageError as error:
        yield from error.message.splitlines()
    for gap in local_gaps(spec, spec.targets, spec.judges):
        mends = f"; {gap.hint}" if gap.hint else ""
        for line in gap.message.splitlines():
            yield f"{line}{mends}"


def _key_variables(spec: Spec) -> dict[str, str]:
    from auditor.providers import key_variables

    return key_variables({spec.endpoints[name].provider for name in spec.used_endpoints})
