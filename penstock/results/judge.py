# SPDX-License-Identifier: GPL-2.0-only
"""One rule of verdicts for all papers: our 95 % interval against the paper's figure with its own.

A figure agrees if the two meet: if ours is off by no more than half of the paper's last digit and
what the two intervals together allow. Else it differs, by a stated amount. An interval of ours
that is wider than the paper's own and than RESOLUTION decides nothing; then the number of seeds
that would tell is estimated. Gains are two-sided: a larger one than the paper's differs too.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from penstock.results import comparison, stats
from penstock.results.entries import AGREES, CANNOT_TELL, DIFFERS, NOT_RUN, RESOLUTION, Entry

MOST_SEEDS: Final = 10_000  # a larger estimate says only that seeds will not tell


@dataclass(frozen=True)
class Stated:
    """A figure of a paper: half of its last digit, and half of its own 95 % interval."""

    value: float
    digit: float = 0.0
    half: float = 0.0

    @property
    def within(self) -> str:
        """What counts as equal, beside our interval."""
        return f"± {self.digit + self.half:.2g}" if self.digit or self.half else ""

    def meets(self, ours: stats.Mean) -> bool:
        """Whether chance and rounding explain the distance."""
        half = math.hypot(ours.half or 0.0, self.half)
        return abs(ours.mean - self.value) <= self.digit + half + _ROUNDING * abs(self.value)


_ROUNDING: Final = 1e-9  # of binary fractions: a distance of exactly half a digit counts as equal


def about(value: float) -> Stated:
    """A figure that the paper calls approximate: to half of the step that it is rounded to.

    A multiple of ten stands for 5 on either side, one of five for 2.5, and any other for half
    of its last digit before the point.
    """
    step = next((step for step in (10.0, 5.0) if value % step == 0), 1.0)
    return Stated(value, step / 2)


def implied(ours: stats.Mean | None, runs: int, length: float = 1.0) -> float:
    """Half of the interval of as many runs of the paper, if they vary as ours.

    `length`: how many times as long as ours they are.
    """
    if ours is None or ours.half is None or runs < 2:
        return 0.0
    own = stats.half_of(ours, runs)
    return own / math.sqrt(length)


@dataclass(frozen=True)
class Judged:
    """A verdict; `by` is how far ours is off, `needed` how many seeds would tell."""

    verdict: str
    ratio: float | None = None
    by: str = ""
    seeds: int = 0
    needed: int | None = None
    within: str = ""
    zero: bool = False  # the paper's figure is 0


def factor_text(ratio: float) -> str:
    """'5.9 times', '+34 %', '0.3 times'."""
    return f"{100 * (ratio - 1):+.0f} %" if 0.5 < ratio < 1.95 else f"{ratio:.3g} times"


def seeds_that_tell(mean: stats.Mean, distance: float) -> int | None:
    """How many seeds have an interval of half the width `distance`."""
    if not mean.half or distance <= 0:
        return None
    count = math.ceil(mean.count * (mean.half / distance) ** 2)
    return max(count, mean.count + 1) if count <= MOST_SEEDS else None


def level(ours: stats.Mean | None, paper: Stated) -> Judged:
    """A value of ours, and the paper's."""
    zero = paper.value == 0.0
    if ours is None:
        return Judged(NOT_RUN, zero=zero)
    ratio = None if zero else ours.mean / paper.value
    if ours.half is None:
        return Judged(CANNOT_TELL, ratio, "", ours.count, None, paper.within, zero)
    if not paper.meets(ours):
        by = f"{ours.mean - paper.value:+.3g}"
        by = factor_text(ratio) if ratio is not None and ratio > 0 else by
        return Judged(DIFFERS, ratio, by, ours.count, None, paper.within, zero)
    narrow = max(RESOLUTION * abs(paper.value), paper.half, paper.digit)
    if ours.half <= narrow:
        return Judged(AGREES, ratio, "", ours.count, None, paper.within, zero)
    needed = seeds_that_tell(ours, narrow)
    return Judged(CANNOT_TELL, ratio, "", ours.count, needed, paper.within, zero)


def gain(first: Sequence[float], second: Sequence[float]) -> stats.Mean | None:
    """What the second has more than the first, percent of the first.

    Both are in the order of their seeds. Runs of one seed share their random draws, so what
    these do to both cancels out.
    """
    if not first or not second or not (whole := sum(first) / len(first)):
        return None
    count = min(len(first), len(second))
    if count < 2:
        return stats.Mean(100 * (sum(second) / len(second) / whole - 1), None, count)
    if len(first) == len(second):
        differences = stats.mean([two - one for one, two in zip(first, second, strict=True)])
        assert differences is not None
        assert differences.half is not None
        half = 100 * differences.half / abs(whole)
        return stats.Mean(100 * differences.mean / whole, half, count)
    found = comparison.unpaired(second, first)
    return stats.Mean(100 * found.mean / whole, 50 * (found.high - found.low) / abs(whole), count)


