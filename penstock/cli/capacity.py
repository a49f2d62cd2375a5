# SPDX-License-Identifier: GPL-2.0-only
"""`penstock capacity`: the number of flows that each method serves at each level of loss."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from penstock.cli import options, screen
from penstock.scenario.limits import MAX_FLOWS


def _print(records: Sequence[dict[str, Any]], most: int, own: Mapping[str, str]) -> None:
    from penstock.results import served

    console = screen.out()
    for grid in served.grids(records, most, own):
        console.print(screen.table(grid.title, grid.headers, grid.rows))
        console.print()
    screen.say(served.NOTE)
    if not all(record["monotone"] for record in records):
        screen.say("loss did not rise with every step of n everywhere: --by-one finds the first n")


def capacity(
    scenario: options.ScenarioName,
    methods: options.Methods = [],  # noqa: B006
    levels: Annotated[
        str, typer.Option("--levels", metavar="P1,P2", help="Loss in percent.")
    ] = "0.1,0.5,1",
    receivers: options.Receivers = [],  # noqa: B006
    seeds: options.Seeds = None,
    sets: options.Sets = [],  # noqa: B006
    sweeps: options.Sweeps = [],  # noqa: B006
    mode: options.Mode = None,
    by_one: Annotated[
        bool, typer.Option("--by-one", help="Add one flow at a time, as in the papers.")
    ] = False,
    most: Annotated[
        int,
        typer.Option(
            "--most", metavar="N", min=1, max=MAX_FLOWS, help="Upper limit of the search."
        ),
    ] = 1024,
    as_json: options.AsJson = False,
    output: options.Output = None,
    workers: options.Workers = None,
    backend: options.BackendName = "sim",
) -> None:
    """Find the number of flows that each method serves at each level of loss (RFC 7928)."""
    from penstock.api import search as searches
    from penstock.runs.campaign import Campaign
    from penstock.runs.numbers import split
    from penstock.runs.wishes import Wishes
    from penstock.scenario import variants

    wishes = Wishes(methods, (), receivers, seeds, sets, mode, sweeps=sweeps)
    loaded, plan = options.plan(scenario, wishes, backend)
    aim = searches.Aim(searches.parsed(split([levels])), most, by_one)
    with Campaign(backend, options.worker_count(workers)) as campaign:
        if output:
            campaign.keep_in(output, loaded)
        with screen.progress(f"{loaded.name}: searching", None) as advance:
            campaign.advance = advance
            records = searches.told(plan, campaign, aim, screen)
        if campaign.store:
            campaign.store.keep_search(campaign.about, records)
    if as_json:
        for record in records:
            print(json.dumps(record))
    else:
        _print(records, most, variants.labels_of(loaded.base))
