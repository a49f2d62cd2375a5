# SPDX-License-Identifier: GPL-2.0-only
"""The search for the number of flows that each method serves, run on a campaign."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from penstock.api.questions.capacity import Searches, Served
from penstock.errors import Exit, UserError
from penstock.plan.cells import Combination, Plan
from penstock.results import settings
from penstock.results.tables import Columns
from penstock.runs.campaign import Campaign
from penstock.runs.console import Console

Point = tuple[Combination, int]
Stop = Callable[[Campaign], Exception]  # what to raise where runs failed


def _measure(
    plan: Plan, campaign: Campaign, points: Sequence[Point], seen: list[Columns], stop: Stop
) -> Mapping[Point, Sequence[float]]:
    """The losses of all seeds at each point, rows added to `seen`; a failed run ends the search."""
    asked = [(point, seed) for point in points for seed in plan.seeds]
    cells = [plan.cell_of(each, flows, seed) for (each, flows), seed in asked]
    losses: dict[Point, list[float]] = {point: [] for point in points}
    for (point, _), (cell, row) in zip(asked, campaign.run(cells), strict=True):
        if row is not None:
            seen.append(settings.joined(row.columns, cell.settings))
            losses[point].append(float(row.columns["loss_percent"] or 0.0))
    if campaign.failures:
        raise stop(campaign)
    return losses


def _record(plan: Plan, served: Served[Combination]) -> dict[str, Any]:
    cell = plan.cell_of(served.subject, 1, plan.seeds[0])
    text = settings.of_scenario(cell.settings)
    return {
        "method": cell.method,
        "mode": cell.mode,
        "parameters": cell.parameters,
        "receivers": cell.receivers,
        **({"settings": text} if text else {}),
        "level_percent": served.level,
        "flows": served.flows,
        "loss_percent": served.loss and round(served.loss.mean, 6),
        "next_loss_percent": served.loss_next and round(served.loss_next.mean, 6),
        "monotone": served.monotone,
        "seeds": len(plan.seeds),
    }


def search(
    plan: Plan,
    campaign: Campaign,
    levels: Sequence[float],
    most: int,
    by_one: bool,
    stop: Stop,
) -> tuple[list[dict[str, Any]], list[Columns]]:
    """One record for each combination and level of loss in percent, and the runs' rows."""
    seen: list[Columns] = []
    searches = Searches[Combination](
        lambda points: _measure(plan, campaign, points, seen, stop), most, by_one
    )
    return [_record(plan, served) for served in searches.run(plan.combinations(), levels)], seen


def told(
    plan: Plan,
    campaign: Campaign,
    levels: Sequence[float],
    most: int,
    console: Console,
    by_one: bool = False,
) -> list[dict[str, Any]]:
    """The records of the search; the console is told of failed runs, which end it."""

    def stop(campaign: Campaign) -> UserError:
        console.print_failures(campaign.failures)
        return UserError("the search cannot go on without these runs", Exit.FAILURE)

    found, seen = search(plan, campaign, levels, most, by_one, stop)
    console.warn_of_seeds(seen)
    return found
