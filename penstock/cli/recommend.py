# SPDX-License-Identifier: GPL-2.0-only
"""`penstock recommend`: the gateway command that served a scenario best, and why."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from penstock.cli import options, run, screen
from penstock.errors import UsageError
from penstock.scenario import units

if TYPE_CHECKING:
    from penstock.api.questions.recommend import Answer, Candidate, Step
    from penstock.plan.cells import Plan
    from penstock.results.tables import Shown
    from penstock.runs.wishes import Wishes
    from penstock.scenario.model import Scenario
    from penstock.scenario.read import Loaded

_SEEDS: Final = "10"
_DEVICE_BYTES: Final = 15
_BEST: Final = {
    "loss_percent": "the least loss",
    "queue_delay_ms_p99": "the least queueing delay (99th percentile)",
    "goodput_mbps_total": "the most goodput",
}


def _shown() -> dict[str, Shown]:
    from penstock.results.tables import Shown

    return {
        "loss_percent": Shown("loss_percent", "loss %", 2),
        "queue_delay_ms_p99": Shown("queue_delay_ms_p99", "p99 delay ms", 1),
        "goodput_mbps_total": Shown("goodput_mbps_total", "goodput Mbit/s", 3),
    }


def attach_line(scenario: Scenario, method: str, parameters: str, mode: str, device: str) -> str:
    """The command for the measured link; '' for drop-tail."""
    from penstock.api.questions import recommend as choice
    from penstock.scenario import topology
    from penstock.scenario.model import Back

    if method == choice.BASE:
        return ""
    name, direction = topology.measured(scenario)
    link = scenario.link[name]
    back = link.back if direction == "back" else Back()
    rate = back.rate or link.rate
    limit = topology.queue_limit_bytes(scenario, name, direction)
    parts = ["penstock-gw", "attach", device, "--method", method]
    parts += ["--rate", units.form(units.RATE, rate)] if rate else []
    parts += ["--buffer", units.form(units.SIZE, limit)] if limit else []
    parts += ["--mode", mode] if mode != "safe" else []
    for pair in parameters.split():
        parts += ["--param", pair]
    return shlex.join(parts)


def _listed(names: Sequence[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def _step_text(step: Step, left: Sequence[Candidate]) -> str:
    same = [each.name for each in left if each.name not in (*step.out, step.best)]
    beside = f", as {_listed(same)} within the intervals" if same else ""
    verb = "differs" if len(step.out) == 1 else "differ"
    return f"{step.best} has {_BEST[step.column]}{beside}; {_listed(list(step.out))} {verb}"


def _why(answer: Answer) -> Iterator[str]:
    from penstock.api.questions import recommend as choice

    for name, less in answer.slower.items():
        yield f"{name} carries {-less.mean:.3f} ± {less.half or 0:.3f} Mbit/s less than drop-tail"
    left = [each for each in answer.candidates if each.name not in answer.slower]
    for step in answer.steps:
        yield _step_text(step, left)
        left = [each for each in left if each.name not in step.out]
    if answer.equal:
        equal = _listed([answer.method, *answer.equal])
        yield f"no difference within the intervals between {equal}"
    if answer.method == choice.BASE:
        yield "nothing was better than drop-tail, which needs no gateway"


def _rows(answer: Answer) -> list[list[str]]:
    from penstock.results import tables

    order = [answer.method, *answer.equal]
    found = sorted(answer.candidates, key=lambda each: each.name not in order)
    return [
        [each.name, *(tables.text(shown, each.mean(name)) for name, shown in _shown().items())]
        for each in found
    ]


def _describe(answer: Answer, line: str, seeds: int) -> dict[str, Any]:
    from penstock.api.questions import recommend as choice

    means = {
        each.name: {
            column: {"mean": mean.mean, "half": mean.half}
            for column in choice.JUDGED
            if (mean := each.mean(column)) is not None
        }
        for each in answer.candidates
    }
    return {
        "method": answer.method,
        "attach": line or None,
        "equal": list(answer.equal),
        "why": list(_why(answer)),
        "seeds": seeds,
        "methods": means,
    }


def _print(answer: Answer, line: str, seeds: int) -> None:
    headers = ["method", *(shown.title for shown in _shown().values())]
    screen.out().print(screen.table("", headers, _rows(answer)))
    print()
    for sentence in _why(answer):
        print(f"- {sentence}")
    print()
    print(line or "attach nothing")
    screen.say(f"mean ± 95 % interval over {seeds} seeds, of all loads and receivers")


def _one_choice(plan: Plan) -> None:
    """A usage error where several modes or values of a key are asked for: a gateway has one."""
    if len(plan.modes) > 1:
        raise UsageError(f"--mode {','.join(plan.modes)}: this command takes one of them")
    if plan.swept:
        key = plan.swept[0]
        raise UsageError(f"{key}: this command takes one value; give --set {key}=VALUE")


def _plan(scenario: str, asked: Wishes) -> tuple[Loaded, Plan]:
    """The runs of drop-tail and of the methods that were named, or of all that a gateway has."""
    from penstock.api.questions import recommend as choice
    from penstock.runs import wishes
    from penstock.scenario.variants import methods_of

    every = wishes.split(asked.methods) in ([], [wishes.ALL])
    named = [wishes.ALL] if every else [choice.BASE, *asked.methods]
    loaded, plan = options.plan(scenario, replace(asked, methods=named))
    _one_choice(plan)
    if len(plan.seeds) < choice.LEAST_SEEDS:
        raise UsageError(
            f"--seeds: {len(plan.seeds)} cannot tell a method from chance; give "
            f"{choice.LEAST_SEEDS} or more"
        )
    known = methods_of(plan.scenario)
    usable = [name for name in plan.methods if name in known and choice.attachable(known[name])]
    for name in plan.methods:
        if name not in usable and not every:
            has = [each for each in known if choice.attachable(known[each])]
            raise UsageError(
                f"-m {name}: penstock-gw cannot attach it to hosts as they are; it has "
                f"{', '.join(has)}"
            )
    return loaded, replace(plan, methods=usable)


def _require_device(name: str) -> None:
    """Refuses what the kernel takes for no device's name."""
    if not name or len(name) > _DEVICE_BYTES or any(c.isspace() or c in "/:" for c in name):
        raise UsageError(f"--dev '{name}': a device has 1 to 15 characters without a space, / or :")


