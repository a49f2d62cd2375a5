# SPDX-License-Identifier: GPL-2.0-only
"""How long a run takes to forget how it began, from observations of several runs.

Initial data deletion is the method of nis-2004, appendix A (R. Jain, "The Art of Computer Systems
Performance Analysis", 1991, section 25.3.3). MSER-5 is from K. P. White, M. J. Cobb and S. C.
Spratt, "A comparison of five steady-state truncation heuristics for simulation", Winter
Simulation Conference 2000; applied to the mean over replications as by K. Hoad, S. Robinson and
R. Davies, "Automating warm-up length estimation", Winter Simulation Conference 2008.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from penstock.results import stats

Floats = NDArray[np.float64]

BATCH: Final = 5  # observations, of MSER-5
_LAST: Final = 5  # batches
LEAST: Final = 2 * _LAST * BATCH  # observations, of a series that tells anything
TOLERANCE: Final = 0.02  # of the overall mean, within which a mean counts as stable
_LATEST: Final = 1 / 3  # of the observations: a transient that ends later has not been seen to end


@dataclass(frozen=True)
class Cut:
    """The first `length` observations belong to the transient, if it was seen to end at all."""

    length: int
    ended: bool


def mean_of_runs(runs: Floats) -> Floats:
    """Equation A.1: the mean of each observation over the runs, which are rows."""
    return np.asarray(runs.mean(axis=0), dtype=np.float64)


def relative_change(means: Floats) -> Floats:
    """Equations A.2 to A.4: for l = 0 .. n - 1 observations deleted, the relative change of the
    overall mean; zeros where that mean is zero."""
    overall = float(means.mean())
    if overall == 0:
        return np.zeros(len(means))
    left = np.arange(len(means), 0, -1)
    return np.asarray(np.cumsum(means[::-1])[::-1] / left / overall - 1, dtype=np.float64)


def _band(runs: Floats, overall: float) -> float:
    """Within which a relative change counts as stable: the tolerance, or the 95 % interval over
    the runs of the mean of their second halves, if that is wider."""
    halves = runs[:, runs.shape[1] // 2 :].mean(axis=1)
    mean = stats.mean(halves.tolist())
    half = mean.half if mean else None
    return max(TOLERANCE, (half or 0.0) / abs(overall))


def initial_deletion(runs: Floats) -> Cut:
    """The point from which on, up to the middle, the relative change stays stable.

    The appendix reads it off a plot. Here it is stable while it is within a band about its value
    at the middle of the observations. Behind the middle too few are left for a mean.
    """
    means = mean_of_runs(runs)
    middle = len(means) // 2
    overall = float(means.mean())
    if overall == 0 or middle == 0:
        return Cut(0, True)
    change = relative_change(means)[: middle + 1]
    outside = np.flatnonzero(np.abs(change - change[-1]) > _band(runs, overall))
    length = int(outside[-1]) + 1 if len(outside) else 0
    return Cut(length, length <= _LATEST * len(means))


def mser_statistics(batches: Floats) -> Floats:
    """For each number of batches deleted, the sum of the squared deviations of the rest from
    their mean, over the square of the number of the rest.
    """
    count = np.arange(len(batches), 0, -1)
    total = np.cumsum(batches[::-1])[::-1]
    squares = np.cumsum(batches[::-1] ** 2)[::-1]
    return np.asarray((squares - total**2 / count) / count**2, dtype=np.float64)


def mser5(series: Floats) -> Cut:
    """The cut with the least statistic, but not among the last batches, of which few may be equal
    by chance. A cut in the second half means that the series is too short.
    """
    number = len(series) // BATCH
    if number < 2 * _LAST:
        return Cut(0, False)
    batches = series[: number * BATCH].reshape(number, BATCH).mean(axis=1)
    scale = float(np.abs(batches).max())
    if scale == 0:
        return Cut(0, True)
    # Relative to their size and their mean, so that rounding does not decide about equal batches.
    even = batches / scale
    statistics = np.round(mser_statistics(even - even.mean())[:-_LAST], 15)
    best = int(np.argmin(statistics))
    return Cut(best * BATCH, best <= number // 2)


def joined(observations: Floats, add: bool) -> Floats:
    """Two observations each as one, along the last axis: their sum, or their mean."""
    pairs = observations[..., 0::2] + observations[..., 1::2]
    return pairs if add else pairs / 2


def seconds(cut: Cut, interval_s: float) -> float | None:
    """The length in time; None if the end was not seen."""
    return round(cut.length * interval_s, 6) if cut.ended else None


def longest(times_s: list[float | None]) -> float | None:
    """The longest, or None if the end of one was not seen."""
    known = [each for each in times_s if each is not None]
    return max(known, default=0.0) if len(known) == len(times_s) else None