def own_of_gain(
    first: Sequence[float], second: Sequence[float], runs: int, length: float = 1.0
) -> float:
    """Half of the interval of a gain, percent, that as many runs of each alternative have."""
    means = stats.mean(first), stats.mean(second)
    if means[0] is None or not means[0].mean:
        return 0.0
    halves = (implied(mean, runs, length) for mean in means)
    return 100 * math.hypot(*halves) / abs(means[0].mean)


def effect(ours: stats.Mean | None, paper: Stated, sign: str = "") -> Judged:
    """A gain of ours and the paper's, percent, whose t test said `sign` of it: + more, - less.

    Such a sign is confirmed by an interval beyond zero on its side.
    """
    if ours is None:
        return Judged(NOT_RUN)
    if ours.half is None:
        return Judged(CANNOT_TELL, seeds=ours.count, within=_points(paper))
    against = (sign == "+" and ours.high < 0) or (sign == "-" and ours.low > 0)
    if against or not paper.meets(ours):
        off = f"{ours.mean - paper.value:+.{0 if abs(ours.mean - paper.value) >= 1 else 1}f} points"
        return Judged(DIFFERS, None, off, ours.count, within=_points(paper))
    confirmed = {"+": ours.low > 0, "-": ours.high < 0}.get(sign, True)
    narrow = max(100 * RESOLUTION * max(1.0, 1 + paper.value / 100), paper.half)
    if confirmed and ours.half <= narrow:
        return Judged(AGREES, None, "", ours.count, within=_points(paper))
    distance = narrow if confirmed else min(narrow, abs(ours.mean))
    needed = seeds_that_tell(ours, distance)
    return Judged(CANNOT_TELL, None, "", ours.count, needed, _points(paper))


def _points(paper: Stated) -> str:
    return f"{paper.within} points" if paper.within else ""


def inside(
    ours: stats.Mean | None, least: float, most: float, unit: str = "points", within: str = ""
) -> Judged:
    """Whether ours is from `least` to `most`; one of them may be infinite."""
    if ours is None:
        return Judged(NOT_RUN)
    if ours.half is None:
        return Judged(CANNOT_TELL, seeds=ours.count, within=within)
    if ours.high < least or ours.low > most:
        off = ours.mean - (least if ours.mean < least else most)
        return Judged(
            DIFFERS, None, f"{off:+.{0 if abs(off) >= 1 else 2}f} {unit}", ours.count, within=within
        )
    if least <= ours.low and ours.high <= most:
        return Judged(AGREES, None, "", ours.count, within=within)
    distance = min(abs(ours.mean - least), abs(most - ours.mean))
    return Judged(CANNOT_TELL, None, "", ours.count, seeds_that_tell(ours, distance), within)


def alike(gain: stats.Mean | None) -> Judged:
    """Whether two are alike, which the paper says without a number: to RESOLUTION."""
    most = 100 * RESOLUTION
    return inside(gain, -most, most, within=f"{most:.0f} points")


def no_worse(ours: stats.Mean | None) -> Judged:
    """Whether a gain, percent, is no loss: not below zero, nor by RESOLUTION within its interval.

    No interval of runs that are equal lies above zero, so a bound would never hold.
    """
    found = inside(ours, 0.0, math.inf)
    if ours is None or ours.half is None or found.verdict == DIFFERS:
        return found
    if ours.low >= -100 * RESOLUTION:
        return Judged(AGREES, seeds=ours.count)
    needed = seeds_that_tell(ours, ours.mean + 100 * RESOLUTION)
    return Judged(CANNOT_TELL, seeds=ours.count, needed=needed)


_WORST: Final = (NOT_RUN, DIFFERS, CANNOT_TELL, AGREES)


def _distance(one: Judged) -> float:
    if one.ratio is None:
        return 0.0
    return abs(math.log(one.ratio)) if one.ratio > 0 else math.inf


def together(every: Iterable[Judged]) -> Judged:
    """A statement of several parts holds if all do; the worst part speaks for it."""
    found = sorted(every, key=lambda one: (_WORST.index(one.verdict), -_distance(one)))
    first = found[0]
    needed = [one.needed for one in found if one.verdict == CANNOT_TELL]
    most = None if None in needed else max((n for n in needed if n is not None), default=None)
    zero = all(one.zero for one in found)
    return Judged(first.verdict, first.ratio, first.by, first.seeds, most, first.within, zero)


def entry(judged: Judged, *texts: str) -> Entry:
    """A statement with its verdict; `texts` are part, figure, what, window, paper, ours, source."""
    *first, source = texts
    part, figure, what, receivers, paper, ours = first
    return Entry(
        part,
        figure,
        what,
        receivers,
        paper,
        ours,
        judged.verdict,
        source,
        judged.ratio,
        judged.within,
        judged.by,
        judged.seeds,
        judged.needed,
        judged.zero,
    )