def recommend(
    scenario: options.ScenarioName,
    methods: options.Methods = [],  # noqa: B006
    flows: options.FlowCounts = [],  # noqa: B006
    receivers: options.Receivers = [],  # noqa: B006
    seeds: options.Seeds = _SEEDS,
    sets: options.Sets = [],  # noqa: B006
    mode: options.Mode = None,
    device: Annotated[
        str, typer.Option("--dev", metavar="DEV", help="The device that the command names.")
    ] = "DEV",
    as_json: options.AsJson = False,
    output: options.Output = None,
    workers: options.Workers = None,
) -> None:
    """Run a scenario with the gateway's methods: the `penstock-gw attach` line that did best."""
    from penstock.api.questions import recommend as choice
    from penstock.results import tables
    from penstock.runs.campaign import Campaign
    from penstock.runs.wishes import Wishes

    _require_device(device)
    asked = Wishes(methods, flows, receivers, seeds, sets, mode or "safe")
    loaded, plan = _plan(scenario, asked)
    with Campaign("sim", min(options.worker_count(workers), plan.runs)) as campaign:
        if output:
            campaign.keep_in(output, loaded)
        rows = run.execute(loaded, plan, campaign)
    run.finish(campaign, rows)
    answer = choice.recommend(choice.candidates(tables.summarise(rows)))
    best = plan.cell(answer.method, plan.receivers[0], plan.flows[0], plan.seeds[0])
    line = attach_line(best.scenario, best.method, best.parameters, best.mode, device)
    count = choice.seeds_of(rows)
    if as_json:
        print(json.dumps(_describe(answer, line, count)))
        return
    _print(answer, line, count)
