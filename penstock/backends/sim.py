# SPDX-License-Identifier: GPL-2.0-only
"""The backend of Penstock's own packet simulator."""

import functools
import hashlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from penstock import __version__, _native
from penstock.backends import Row
from penstock.plan import build
from penstock.plan.cells import Cell
from penstock.results import groups, metrics

_DIGITS = 12


class Simulator:
    """Runs cells in this process; the simulator releases the GIL."""

    def __init__(self, engine: str, make: Callable[[int], Any] = _native.Network) -> None:
        self.engine = engine
        self._make = make

    def run(self, cell: Cell) -> Row:
        """Runs one cell to its end or to the scenario's time limit."""
        begin = time.perf_counter()
        built, result = self._play(cell)
        wall_s = time.perf_counter() - begin
        columns = metrics.columns(cell, result, built.measured, wall_s)
        by_group = groups.rows(cell.scenario, result, built.groups)
        sample = cell.scenario.sample
        if not (sample and cell.sampled):
            return Row(columns, groups=by_group)
        return Row(columns, metrics.series(result, sample.until), by_group)

    def _play(self, cell: Cell) -> tuple[build.Built, Any]:
        """The run, or what comes of it after the warm-up."""
        clock, built = cell.scenario.time, build.network(cell, self._make)
        return built, built.network.run(clock.limit, clock.warm_up or 0)


def _fingerprint() -> str:
    """A digest of the compiled part, so that no other build's results are taken for ours."""
    path = Path(str(_native.__file__))
    return hashlib.sha256(path.read_bytes()).hexdigest()[:_DIGITS]


@functools.cache
def backend() -> Simulator:
    """The simulator, with its version and build."""
    return Simulator(f"sim {__version__} {_fingerprint()}")
