# SPDX-License-Identifier: GPL-2.0-only
"""`penstock reproduce all`: the papers one after the other, their plan, and one page on all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from penstock.cli.costs import duration
from penstock.reproduce.entries import Entry
from penstock.reproduce.papers import PAPERS, Paper

if TYPE_CHECKING:
    from penstock.cli.reproduce_runs import Part
    from penstock.plan.cells import Cell
    from penstock.report.sheet import Sheet

ALL: Final = "all"


@dataclass(frozen=True)
class Reproduced:
    """A paper that was run, and the page about it."""

    paper: Paper
    entries: Sequence[Entry]
    page: Path


def papers() -> list[Paper]:
    """Those that others published; Penstock's own law is no paper."""
    return [paper for paper in PAPERS.values() if paper.published]


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
    from penstock.runs.campaign import Campaign
    from penstock.runs.estimate import estimate

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


def _time_text(cost: Cost, workers: int) -> str:
    if not cost.runs:
        return "their backend is not installed"
    about = "at most" if cost.at_most else "about"
    live = f", {duration(cost.live_s)} of it live" if cost.live_s else ""
    return f"{about} {duration(cost.elapsed_s(workers))}{live}"


def plan(chosen: Sequence[Paper], costs: Iterable[Cost], workers: int) -> Iterator[str]:
    """What will be run and about how long it takes; runs that are kept are not run again."""
    found = []
    for paper, each in zip(chosen, costs, strict=True):
        found.append(each)
        kept = f", {each.stored:,} of them finished" if each.stored else ""
        yield f"{paper.name}: {each.runs:,} runs{kept}: {_time_text(each, workers)}"
    total = Cost(
        runs=sum(each.runs for each in found),
        stored=sum(each.stored for each in found),
        processor_s=sum(each.processor_s for each in found),
        live_s=sum(each.live_s for each in found),
        at_most=any(each.at_most for each in found),
    )
    text = _time_text(total, workers)
    yield f"all: {text} with --workers {workers}; the same command resumes"


def overview(found: Sequence[Reproduced], root: Path) -> Sheet:
    """Every figure and table, ours beside theirs."""
    from penstock.report import reproduce as pages
    from penstock.report.sheet import Link, Sheet

    grids = [
        replace(grid, title=f"{one.paper.name}: {grid.title}")
        for one in found
        for grid in pages.tables(one.entries)
    ]
    return Sheet(
        title="The papers, reproduced",
        notes=[
            "Every figure and table whose values the papers state, in order. Each paper's page has "
            "the figures, and names the document that explains differences."
        ],
        found=[
            f"{one.paper.name}: {text}" for one in found for text in pages.found_text(one.entries)
        ],
        links=[Link(one.paper.title, str(one.page.relative_to(root))) for one in found],
        tables=grids,
    )
