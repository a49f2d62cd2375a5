# SPDX-License-Identifier: GPL-2.0-only
"""`penstock agree`: the same runs in the simulator and in ns-3, and whether they agree."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli import options, screen

if TYPE_CHECKING:
    from penstock.api.agreement import Agreement


def _show(found: Agreement) -> None:
    from penstock.results import differences
    from penstock.results.agree import shown

    for grid in shown.pairs(found.scenario, found.pairs):
        screen.out().print(screen.table(grid.title, grid.headers, grid.rows, left=2))
        screen.out().print()
    screen.say(f"{found.seeds} runs of each; {differences.MARGIN_NOTE}")


def _show_flips(found: Agreement) -> None:
    from penstock.results.agree import orders, shown

    grid = shown.flips(found.scenario, found.flips)
    if grid.rows:
        screen.out().print(screen.table(grid.title, grid.headers, grid.rows, left=3))
    flips = sum(each.verdict == orders.FLIPS for each in found.flips)
    screen.say(
        f"order of methods: {found.compared} pairs, {flips} flipped, "
        f"{len(found.flips) - flips} cannot tell"
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
    from penstock.runs.wishes import Wishes

    wishes = Wishes(methods, flows, receivers, seeds, sets, mode, sweeps=sweeps)
    count = options.worker_count(workers)
    extent = agreement.Extent(wishes, quick, aligned, output, count)
    found = []
    for each in agreement.measure(scenarios, extent, screen):
        found.append(each)
        if as_json:
            for record in each.describe():
                sys.stdout.write(json.dumps(record) + "\n")
        else:
            _show(each)
            _show_flips(each)
    total = agreement.verdicts(found)
    screen.say(", ".join(f"{many} {verdict}" for verdict, many in total.items()))
