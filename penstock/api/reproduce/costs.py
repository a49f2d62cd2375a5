# SPDX-License-Identifier: GPL-2.0-only
"""What is left to run of a paper, and how long it takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from penstock.api.reproduce.runs import Part
from penstock.plan.cells import Cell
from penstock.runs.campaign import Campaign
from penstock.runs.estimate import estimate


@dataclass(frozen=True)
class Cost:
    """What is left to run: the time of workers, and of live runs, which no worker shortens."""

    runs: int
    stored: int
    processor_s: float
    live_s: float
    at_most: bool

    def elapsed_s(self, workers: int) -> float:
        """Until all is done."""
        return self.processor_s / workers + self.live_s


def cost(work: Iterable[Part], live: Iterable[tuple[bool, float]], workers: int) -> Cost:
    """By the cost of a segment here, measured for each backend on the largest cell."""
    missing: dict[str, list[Cell]] = {}
    runs = 0
    for part, cells in work:
        runs += len(cells)
        left = part.missing(cells) if part else cells
        missing.setdefault(part.backend if part else "sim", []).extend(left)
    stored = runs - sum(map(len, missing.values()))
    costs = [estimate(Campaign(name, workers), cells) for name, cells in missing.items()]
    every = list(live)
    return Cost(
        runs=runs + len(every),
        stored=stored + sum(there for there, _ in every),
        processor_s=sum(each.processor_s for each in costs),
        live_s=sum(seconds for there, seconds in every if not there),
        at_most=any(each.at_most for each in costs),
    )


def together(every: Iterable[Cost]) -> Cost:
    """One after the other."""
    found = list(every)
    return Cost(
        runs=sum(each.runs for each in found),
        stored=sum(each.stored for each in found),
        processor_s=sum(each.processor_s for each in found),
        live_s=sum(each.live_s for each in found),
        at_most=any(each.at_most for each in found),
    )


@dataclass(frozen=True)
class Planned:
    """What is left to run of a paper; of all where none is named."""

    paper: str | None
    cost: Cost


def planned(papers: Iterable[tuple[str, Cost]]) -> Iterator[Planned]:
    """Each paper, then all together."""
    found = []
    for name, each in papers:
        found.append(each)
        yield Planned(name, each)
    yield Planned(None, together(found))
