# SPDX-License-Identifier: GPL-2.0-only
"""The campaigns of a reproduction: what they run, and what is left to run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.backends import Row
    from penstock.plan.cells import Cell, Plan
    from penstock.runs.wishes import Wishes
    from penstock.scenario.read import Loaded


@dataclass(frozen=True)
class Effort:
    """The extent of the runs, and the place of results."""

    folder: Path
    workers: int
    seeds: str | None  # None: as the scenarios say
    quick: bool
    sets: Sequence[str] = ()  # what is tried instead of the scenarios' values
    cluster: str = ""  # address of a scheduler, in place of workers here
    own: bool = False  # only what the paper states, nothing beside


@dataclass(frozen=True)
class Runs:
    """A scenario, how it is swept, and the folder of the results."""

    scenario: str
    wishes: Wishes
    folder: Path
    backend: str = "sim"

    @property
    def backend_is_here(self) -> bool:
        """False where it is not installed."""
        from penstock import backends
        from penstock.errors import Exit, UserError

        try:
            backends.get(self.backend)
        except UserError as error:
            if error.code != Exit.BACKEND_MISSING:
                raise
            return False
        return True

    def plan(self) -> tuple[Loaded, Plan]:
        """The scenario and its sweep."""
        from penstock.cli import options

        return options.plan(self.scenario, self.wishes, self.backend)

    def quiet_plan(self) -> Plan:
        """Its sweep, without notes on the scenario."""
        from penstock.runs import wishes

        return wishes.plan(self.scenario, self.wishes, self.backend)[1]

    def play(self, workers: int, cluster: str = "") -> Iterator[Row]:
        """All rows; runs that the folder has are not run again."""
        from penstock.cli import run
        from penstock.runs.campaign import Campaign

        loaded, plan = self.plan()
        with Campaign(self.backend, workers, cluster=cluster) as campaign:
            store = campaign.keep_in(self.folder, loaded)
            run.finish(campaign, run.execute(loaded, plan, campaign))
            yield from store.rows()

    def missing(self, cells: Sequence[Cell]) -> list[Cell]:
        """Those that the folder has no result of."""
        from penstock.runs.campaign import Campaign
        from penstock.runs.store import Store

        if not (self.folder / "cells").is_dir():
            return list(cells)
        campaign = Campaign(self.backend, store=Store(self.folder))
        return [cell for cell in cells if not campaign.has(cell)]


Part = tuple[Runs | None, Sequence["Cell"]]  # cells, and whose they are; None: they are not kept


def searched(plan: Plan, levels: Sequence[float]) -> list[Cell]:
    """The cells of a search for flows served, if that is the largest number of the plan's sweep."""
    from penstock.questions.capacity import Searches

    most = max(plan.flows)
    points: list[tuple[int, int]] = []

    def measure(asked: Sequence[tuple[int, int]]) -> dict[tuple[int, int], list[float]]:
        points.extend(asked)
        return {point: [0.0 if point[1] <= most else 100.0] for point in asked}

    every = plan.combinations()
    Searches[int](measure, 2 * most).run(range(len(every)), levels)
    return [plan.cell_of(every[at], flows, seed) for at, flows in points for seed in plan.seeds]
