# SPDX-License-Identifier: GPL-2.0-only
"""`penstock reproduce all`: the papers one after the other, their plan, and one page on all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from penstock.reproduce.entries import Entry
from penstock.reproduce.papers import PAPERS, Paper

if TYPE_CHECKING:
    from penstock.report.sheet import Sheet

ALL: Final = "all"
_HOUR_MINUTES: Final = 60
_MOST_MINUTES: Final = 90  # above that in hours


@dataclass(frozen=True)
class Reproduced:
    """A paper that was run, and the page about it."""

    paper: Paper
    entries: Sequence[Entry]
    page: Path


def papers() -> list[Paper]:
    """Those that others published; Penstock's own law is no paper."""
    return [paper for paper in PAPERS.values() if paper.published]


def time_text(minutes: float) -> str:
    """A duration, no more exact than an estimate is."""
    if minutes > _MOST_MINUTES:
        return f"{minutes / _HOUR_MINUTES:.1f} h"
    return f"{max(round(minutes), 1)} min"


def plan(chosen: Sequence[Paper], root: Path, quick: bool, workers: int) -> Iterator[str]:
    """What will be run and about how long it takes; runs that are kept are not run again."""
    total = 0.0
    for paper in chosen:
        minutes = paper.core_minutes[1 if quick else 0] / workers
        total += minutes
        kept = sum(1 for _ in (root / paper.name).glob("**/cells/*.json"))
        beside = f", less that of {kept:,} runs that are there" if kept else ""
        yield f"{paper.name}: about {time_text(minutes)}{beside}"
    yield f"all: about {time_text(total)} with --workers {workers}; the same command resumes"


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
