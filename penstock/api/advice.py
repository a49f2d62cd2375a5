# SPDX-License-Identifier: GPL-2.0-only
"""`ps.recommend`: which method a gateway should run on a link, and how to attach it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from penstock.api.words import in_python
from penstock.errors import OptionError, UsageError
from penstock.scenario import topology, units
from penstock.scenario.model import Back, Scenario

if TYPE_CHECKING:
    from penstock.api.given import Several
    from penstock.api.links import Link
    from penstock.api.questions.recommend import Answer, Candidate, Step
    from penstock.plan.cells import Plan
    from penstock.results.grid import Grid
    from penstock.runs.wishes import Tell, Wishes
    from penstock.scenario.read import Loaded
    from penstock.scenario.source import Source

SEEDS: Final = 10  # if nobody says how many
_DEVICE_BYTES: Final = 15
RATE_PERCENT: Final = 95  # of the line's rate (docs/operator/choose.md)
_WHY_BELOW: Final = (
    "--rate is {part} % of the link's {rate}: a queue forms here only if this device sends more "
    "slowly than the line"
)
_BEST: Final = {
    "loss_percent": "the least loss",
    "queue_delay_ms_p99": "the least queueing delay (99th percentile)",
    "goodput_mbps_total": "the most goodput",
}


def _rate_bps(scenario: Scenario) -> int:
    """Of the measured link; 0 if a trace gives it."""
    name, direction = topology.measured(scenario)
    link = scenario.link[name]
    back = link.back if direction == "back" else Back()
    return back.rate or link.rate or 0


def attach_line(scenario: Scenario, method: str, parameters: str, mode: str, device: str) -> str:
    """The command for the measured link; '' for drop-tail, which needs no gateway."""
    from penstock.api.questions import recommend as choice

    if method == choice.BASE:
        return ""
    name, direction = topology.measured(scenario)
    rate = _rate_bps(scenario) * RATE_PERCENT // 100
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
        yield f"the seeds do not tell {equal} apart"
    if answer.method == choice.BASE:
        yield "nothing was better than drop-tail, which needs no gateway"


@dataclass(frozen=True)
class Recommendation:
    """The method that did best, how to attach it, and why.

    `attach` is a command of penstock-gw, or '' where nothing was better than drop-tail. `answer`
    has the means of all methods over `seeds` seeds: percent, ms and Mbit/s.
    """

    method: str
    attach: str
    equal: Sequence[str]
    why: Sequence[str]
    seeds: int
    answer: Answer

    def grid(self) -> Grid:
        """The means of all methods, the best and its equals first."""
        from penstock.results import tables
        from penstock.results.grid import Grid

        shown = [
            tables.Shown("loss_percent", "loss %", 2),
            tables.Shown("queue_delay_ms_p99", "p99 delay ms", None),
            tables.Shown("goodput_mbps_total", "goodput Mbit/s", 3),
        ]
        best = [self.method, *self.equal]
        ordered = sorted(self.answer.candidates, key=lambda each: each.name not in best)
        rows = [
            [each.name, *(tables.text(column, each.mean(column.column)) for column in shown)]
            for each in ordered
        ]
        return Grid("", ["method", *(column.title for column in shown)], rows)

    def describe(self) -> dict[str, Any]:
        """The keys of `penstock recommend -j`."""
        from penstock.api.questions import recommend as choice

        means = {
            each.name: {
                column: {"mean": mean.mean, "half": mean.half}
                for column in choice.JUDGED
                if (mean := each.mean(column)) is not None
            }
            for each in self.answer.candidates
        }
        return {
            "method": self.method,
            "attach": self.attach or None,
            "equal": list(self.equal),
            "why": list(self.why),
            "seeds": self.seeds,
            "methods": means,
        }


def _one_choice(plan: Plan) -> None:
    """Refuses several modes or values of a key: a gateway has one."""
    if len(plan.modes) > 1:
        raise OptionError("--mode", ",".join(plan.modes), "this command takes one of them")
    if plan.swept:
        key = plan.swept[0]
        raise UsageError(f"{key}: this command takes one value; give --set {key}=VALUE")


def plan(scenario: str | Source, asked: Wishes, tell: Tell = lambda _: None) -> tuple[Loaded, Plan]:
    """The runs of drop-tail and of the methods that were named, or of all that a gateway has.

    Raises UsageError for a method that no gateway can attach, for several modes or values of a
    key, and for fewer than three seeds.
    """
    from penstock.api.questions import recommend as choice
    from penstock.runs import numbers, wishes
    from penstock.scenario.variants import methods_of

    every = numbers.split(asked.methods) in ([], [wishes.ALL])
    named = [wishes.ALL] if every else [choice.BASE, *asked.methods]
    loaded, made = wishes.plan(scenario, replace(asked, methods=named), tell=tell)
    _one_choice(made)
    if len(made.seeds) < choice.LEAST_SEEDS:
        why = (
            f"{len(made.seeds)} cannot tell a method from chance; give {choice.LEAST_SEEDS} or more"
        )
        raise OptionError("--seeds", "", why)
    known = methods_of(made.scenario)
    usable = [name for name in made.methods if name in known and choice.attachable(known[name])]
    for name in made.methods:
        if name not in usable and not every:
            has = [each for each in known if choice.attachable(known[each])]
            raise OptionError(
                "-m",
                name,
                f"penstock-gw cannot attach it to hosts as they are; it has {', '.join(has)}",
            )
    return loaded, replace(made, methods=usable)


def check_device(name: str) -> None:
    """Refuses what the kernel takes for no device's name."""
    if not name or len(name) > _DEVICE_BYTES or any(c.isspace() or c in "/:" for c in name):
        why = "a device has 1 to 15 characters without a space, / or :"
        raise OptionError("--dev", name, why)


