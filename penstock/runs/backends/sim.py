# SPDX-License-Identifier: GPL-2.0-only
"""The backend of Penstock's own packet simulator."""

import functools
import tempfile
import time
from pathlib import Path

from penstock import _native
from penstock.plan.build import Built, build, clock
from penstock.plan.cells import Cell
from penstock.results.row import Row
from penstock.runs.backends import rows, sim_network, whole
from penstock.version import version


def play(
    cell: Cell, recovery_timer: str = "standard", folder: Path | None = None
) -> tuple[Built, _native.Result]:
    """A cell's network, and its run to the end or to the scenario's time limit.

    Captures that are to be converted go into `folder`.
    """
    built = build(cell)
    if folder:
        from penstock.runs.backends import sim_captures

        built = sim_captures.added(cell, built, folder)
    with whole.captures(built.network) as network:
        made = sim_network.make(network, recovery_timer)
        return built, made.run(**clock(cell).fields())


class Simulator:
    """Runs cells in this process; the simulator releases the GIL."""

    def __init__(self, engine: str, recovery_timer: str = "standard") -> None:
        self.engine = engine
        self._recovery_timer = recovery_timer

    def run(self, cell: Cell) -> Row:
        """Runs one cell."""
        target = cell.pcapng_dir or cell.qlog_dir or cell.flent_dir
        if target:
            with tempfile.TemporaryDirectory(dir=target) as folder:
                return self._captured(cell, Path(folder))
        begin = time.perf_counter()
        built, result = play(cell, self._recovery_timer)
        wall_s = time.perf_counter() - begin
        return rows.row(cell, built, result, wall_s)

    def _captured(self, cell: Cell, folder: Path) -> Row:
        from penstock.runs.backends import sim_captures

        begin = time.perf_counter()
        built, result = play(cell, self._recovery_timer, folder)
        wall_s = time.perf_counter() - begin
        sim_captures.convert(cell, built, result)
        return rows.row(cell, built, result, wall_s)


@functools.cache
def backend() -> Simulator:
    """The simulator, with its version and the digests of its sources."""
    return Simulator(f"sim {version()} {_native.SOURCES} {rows.digest()}")
