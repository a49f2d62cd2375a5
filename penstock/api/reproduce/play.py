# SPDX-License-Identifier: GPL-2.0-only
"""The papers that somebody names, reproduced one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from penstock.api.reproduce import costs, engine, pages, papers
from penstock.api.reproduce.costs import Planned
from penstock.api.reproduce.pages import Outcome, Reproduced
from penstock.api.reproduce.papers import Paper
from penstock.api.reproduce.runs import Effort
from penstock.errors import UsageError, near

ALL: Final = "all"


@dataclass(frozen=True)
class Reproduction:
    """Papers, each with the extent of its runs; `every`: they are all that are published."""

    efforts: Sequence[tuple[Paper, Effort]]
    folder: Path
    every: bool

    def planned(self) -> Iterator[Planned]:
        """What is left to run of each, and of all."""
        return costs.planned((one.name, engine.cost(one, effort)) for one, effort in self.efforts)

    def run(self) -> Iterator[tuple[Outcome, Reproduced]]:
        """Runs what is missing of each, and writes its page."""
        for one, effort in self.efforts:
            yield engine.reproduce(one, effort)

    def overview(self, found: Sequence[Reproduced]) -> Path:
        """Writes the page that leads to those of all papers."""
        target = self.folder / "reproduce.html"
        pages.write(target, pages.overview(found, self.folder))
        return target


def find(name: str) -> Paper:
    """The paper of that name, or a usage error."""
    if name not in papers.PAPERS:
        raise UsageError(f"there is no paper {name!r}; {near(name, [*papers.PAPERS, ALL])}")
    return papers.PAPERS[name]


def reproduction(name: str, effort: Effort, apart: bool) -> Reproduction:
    """That of the paper of that name, or of all.

    `effort.folder` is that of the results, in which each paper has a folder of its own if they
    are all, or if `apart`.
    """
    every = name == ALL
    chosen = [one for one in papers.PAPERS.values() if one.published] if every else [find(name)]
    efforts = list(engine.efforts(chosen, effort, apart=every or apart))
    return Reproduction(efforts, effort.folder, every)
