# SPDX-License-Identifier: GPL-2.0-only
"""Statistics of simulation runs: initial data deletion and tests for differences.

nis-2004, Appendices A and C (initial data deletion), B and D (t test for unpaired
observations); both after Jain, "The Art of Computer Systems Performance Analysis", 1991.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from penstock.results.stats import CONFIDENCE

Floats = NDArray[np.float64]
Sign = Literal["+", "-", "="]

_STABLE: Final = 0.01
_JUDGED: Final = 0.5


def relative_changes(replications: Sequence[Sequence[float]]) -> Floats:
    """Delta_l of eq. A.4 for l = 1 .. n - 1: how far the overall mean moves without the first l.

    Observations beyond the shortest replication are left out (eq. A.1).
    """
    count = min((len(one) for one in replications), default=0)
    if count < 2:
        raise ValueError("each replication needs at least two observations")
    means = np.array([list(one[:count]) for one in replications], dtype=np.float64).mean(axis=0)
    overall = float(means.mean())
    if overall == 0.0:
        raise ValueError("relative changes of a mean of 0 do not exist")
    rest = np.cumsum(means[::-1])[::-1][1:] / np.arange(count - 1, 0, -1)
    return np.asarray((rest - overall) / overall, dtype=np.float64)


def transient(replications: Sequence[Sequence[float]], stable: float = _STABLE) -> int | None:
    """How many first observations to delete: where the changes stay within `stable` of each other.

    They are judged over the first half of the observations, as the means of the last few are
    noise; None if they do not settle in the first half of that.
    """
    changes = np.concatenate([[0.0], relative_changes(replications)])
    judged = changes[: int(len(changes) * _JUDGED) + 1]
    highest = np.maximum.accumulate(judged[::-1])[::-1]
    lowest = np.minimum.accumulate(judged[::-1])[::-1]
    settled = np.nonzero((highest - lowest <= stable)[:-1])[0]
    return int(settled[0]) if len(settled) and settled[0] <= len(judged) // 2 else None


@dataclass(frozen=True)
class Difference:
    """The mean of one alternative less that of another, its interval, and the test's p."""

    mean: float
    low: float
    high: float
    p: float

    def sign(self, better: Literal["high", "low"] = "high") -> Sign:
        """'-' where the first alternative is better, '+' where the second is, '=' where neither.

        As in the tables of nis-2004, chapter 16: the interval decides.
        """
        if self.low <= 0.0 <= self.high:
            return "="
        return "-" if (self.mean > 0) == (better == "high") else "+"


def unpaired(
    first: Sequence[float], second: Sequence[float], confidence: float = CONFIDENCE
) -> Difference:
    """The t test for unpaired observations of two alternatives (Welch's)."""
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


def _variance(values: Sequence[float]) -> float:
    mean = math.fsum(values) / len(values)
    return math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
