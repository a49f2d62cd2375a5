# SPDX-License-Identifier: GPL-2.0-only
"""The campaigns of a reproduction: what they run, and what is left to run."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from penstock.api.questions.capacity import Searches
from penstock.errors import Exit, UserError
from penstock.plan.cells import Cell, Plan
from penstock.results.row import Row
from penstock.results.store import Store
from penstock.runs import backends, console, wishes
from penstock.runs.campaign import Campaign
from penstock.runs.console import Console, Silent
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
    console: Console = field(default=Silent(), repr=False)

    @property
    def values(self) -> str:
        """A name of `sets` for a folder."""
        return hashlib.sha256("\n".join(self.sets).encode()).hexdigest()[:12]

    def plan(self, scenario: str, asked: Wishes, backend: str = "sim") -> tuple[Loaded, Plan]:
        """A scenario and its sweep; the console is told of notes."""
        return wishes.plan(scenario, asked, backend, self.console.say)

    def rows(self, runs: Runs) -> Iterator[Row]:
        """All rows; runs that the folder has are not run again."""
        loaded, plan = self.plan(runs.scenario, runs.wishes, runs.backend)
        with Campaign(runs.backend, self.workers, cluster=self.cluster) as campaign:
            store = campaign.keep_in(runs.folder, loaded)
            found = console.execute(loaded.name, plan, campaign, self.console)
            console.finish(campaign, found, self.console)
            yield from store.rows()


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
        try:
            backends.get(self.backend)
        except UserError as error:
            if error.code != Exit.BACKEND_MISSING:
                raise
            return False
        return True

    def plan(self) -> Plan:
        """Its sweep, without notes on the scenario."""
        return wishes.plan(self.scenario, self.wishes, self.backend)[1]

    def missing(self, cells: Sequence[Cell]) -> list[Cell]:
        """Those that the folder has no result of."""
        if not (self.folder / "cells").is_dir():
            return list(cells)
        campaign = Campaign(self.backend, store=Store(self.folder))
        return [cell for cell in cells if not campaign.has(cell)]


Part = tuple[Runs | None, Sequence[Cell]]  # cells, and whose they are; None: they are not kept


def searched(plan: Plan, levels: Sequence[float]) -> list[Cell]:
    """The cells of a search for flows served, if that is the largest number of the plan's sweep."""
    most = max(plan.flows)
    points: list[tuple[int, int]] = []

    def measure(asked: Sequence[tuple[int, int]]) -> dict[tuple[int, int], list[float]]:
        points.extend(asked)
        return {point: [0.0 if point[1] <= most else 100.0] for point in asked}

    every = plan.combinations()
    Searches[int](measure, 2 * most).run(range(len(every)), levels)
    return [plan.cell_of(every[at], flows, seed) for at, flows in points for seed in plan.seeds]
