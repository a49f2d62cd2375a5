# SPDX-License-Identifier: GPL-2.0-only
"""The t test for unpaired observations of two alternatives.

nis-2004, Appendices B and D, after Jain, "The Art of Computer Systems Performance Analysis", 1991.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from penstock.results.stats import CONFIDENCE

Better = Literal["high", "low"]
Sign = Literal["+", "-", "="]


@dataclass(frozen=True)
class Difference:
    """The mean of one alternative less that of another, its interval, and the test's p."""

    mean: float
    low: float
    high: float
    p: float

    def sign(self, better: Better = "high") -> Sign:
        """'-' where the first alternative is better, '+' where the second is, '=' where neither.

        As in the tables of nis-2004, chapter 16: the interval decides.
        """
        if self.low <= 0.0 <= self.high:
            return "="
        return "-" if (self.mean > 0) == (better == "high") else "+"


def unpaired(
    first: Sequence[float], second: Sequence[float], confidence: float = CONFIDENCE
) -> Difference:
    """The test (Welch's)."""
    from scipy.special import stdtr, stdtrit

    if min(len(first), len(second)) < 2:
        raise ValueError("each alternative needs at least two observations")
    mean = math.fsum(first) / len(first) - math.fsum(second) / len(second)
    parts = [_variance(values) / len(values) for values in (first, second)]
    error = math.sqrt(sum(parts))
    if error == 0.0:
        return Difference(mean, mean, mean, 1.0 if mean == 0.0 else 0.0)
    squares = zip(parts, (first, second), strict=True)
    freedom = sum(parts) ** 2 / sum(part**2 / (len(values) - 1) for part, values in squares)
    half = float(stdtrit(freedom, 0.5 + confidence / 2)) * error
    p = 2.0 * float(stdtr(freedom, -abs(mean) / error))
    return Difference(mean, mean - half, mean + half, p)


def sign(
    first: Sequence[float], second: Sequence[float], better: Better = "high"
) -> Sign | Literal["?"]:
    """The test's sign; ? where a mean has no interval."""
    if min(len(first), len(second)) < 2:
        return "?"
    return unpaired(first, second).sign(better)


def _variance(values: Sequence[float]) -> float:
    mean = math.fsum(values) / len(values)
    return math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
