# SPDX-License-Identifier: GPL-2.0-only
"""`penstock recommend`: the gateway command that served a scenario best, and why."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Final

import typer

from penstock.cli import options, run, screen

if TYPE_CHECKING:
    from penstock.api.advice import Recommendation

_SEEDS: Final = "10"


def _print(found: Recommendation) -> None:
    grid = found.grid()
    screen.out().print(screen.table(grid.title, grid.headers, grid.rows))
    print()
    for sentence in found.why:
        print(f"- {sentence}")
    print()
    print(found.attach or "attach nothing")
    screen.say(f"mean ± 95 % interval over {found.seeds} seeds, of all loads and receivers")


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
    from penstock.api import advice
    from penstock.runs.campaign import Campaign
    from penstock.runs.wishes import Wishes

    advice.check_device(device)
    asked = Wishes(methods, flows, receivers, seeds, sets, mode or "safe")
    loaded, plan = advice.plan(scenario, asked, screen.say)
    with Campaign("sim", min(options.worker_count(workers), plan.runs)) as campaign:
        if output:
            campaign.keep_in(output, loaded)
        rows = run.execute(loaded, plan, campaign)
    run.finish(campaign, rows)
    found = advice.judged(plan, rows, device)
    if as_json:
        print(json.dumps(found.describe()))
        return
    _print(found)
