# SPDX-License-Identifier: GPL-2.0-only
"""Means with 95 % intervals."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

CONFIDENCE: Final = 0.95


@dataclass(frozen=True)
class Mean:
    """A mean, half the width of its interval (None for one value), and the number."""

    mean: float
    half: float | None
    count: int

    @property
    def low(self) -> float:
        """Lower end of the interval."""
        return self.mean - (self.half or 0.0)

    @property
    def high(self) -> float:
        """Upper end of the interval."""
        return self.mean + (self.half or 0.0)

    @property
    def holds_zero(self) -> bool:
        """True if 0 is within the interval."""
        return self.low <= 0 <= self.high


def _quantile(count: int, confidence: float = CONFIDENCE) -> float:
    """Student's t of the interval over that many runs."""
    from scipy.special import stdtrit  # takes 0.3 s to load, longer than many a command

    return float(stdtrit(count - 1, 0.5 + confidence / 2))


def half_of(one: Mean, count: int) -> float:
    """Half of the interval of another number of runs that vary as much; 0 for a single value."""
    if not one.half:
        return 0.0
    spread = one.half * math.sqrt(one.count) / _quantile(one.count)
    return _quantile(count) * spread / math.sqrt(count)


def mean(values: Sequence[float], confidence: float = CONFIDENCE) -> Mean | None:
    """Mean and Student-t interval over independent runs; None without a value."""
    count = len(values)
    if not count:
        return None
    centre = math.fsum(values) / count
    if count == 1:
        return Mean(centre, None, 1)
    variance = math.fsum((value - centre) ** 2 for value in values) / (count - 1)
    return Mean(centre, _quantile(count, confidence) * math.sqrt(variance / count), count)


def paired(ours: Mapping[int, float], theirs: Mapping[int, float]) -> Mean | None:
    """Mean and interval of ours less theirs, over the seeds that both have.

    Runs of one seed share their random draws, so what these do to both cancels out.
    """
    return mean([value - theirs[seed] for seed, value in ours.items() if seed in theirs])


def apart(one: Mean, other: Mean) -> bool:
    """True if the two 95 % intervals have no value in common."""
    return one.low > other.high or other.low > one.high
