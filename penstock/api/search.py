# SPDX-License-Identifier: GPL-2.0-only
"""The search for the number of flows that each method serves, run on a campaign."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from penstock.api.questions.capacity import Searches, Served
from penstock.errors import Exit, OptionError, UserError
from penstock.plan.cells import Combination, Plan
from penstock.results import settings
from penstock.results.tables import Columns
from penstock.runs.campaign import Campaign
from penstock.runs.console import Console

_LEVEL: Final = "must be a loss in percent, above 0 and below 100"
Point = tuple[Combination, int]
Stop = Callable[[Campaign], Exception]  # what to raise where runs failed


@dataclass(frozen=True)
class Aim:
    """What is searched for: the flows at each level of loss in percent, up to `most`.

    Raises OptionError for a level that no search finds.
    """

    levels: Sequence[float]
    most: int = 1024
    by_one: bool = False

    def __post_init__(self) -> None:
        if not self.levels:
            raise OptionError("--levels", "", "name at least one, such as 0.1,0.5,1")
        for level in self.levels:
            if not 0 < level < 100:
                raise OptionError("--levels", f"{level:g}", _LEVEL)


def parsed(texts: Sequence[str]) -> list[float]:
    """Levels of loss in percent; an OptionError for a text that is no number."""
    found = []
    for text in texts:
        try:
            found.append(float(text))
        except ValueError:
            raise OptionError("--levels", text, _LEVEL) from None
    return found


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
    aim: Aim,
    stop: Stop,
) -> tuple[list[dict[str, Any]], list[Columns]]:
    """One record for each combination and level of loss in percent, and the runs' rows."""
    seen: list[Columns] = []
    searches = Searches[Combination](
        lambda points: _measure(plan, campaign, points, seen, stop), aim.most, aim.by_one
    )
    levels = list(dict.fromkeys(aim.levels))
    return [_record(plan, served) for served in searches.run(plan.combinations(), levels)], seen


def told(
    plan: Plan,
    campaign: Campaign,
    aim: Aim,
    console: Console,
) -> list[dict[str, Any]]:
    """The records of the search; the console is told of failed runs, which end it."""

    def stop(campaign: Campaign) -> UserError:
        console.print_failures(campaign.failures)
        return UserError("the search cannot go on without these runs", Exit.FAILURE)

    found, seen = search(plan, campaign, aim, stop)
    console.warn_of_seeds(seen)
    return found