def judged(plan: Plan, rows: Sequence[Mapping[str, Any]], device: str) -> Recommendation:
    """The best of the methods whose rows these are, one for each run of the plan."""
    from penstock.api.questions import recommend as choice
    from penstock.results import tables

    answer = choice.recommend(choice.candidates(tables.summarise(rows)))
    best = plan.cell(answer.method, plan.receivers[0], plan.flows[0], plan.seeds[0])
    line = attach_line(best.scenario, best.method, best.parameters, best.mode, device)
    why = [*_why(answer)]
    if line and (rate := _rate_bps(best.scenario)):
        why.append(_WHY_BELOW.format(part=RATE_PERCENT, rate=units.form(units.RATE, rate)))
    return Recommendation(
        answer.method, line, answer.equal, tuple(why), choice.seeds_of(rows), answer
    )


@in_python
def recommend(
    scenario: Link | str | Path,
    methods: Several | None = None,
    *,
    flows: Several | None = None,
    receivers: Several | None = None,
    seeds: str | int | Sequence[int] = SEEDS,
    mode: str = "safe",
    set: Mapping[str, object] | None = None,  # noqa: A002
    device: str = "DEV",
    workers: int | None = None,
    progress: bool = False,
) -> Recommendation:
    """Runs a scenario with the gateway's methods, and says which did best.

    `methods` are those that are compared with drop-tail, all by default. Loss, the 99th
    percentile of the queueing delay and goodput are judged one after the other, over at least
    three seeds. `device` is named in the command.

    Examples:
        >>> import penstock as ps
        >>> home = ps.link(rate="5mbit", buffer="20kB", size="100kB", window=65535)
        >>> ps.recommend(home, "ewt", flows=4, seeds=3, device="wan0").seeds
        3
        >>> ps.recommend(home, "ewt", seeds=2)
        Traceback (most recent call last):
        penstock.errors.UsageError: seeds: 2 cannot tell a method from chance; give 3 or more
    """
    from penstock.api import given, play
    from penstock.runs.campaign import Campaign

    check_device(device)
    asked = given.wishes(methods, flows, receivers, seeds, mode, set)
    count = given.worker_count(workers)
    loaded, made = plan(given.name(scenario), asked)
    with Campaign("sim", min(count, made.runs)) as campaign:
        found = play.results(loaded, made, campaign, None, progress)
    return judged(made, [row.columns for row in found.rows], device)
