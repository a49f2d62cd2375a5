# SPDX-License-Identifier: GPL-2.0-only
"""Runs of the simulator, watched from their beginning: goodput and queue in equal intervals."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from penstock import _native
from penstock.plan.build import build
from penstock.plan.cells import Cell
from penstock.results import transient
from penstock.runs.backends import sim_network

Floats = NDArray[np.float64]

_FIRST_NS: Final = 10_000_000  # an interval, until the observations are too many
MOST: Final = 1000  # observations, then of twice the interval
_RECEIVED: Final = _native.LINK_LOOKS.index("received_bytes")
_QUEUE: Final = _native.LINK_LOOKS.index("queue_bytes")
_GOES_ON: Final = _native.LINK_LOOKS.index("goes_on")


@dataclass(frozen=True)
class Watched:
    """Of runs of one length, one row each: the payload that arrived in each interval, and the
    bytes that waited in the measured queue at its end. `ended`: a run's traffic came to its end.
    """

    interval_ns: int
    received_bytes: Floats
    queue_bytes: Floats
    ended: bool

    @property
    def interval_s(self) -> float:
        """The interval."""
        return self.interval_ns * 1e-9

    @property
    def length_s(self) -> float:
        """The time that was watched."""
        return float(self.received_bytes.shape[1] * self.interval_s)


def _links(cells: Sequence[Cell], threads: int) -> _native.Links:
    built = [build(cell) for cell in cells]
    made = [sim_network.make(each.network) for each in built]
    links = _native.Links(len(cells), 0, threads)
    for index, (each, network) in enumerate(zip(built, made, strict=True)):
        links.put(index, network, each.measured)
    return links


def watch(cells: Sequence[Cell], threads: int = 1) -> Watched:
    """Runs of one scenario that differ in their seeds, side by side, until one ends.

    ValueError for a network that the simulator cannot run.
    """
    links = _links(cells, threads)
    interval_ns, until_ns, now_ns = _FIRST_NS, cells[0].scenario.time.limit, 0
    out = np.zeros((len(cells), links.looks))
    received, queue = np.zeros((len(cells), MOST)), np.zeros((len(cells), MOST))
    before, count, ended = np.zeros(len(cells)), 0, False
    while now_ns + interval_ns <= until_ns:
        links.step(interval_ns, out=out)
        now_ns += interval_ns
        ended = not out[:, _GOES_ON].all()
        if ended:  # within this interval
            break
        received[:, count] = out[:, _RECEIVED] - before
        queue[:, count] = out[:, _QUEUE]
        before, count = out[:, _RECEIVED].copy(), count + 1
        if count == MOST:
            count, interval_ns = MOST // 2, 2 * interval_ns
            received[:, :count] = transient.joined(received, add=True)
            queue[:, :count] = transient.joined(queue, add=False)
    return Watched(interval_ns, received[:, :count], queue[:, :count], ended)
