# SPDX-License-Identifier: GPL-2.0-only
"""Combinations of what a paper leaves open, and how each fares with its statements."""

import hashlib
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from penstock.api.reproduce.papers import Open
from penstock.results.entries import AGREES, CANNOT_TELL, DIFFERS, Entry, tally
from penstock.scenario.statements import Paper, PaperChange, PaperOrder


@dataclass(frozen=True)
class Combination:
    """The settings that are moved, in words, and their values; neither: the scenario as it is."""

    moved: tuple[str, ...]
    sets: tuple[str, ...]

    @property
    def text(self) -> str:
        """In words."""
        return "; ".join(self.moved) or "none"

    def folder(self, more: Sequence[str]) -> str:
        """Where its results are."""
        text = "\n".join((*self.sets, *more))
        return hashlib.sha256(text.encode()).hexdigest()[:12]


def combinations(settings: Sequence[Open], most: int) -> list[Combination]:
    """All with at most `most` settings moved; fewer come first."""
    found = []
    for count in range(min(most, len(settings)) + 1):
        for chosen in itertools.combinations(settings, count):
            for tries in itertools.product(*(one.tries for one in chosen)):
                moved = tuple(
                    f"{one.what}: {', '.join(sets)}"
                    for one, sets in zip(chosen, tries, strict=True)
                )
                found.append(Combination(moved, tuple(itertools.chain(*tries))))
    return found


def methods(paper: Paper) -> tuple[str, ...]:
    """The methods that its statements speak of."""
    named = [value.method for value in paper.value]
    rivals: list[PaperOrder | PaperChange] = [*paper.order, *paper.change]
    named += [name for one in rivals for name in (one.method, *one.others)]
    return tuple(dict.fromkeys(named))


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
