# SPDX-License-Identifier: GPL-2.0-only
"""`penstock warm-up`: how long the runs of a scenario take to forget how they began."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from penstock.cli import options, screen
from penstock.errors import UsageError


def warm_up(
    scenario: options.ScenarioName,
    methods: options.Methods = [],  # noqa: B006
    flows: options.FlowCounts = [],  # noqa: B006
    receivers: options.Receivers = [],  # noqa: B006
    seeds: options.Seeds = None,
    sets: options.Sets = [],  # noqa: B006
    sweeps: options.Sweeps = [],  # noqa: B006
    mode: options.Mode = None,
    as_json: options.AsJson = False,
    curves: Annotated[
        bool,
        typer.Option("--curves", help="With -j: the relative change by observations deleted."),
    ] = False,
    workers: options.Workers = None,
) -> None:
    """Find how long runs take to forget how they began, and whether time.warm_up leaves it out."""
    from penstock.api import warm_up as transients
    from penstock.runs.wishes import Wishes
    from penstock.scenario import variants

    if curves and not as_json:
        raise UsageError("--curves: only JSON has them; add -j")
    wishes = Wishes(methods, flows, receivers, seeds, sets, mode, sweeps=sweeps)
    loaded, plan = options.plan(scenario, wishes)
    count = len(plan.combinations()) * len(plan.flows)
    with screen.progress(loaded.name, count) as advance:
        found = transients.analyse(plan, options.worker_count(workers), advance)
    if as_json:
        for each in found:
            print(json.dumps(each.describe(curves)))
    else:
        console = screen.out()
        for grid in transients.grids(found, variants.labels_of(loaded.base)):
            console.print(screen.table(grid.title, grid.headers, grid.rows))
            console.print()
        screen.say(transients.NOTE)
    for each_said in transients.warnings(found):
        screen.say(f"penstock: {each_said}")
