# SPDX-License-Identifier: GPL-2.0-only
"""The number of flows that a method serves at a level of loss (RFC 7928 section 8.2.1).

The answer for a level is a whole number n: the mean loss over the seeds is at most
the level with n flows, and above it with n + 1. Nothing is interpolated. Where loss
rises with the number of flows there is one such n; where it does not, bisection
finds one of them and by_one the first, and the result says so.
"""

import itertools
from collections.abc import Callable, Generator, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from penstock.results import stats

Search = Generator[int, float, int | None]  # yields n, receives the loss, returns the answer
Subject = TypeVar("Subject", bound=Hashable)  # that serves flows
Measure = Callable[[Sequence[tuple[Subject, int]]], Mapping[tuple[Subject, int], Sequence[float]]]


def bisection(level: float, most: int) -> Search:
    """Doubles n until the loss is above `level`, then halves the gap; None: not up to `most`."""
    low, high = 0, 1
    while (yield high) <= level:
        if high == most:
            return None
        low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        if (yield middle) <= level:
            low = middle
        else:
            high = middle
    return low


def by_one(level: float, most: int) -> Search:
    """The papers' search: adds one flow at a time until the loss is above `level`."""
    for flows in range(1, most + 1):
        if (yield flows) > level:
            return flows - 1
    return None


@dataclass
class Served(Generic[Subject]):
    """The answer for one subject and level."""

    subject: Subject
    level: float
    flows: int | None  # None: more than the search went up to
    loss: stats.Mean | None = None  # at `flows`
    loss_next: stats.Mean | None = None  # at `flows` + 1
    monotone: bool = True


@dataclass
class Searches(Generic[Subject]):
    """All searches at once; those with the same subject share measurements."""

    measure: Measure[Subject]
    most: int
    step_by_one: bool = False
    losses: dict[tuple[Subject, int], stats.Mean] = field(default_factory=dict)

    def _get(self, points: Iterable[tuple[Subject, int]]) -> None:
        wanted = [point for point in dict.fromkeys(points) if point not in self.losses]
        for point, values in self.measure(wanted).items() if wanted else ():
            mean = stats.mean(values)
            if mean is not None:
                self.losses[point] = mean

    def _advance(self, subject: Subject, search: Search, flows: int) -> int:
        """Feeds a search the known values; returns the next n that it needs."""
        while (subject, flows) in self.losses:
            flows = search.send(self.losses[subject, flows].mean)
        return flows

    def run(self, subjects: Sequence[Subject], levels: Sequence[float]) -> list[Served[Subject]]:
        """The answers, by subject and level in their order."""
        make = by_one if self.step_by_one else bisection
        open_: dict[tuple[Subject, float], tuple[Search, int]] = {}
        answers: dict[tuple[Subject, float], int | None] = {}
        for subject in subjects:
            for level in levels:
                search = make(level, self.most)
                open_[subject, level] = (search, next(search))
        while open_:
            self._get((key[0], flows) for key, (_, flows) in open_.items())
            for key, (search, flows) in list(open_.items()):
                try:
                    open_[key] = (search, self._advance(key[0], search, flows))
                except StopIteration as end:
                    answers[key] = end.value
                    del open_[key]
        return [
            self._served(subject, level, answers[subject, level])
            for subject in subjects
            for level in levels
        ]

    def _served(self, subject: Subject, level: float, flows: int | None) -> Served[Subject]:
        at = self.most if flows is None else flows
        known = sorted((n, loss.mean) for (name, n), loss in self.losses.items() if name == subject)
        return Served(
            subject,
            level,
            flows,
            self.losses.get((subject, at)),
            None if flows is None else self.losses.get((subject, flows + 1)),
            all(a[1] <= b[1] for a, b in itertools.pairwise(known)),
        )
