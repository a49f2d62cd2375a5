# SPDX-License-Identifier: GPL-2.0-only
"""`penstock agree`: the same runs in the simulator and in ns-3, and whether they agree."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Final

import typer

from penstock.cli import options, screen

if TYPE_CHECKING:
    from penstock.plan.cells import Plan
    from penstock.results.agree.orders import Flip
    from penstock.results.differences import Pair

_SCENARIOS: Final = ("ewt-2019/scenario-1", "ewt-2019/scenario-2")


def _show(name: str, plan: Plan, found: Sequence[Pair]) -> None:
    from penstock.results.agree import shown

    for grid in shown.pairs(name, found):
        screen.out().print(screen.table(grid.title, grid.headers, grid.rows, left=2))
        screen.out().print()
    screen.say(f"{len(plan.seeds)} runs of each; see docs/agreement.md for the verdicts")


def _show_flips(name: str, compared: int, found: Sequence[Flip]) -> None:
    from penstock.results.agree import orders, shown

    grid = shown.flips(name, found)
    if grid.rows:
        screen.out().print(screen.table(grid.title, grid.headers, grid.rows, left=3))
    flips = sum(each.verdict == orders.FLIPS for each in found)
    screen.say(
        f"order of methods: {compared} pairs, {flips} flipped, {len(found) - flips} cannot tell"
    )


def agree(
    scenarios: Annotated[
        list[str], typer.Argument(metavar="[SCENARIO]...", help="Both of ewt-2019 by default.")
    ] = [],  # noqa: B006
    methods: options.Methods = [],  # noqa: B006
    flows: options.FlowCounts = [],  # noqa: B006
    receivers: options.Receivers = [],  # noqa: B006
    seeds: options.Seeds = None,
    sets: options.Sets = [],  # noqa: B006
    sweeps: options.Sweeps = [],  # noqa: B006
    mode: options.Mode = None,
    as_json: options.AsJson = False,
    output: options.Output = None,
    workers: options.Workers = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Only the first number of flows and five seeds.")
    ] = False,
    aligned: Annotated[
        bool,
        typer.Option(
            "--aligned",
            help="Without the two causes of difference: ns-3's retransmission timer in the "
            "simulator, Penstock's congestion control in ns-3.",
        ),
    ] = False,
) -> None:
    """Run scenarios in the simulator and in ns-3, and say whether they agree."""
    from penstock.api import agreement
    from penstock.results.agree import compare
    from penstock.runs.wishes import Wishes

    wishes = Wishes(methods, flows, receivers, seeds, sets, mode, sweeps=sweeps)
    plans = [
        (name, *agreement.plan(name, wishes, quick, screen)) for name in scenarios or _SCENARIOS
    ]
    total: list[Pair] = []
    for name, loaded, plan in plans:
        backends = agreement.ALIGNED if aligned else agreement.PLAIN
        folder = output / name.replace("/", "-") if output else None
        count = options.worker_count(workers)
        found = agreement.measure(loaded, plan, backends, folder, count, screen)
        total += found.pairs
        if as_json:
            for each in found.pairs:
                sys.stdout.write(json.dumps({"scenario": name, **compare.describe(each)}) + "\n")
            for flip in found.flips:
                sys.stdout.write(json.dumps({"scenario": name, **flip.describe()}) + "\n")
        else:
            _show(name, plan, found.pairs)
            _show_flips(name, found.compared, found.flips)
    told = [compare.verdict(each) for each in total]
    screen.say(", ".join(f"{told.count(verdict)} {verdict}" for verdict in compare.VERDICTS))
