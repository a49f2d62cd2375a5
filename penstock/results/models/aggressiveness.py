# SPDX-License-Identifier: GPL-2.0-only
"""How much n standard connections and an EFCM ensemble of n send after l losses in a row.

nis-2004 chapter 6: the l losses hit l of the outstanding segments, drawn without
replacement; each halves the threshold of its connection and sets its window to one segment.
A standard connection pays alone, eqs. (6.6) to (6.11); in an ensemble windows and thresholds
are summed up and shared out again after each loss, eqs. (6.3) and (6.4). All values are
segments, as fractions.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from math import comb
from statistics import fmean, stdev
from typing import Any, Final

from penstock import _native

SOURCE: Final = "nis-2004 chapter 6"
LEAST_SSTHRESH: Final = Fraction(2)
_MSS: Final = 1000  # bytes; the senders' rules work on bytes


@dataclass(frozen=True)
class Aggregate:
    """The sums over all connections, segments."""

    cwnd: Fraction
    ssthresh: Fraction

    def __add__(self, other: "Aggregate") -> "Aggregate":
        return Aggregate(self.cwnd + other.cwnd, self.ssthresh + other.ssthresh)

    def __sub__(self, other: "Aggregate") -> "Aggregate":
        return Aggregate(self.cwnd - other.cwnd, self.ssthresh - other.ssthresh)


def hit(cwnd: int, outstanding: int, times: int, lost: int) -> Fraction:
    """Eq. (6.6): that `times` of `lost` losses hit a connection with `cwnd` of what is
    outstanding. More than is outstanding cannot be lost: then every segment is.
    """
    if lost > outstanding:
        return Fraction(int(times == cwnd))
    if not 0 <= times <= lost:
        return Fraction(0)
    ways = comb(cwnd, times) * comb(outstanding - cwnd, lost - times)
    return Fraction(ways, comb(outstanding, lost))


def expected(window: int, threshold: int, outstanding: int, lost: int) -> Aggregate:
    """Window and threshold of one standard connection, eqs. (6.8) and (6.10)."""
    none, once = (hit(window, outstanding, times, lost) for times in (0, 1))
    more = 1 - none - once
    return Aggregate(
        none * window + (1 - none),
        none * threshold + once * max(Fraction(window, 2), LEAST_SSTHRESH) + more * LEAST_SSTHRESH,
    )


def standard(windows: Sequence[int], thresholds: Sequence[int], lost: int) -> Aggregate:
    """The sums of a set of standard connections, eqs. (6.9) and (6.11)."""
    total = Aggregate(Fraction(0), Fraction(0))
    for window, threshold in zip(windows, thresholds, strict=True):
        total += expected(window, threshold, sum(windows), lost)
    return total


def ensemble(members: int, cwnd: int, ssthresh: int) -> Iterator[Aggregate]:
    """The sums of an EFCM ensemble after 0, 1, 2 ... losses, eqs. (6.3) and (6.4)."""
    sums = Aggregate(Fraction(cwnd * members), Fraction(ssthresh * members))
    while True:
        yield sums
        share = sums.cwnd / members
        sums = Aggregate(
            sums.cwnd - share + 1,
            sums.ssthresh * (members - 1) / members + max(share / 2, LEAST_SSTHRESH),
        )


def differences(members: int, cwnd: int, ssthresh: int, most_lost: int) -> list[Aggregate]:
    """Section 6.5.2: a fair set less an ensemble, after 0, 1 ... `most_lost` losses."""
    found = []
    for lost, sums in zip(range(most_lost + 1), ensemble(members, cwnd, ssthresh), strict=False):
        one = expected(cwnd, ssthresh, members * cwnd, lost)
        found.append(Aggregate(one.cwnd * members, one.ssthresh * members) - sums)
    return found


@dataclass(frozen=True)
class Simulated:
    """Means of the sums over random losses, segments, and their standard errors."""

    cwnd: float
    ssthresh: float
    cwnd_error: float
    ssthresh_error: float


def _lose(windows: list[int], hits: Sequence[int], ssthresh: int) -> tuple[float, float]:
    """The sums after segments were lost: core's NewReno at its timeouts."""
    senders = [
        _native.SenderControl(
            "newreno", cwnd_bytes=window * _MSS, ssthresh_bytes=ssthresh * _MSS, mss_bytes=_MSS
        )
        for window in windows
    ]
    for index in hits:
        sender = senders[index]
        sender.congestion(0, "timeout", flight_bytes=sender.cwnd_bytes)
        sender.cwnd_bytes = _MSS
    return (
        sum(sender.cwnd_bytes for sender in senders) / _MSS,
        sum(sender.ssthresh_bytes for sender in senders) / _MSS,
    )


def simulate(members: int, cwnd: int, ssthresh: int, lost: int, runs: int) -> Simulated:
    """The same set with the simulator's senders, the losses drawn at random."""
    draw = random.Random(f"{members} {cwnd} {ssthresh} {lost}")
    lost = min(lost, members * cwnd)
    windows = [cwnd] * members
    sums = []
    for _ in range(runs):
        segments = draw.sample(range(members * cwnd), lost)
        sums.append(_lose(windows, [segment // cwnd for segment in segments], ssthresh))
    columns = list(zip(*sums, strict=True))
    means = [fmean(column) for column in columns]
    errors = [stdev(column) / runs**0.5 if runs > 1 else 0.0 for column in columns]
    return Simulated(*means, *errors)


@dataclass(frozen=True)
class Compared:
    """A standard set less an ensemble of as many members, after losses in a row; segments.

    The simulated values are means over random losses, with their standard errors.
    """

    members: int
    lost: int
    delta_cwnd_segments: float
    delta_ssthresh_segments: float
    simulated_cwnd_segments: float | None = None
    simulated_cwnd_error: float | None = None
    simulated_ssthresh_segments: float | None = None
    simulated_ssthresh_error: float | None = None

    def describe(self) -> dict[str, Any]:
        """The keys of `penstock model aggressiveness -j`."""
        return {key: value for key, value in asdict(self).items() if value is not None}


def compare(
    members: Sequence[int], lost: Sequence[int], cwnd: int, ssthresh: int, runs: int
) -> Iterator[Compared]:
    """Each number of members with each number of losses; `runs` of 0 simulates nothing."""
    for count in members:
        deltas = differences(count, cwnd, ssthresh, max(lost))
        sums = list(zip(range(max(lost) + 1), ensemble(count, cwnd, ssthresh), strict=False))
        for losses in lost:
            delta = float(deltas[losses].cwnd), float(deltas[losses].ssthresh)
            if not runs:
                yield Compared(count, losses, *delta)
                continue
            played, less = simulate(count, cwnd, ssthresh, losses, runs), sums[losses][1]
            yield Compared(
                count,
                losses,
                *delta,
                played.cwnd - float(less.cwnd),
                played.cwnd_error,
                played.ssthresh - float(less.ssthresh),
                played.ssthresh_error,
            )
