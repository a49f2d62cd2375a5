# SPDX-License-Identifier: GPL-2.0-only
"""The backend of Penstock's own packet simulator."""

import functools
import time

from penstock import _native
from penstock.backends import Row, rows, sim_network
from penstock.plan.build import Built, build
from penstock.plan.cells import Cell
from penstock.version import version


def play(cell: Cell, recovery_timer: str = "standard") -> tuple[Built, _native.Result]:
    """A cell's network, and its run to the end or to the scenario's time limit."""
    clock, built = cell.scenario.time, build(cell)
    made = sim_network.make(built.network, recovery_timer)
    return built, made.run(clock.limit, clock.warm_up or 0)


class Simulator:
    """Runs cells in this process; the simulator releases the GIL."""

    def __init__(self, engine: str, recovery_timer: str = "standard") -> None:
        self.engine = engine
        self._recovery_timer = recovery_timer

    def run(self, cell: Cell) -> Row:
        """Runs one cell."""
        begin = time.perf_counter()
        built, result = play(cell, self._recovery_timer)
        wall_s = time.perf_counter() - begin
        return rows.row(cell, built, result, wall_s)


@functools.cache
def backend() -> Simulator:
    """The simulator, with its version and the digest of its sources."""
    return Simulator(f"sim {version()} {_native.SOURCES}")
