# SPDX-License-Identifier: GPL-2.0-only
"""`penstock capacity`: the number of flows that each method serves at each level of loss."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli import options, screen
from penstock.errors import Exit, UsageError, UserError
from penstock.scenario.limits import MAX_FLOWS

if TYPE_CHECKING:
    from penstock.plan.cells import Plan
    from penstock.runs.campaign import Campaign


def _levels(text: str) -> list[float]:
    from penstock.runs.wishes import split

    levels = []
    for part in split([text]):
        try:
            level = float(part)
        except ValueError:
            level = math.nan
        if not 0 < level < 100:
            raise UsageError(f"--levels {part}: a loss in percent is wanted, above 0, below 100")
        levels.append(level)
    if not levels:
        raise UsageError("--levels: name at least one, such as 0.1,0.5,1")
    return list(dict.fromkeys(levels))


def _stop(campaign: Campaign) -> UserError:
    screen.print_failures(campaign.failures)
    return UserError("the search cannot go on without these runs", Exit.FAILURE)


def search(
    plan: Plan, campaign: Campaign, levels: Sequence[float], most: int, by_one: bool = False
) -> list[dict[str, Any]]:
    """One record for each method, receivers and level of loss in percent."""
    from penstock.api import search as searches

    found, seen = searches.search(plan, campaign, levels, most, by_one, _stop)
    screen.warn_of_seeds(seen)
    return found


def _gain(flows: int | None, base: int | None) -> str:
    if flows is None or not base:
        return ""
    return f" ({100 * (flows - base) / base:+.0f} %)"


def _print(plan: Plan, records: Sequence[dict[str, Any]], levels: list[float], most: int) -> None:
    from penstock.results import tables

    console = screen.out()
    found = {(r["method"], r["receivers"], r["level_percent"]): r["flows"] for r in records}
    for receivers in plan.receivers:
        rows = []
        for method in plan.methods:
            cells = []
            for level in levels:
                flows = found[method, receivers, level]
                base = found.get(("droptail", receivers, level))
                gain = _gain(flows, base) if method != "droptail" else ""
                cells.append((f"over {most}" if flows is None else str(flows)) + gain)
            rows.append([method, *cells])
        title = f"flows served, receive window {tables.receivers_text(receivers)}"
        headers = ["method", *(f"at {level:g} % loss" for level in levels)]
        console.print(screen.table(title, headers, rows))
        console.print()
    screen.say(
        "flows served at a level: the mean loss is at most that with n flows, and above it with "
        "n + 1; in brackets: against droptail"
    )
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
    from penstock.runs.campaign import Campaign
    from penstock.runs.wishes import Wishes, one_choice

    wishes = Wishes(methods, (), receivers, seeds, sets, mode)
    loaded, plan = options.plan(scenario, wishes, backend)
    one_choice(plan)
    wanted = _levels(levels)
    with Campaign(backend, options.worker_count(workers)) as campaign:
        if output:
            campaign.keep_in(output, loaded)
        with screen.progress(f"{loaded.name}: searching", None) as advance:
            campaign.advance = advance
            records = search(plan, campaign, wanted, most, by_one)
        if campaign.store:
            campaign.store.keep_search(campaign.about, records)
    if as_json:
        for record in records:
            print(json.dumps(record))
    else:
        _print(plan, records, wanted, most)
