# SPDX-License-Identifier: GPL-2.0-only
"""Combinations of what a paper leaves open, and how each fares with its statements."""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from penstock.api.reproduce import engine, play
from penstock.api.reproduce.papers import Open, Paper
from penstock.api.reproduce.runs import Effort
from penstock.api.reproduce.study import module
from penstock.errors import UsageError
from penstock.results.entries import AGREES, CANNOT_TELL, DIFFERS, Entry, tally
from penstock.scenario import library


@dataclass(frozen=True)
class Combination:
    """The settings that are moved, in words, and their values; neither: the scenario as it is."""

    moved: tuple[str, ...]
    sets: tuple[str, ...]

    @property
    def text(self) -> str:
        """In words."""
        return "; ".join(self.moved) or "none"


def combinations(settings: Sequence[Open], most: int) -> list[Combination]:
    """All with at most `most` settings moved, each key once; fewer come first."""
    found = []
    for count in range(min(most, len(settings)) + 1):
        for chosen in itertools.combinations(settings, count):
            for tries in itertools.product(*(one.tries for one in chosen)):
                values = tuple(itertools.chain(*tries))
                if len({each.partition("=")[0] for each in values}) < len(values):
                    continue
                moved = tuple(
                    f"{one.what}: {', '.join(sets)}"
                    for one, sets in zip(chosen, tries, strict=True)
                )
                found.append(Combination(moved, values))
    return found


def find(name: str) -> Paper:
    """The paper of that name, which leaves something open; or a usage error."""
    paper = play.find(name)
    if not paper.open:
        known = ", ".join(library.papers("[[open]]"))
        raise UsageError(f"{name} names no open settings ([[open]]); {known} do")
    return paper


@dataclass(frozen=True)
class Fared:
    """Statements by verdict. The score is the part of them that agrees, percent, where one that
    cannot be told counts half, less the penalty for each setting moved.
    """

    score: float
    agree: int
    differ: int
    cannot_tell: int

    @property
    def told(self) -> int:
        """How many statements there are."""
        return self.agree + self.differ + self.cannot_tell


def fared(entries: Iterable[Entry], moved: int, penalty: float) -> Fared:
    """How a combination fares."""
    count = tally(entries)
    agree, differ, open_ = count[AGREES], count[DIFFERS], count[CANNOT_TELL]
    part = (agree + open_ / 2) / max(agree + differ + open_, 1)
    return Fared(100 * part - penalty * moved, agree, differ, open_)


@dataclass(frozen=True)
class Tried:
    """A combination, and how it fared."""

    combination: Combination
    fared: Fared


def measured(paper: Paper, effort: Effort) -> Paper:
    """The paper with the methods that its statements speak of, no search, and no analysis without
    runs of scenarios: no setting changes what such a one says.
    """
    parts = [part.model_copy(update={"served": False}) for part in engine.stated(paper).parts]
    made = {name: module(paper.folder, name).study(effort) for name in paper.analyses}
    moved = [name for name, study in made.items() if any(study.work())]
    kept = {"parts": parts, "calibration": None, "analyses": moved, "not_run": ()}
    return paper.model_copy(update=kept)


def tried(paper: Paper, effort: Effort, most: int, penalty: float) -> Iterator[Tried]:
    """Runs each combination of at most `most` settings that the paper leaves open.

    `penalty` is in points of 100 for each setting that is moved. The effort's console is told
    which combination is next.
    """
    own, every = measured(paper, effort), combinations(paper.open, most)
    for number, one in enumerate(every, start=1):
        effort.console.say(f"{number} of {len(every)}: {one.text}")
        own_sets = replace(effort, sets=(*one.sets, *effort.sets))
        with_sets = replace(own_sets, folder=effort.folder / own_sets.values)
        entries = engine.results(own, with_sets).entries
        yield Tried(one, fared(entries, len(one.moved), penalty))


def ranked(found: Iterable[Tried]) -> list[Tried]:
    """The best first."""
    return sorted(found, key=lambda each: -each.fared.score)
