# SPDX-License-Identifier: GPL-2.0-only
"""The search for the number of flows that each method serves, run on a campaign."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from penstock.plan.cells import Plan
from penstock.questions.capacity import Searches, Served
from penstock.results import settings
from penstock.results.tables import Columns
from penstock.runs.campaign import Campaign

Point = tuple[str, int]
Stop = Callable[[Campaign], Exception]  # what to raise where runs failed


def _subject(method: str, receivers: str) -> str:
    return f"{method} {receivers}"


def _measure(
    plan: Plan, campaign: Campaign, points: Sequence[Point], seen: list[Columns], stop: Stop
) -> Mapping[Point, Sequence[float]]:
    """The losses of all seeds at each point, rows added to `seen`; a failed run ends the search."""
    cells, owners = [], []
    for subject, flows in points:
        method, receivers = subject.split(" ")
        for seed in plan.seeds:
            cells.append(plan.cell(method, receivers, flows, seed))
            owners.append((subject, flows))
    losses: dict[Point, list[float]] = {point: [] for point in points}
    for owner, (_, row) in zip(owners, campaign.run(cells), strict=True):
        if row is not None:
            seen.append(row.columns)
            loss = row.columns["loss_percent"]
            losses[owner].append(float(loss or 0.0))
    if campaign.failures:
        raise stop(campaign)
    return losses


def _record(plan: Plan, served: Served) -> dict[str, Any]:
    method, receivers = served.subject.split(" ")
    cell = plan.cell(method, receivers, 1, plan.seeds[0])
    text = settings.of_scenario(cell.settings)
    return {
        "method": method,
        "mode": plan.mode,
        "parameters": cell.parameters,
        "receivers": receivers,
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
    """One record for each method, receivers and level of loss in percent, and the runs' rows."""
    subjects = [_subject(m, r) for r in plan.receivers for m in plan.methods]
    seen: list[Columns] = []
    searches = Searches(lambda points: _measure(plan, campaign, points, seen, stop), most, by_one)
    return [_record(plan, served) for served in searches.run(subjects, levels)], seen
