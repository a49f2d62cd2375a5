# SPDX-License-Identifier: GPL-2.0-only
"""Verdicts with size and power: our interval against the paper's figure and what counts as equal.

All of the interval within the margin agrees, all of it outside differs by a stated amount, and
anything else cannot be told with these seeds; then the number that would tell is estimated.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from penstock.results import comparison, stats
from penstock.results.entries import AGREES, CANNOT_TELL, DIFFERS, NOT_RUN, Entry

MOST_SEEDS: Final = 10_000  # a larger estimate says only that seeds will not tell


@dataclass(frozen=True)
class Margin:
    """What counts as equal: a factor either way, and where the paper has 0, an amount."""

    factor: float
    near_zero: float = 0.0
    precision: float = 0.0  # half of the paper's last digit, or half of its own interval

    @property
    def text(self) -> str:
        """In words."""
        if self.factor >= 1.5:
            return f"factor {self.factor:g}"
        return f"{100 * (self.factor - 1):.0f} %"

    def around(self, value: float) -> tuple[float, float]:
        """The values that count as equal."""
        if value == 0.0:
            return -self.near_zero, self.near_zero
        bounds = sorted((value / self.factor, value * self.factor))
        return bounds[0] - self.precision, bounds[1] + self.precision


# Two simulators that share no line of code: closer levels would be chance.
LEVEL: Final = 1.25  # throughputs, delays, initial values
LOSSES: Final = 1.6  # counts of losses, which double with a tenth more load
QUEUE: Final = 1.2  # mean queues
GAIN_POINTS: Final = 10.0  # of a gain in percent, or half of it


@dataclass(frozen=True)
class Judged:
    """A verdict; `by` is how far ours is off, `needed` how many seeds would tell."""

    verdict: str
    ratio: float | None = None
    by: str = ""
    seeds: int = 0
    needed: int | None = None
    within: str = ""


def factor_text(ratio: float) -> str:
    """'5.9 times', '+34 %', '0.3 times'."""
    return f"{100 * (ratio - 1):+.0f} %" if 0.5 < ratio < 1.95 else f"{ratio:.3g} times"


def seeds_that_tell(mean: stats.Mean, distance: float) -> int | None:
    """How many seeds have an interval of half the width `distance`."""
    if not mean.half or distance <= 0:
        return None
    count = math.ceil(mean.count * (mean.half / distance) ** 2)
    return max(count, mean.count + 1) if count <= MOST_SEEDS else None


def level(ours: stats.Mean | None, paper: float, margin: Margin) -> Judged:
    """A value of ours, and the paper's."""
    if ours is None:
        return Judged(NOT_RUN)
    ratio = ours.mean / paper if paper else None
    low, high = margin.around(paper)
    if ours.half is None:
        return Judged(CANNOT_TELL, ratio, seeds=ours.count, within=margin.text)
    if low <= ours.low and ours.high <= high:
        return Judged(AGREES, ratio, seeds=ours.count, within=margin.text)
    if ours.high < low or ours.low > high:
        by = factor_text(ratio) if ratio is not None else f"{ours.mean:,.0f} instead of 0"
        return Judged(DIFFERS, ratio, by, ours.count, within=margin.text)
    distance = min(abs(ours.mean - low), abs(ours.mean - high))
    needed = seeds_that_tell(ours, distance)
    return Judged(CANNOT_TELL, ratio, seeds=ours.count, needed=needed, within=margin.text)


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


def effect(ours: stats.Mean | None, paper_percent: float, sign: str) -> Judged:
    """A gain of ours and the paper's, whose t test said `sign` of it: + more, - less, = neither.

    A sign is confirmed by an interval beyond zero on its side, '=' by one within the margin.
    """
    if ours is None:
        return Judged(NOT_RUN)
    margin = max(GAIN_POINTS, abs(paper_percent) / 2)
    within = f"{margin:.0f} points"
    if ours.half is None:
        return Judged(CANNOT_TELL, seeds=ours.count, within=within)
    low, high = paper_percent - margin, paper_percent + margin
    off = f"{ours.mean - paper_percent:+.0f} points"
    against = (sign == "+" and ours.high < 0) or (sign == "-" and ours.low > 0)
    if against or ours.high < low or ours.low > high:
        return Judged(DIFFERS, None, off, ours.count, within=within)
    near = low <= ours.mean <= high
    confirmed = {"+": ours.low > 0, "-": ours.high < 0}.get(sign, True)
    if near and confirmed and (sign != "=" or (low <= ours.low and ours.high <= high)):
        return Judged(AGREES, None, "", ours.count, within=within)
    distance = margin - abs(ours.mean - paper_percent)
    if sign != "=" and near:
        distance = abs(ours.mean)
    needed = seeds_that_tell(ours, abs(distance))
    return Judged(CANNOT_TELL, None, "", ours.count, needed, within)


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


def between(ours: stats.Mean | None, least: float, most: float) -> Judged:
    """A gain of which the paper gives the class, percent; GAIN_POINTS beyond it still count."""
    within = f"{GAIN_POINTS:.0f} points"
    return inside(ours, least - GAIN_POINTS, most + GAIN_POINTS, within=within)


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
    return Judged(first.verdict, first.ratio, first.by, first.seeds, most, first.within)


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
    )
