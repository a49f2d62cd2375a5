# SPDX-License-Identifier: GPL-2.0-only
"""The live backend: Linux TCP between namespaces on this machine (docs/live.md)."""

import dataclasses
import functools
import hashlib
import os
import platform
import shutil
import signal
import sys
import threading
import time
from pathlib import Path
from types import FrameType
from typing import Any, Final

from penstock.errors import Exit, UserError
from penstock.plan.cells import Cell
from penstock.results import arithmetic, completions, flows, groups, metrics
from penstock.results.row import Row
from penstock.runs.backends import rows
from penstock.runs.live import plan, programs, queues, run, stale
from penstock.runs.live.session import Session
from penstock.version import PACKAGE
from penstock.version import version as release

_TOOLS: Final = ("ip", "tc", "nsenter", "sysctl")
_PROGRAMS: Final = ("penstock-link", "penstock-load", "penstock-gw")
_DIGITS: Final = 12


class Live:
    """Runs cells sequentially, in real time."""

    most_workers = 1  # runs share the machine's time

    def __init__(self, version: int) -> None:
        self._version = version
        kernel = f"{platform.system()} {platform.release()}"
        sources = rows.digest(PACKAGE / "runs" / "live")
        self.engine = f"live{version} {release()} {_fingerprint()} {sources} {kernel}"

    def run(self, cell: Cell) -> Row:
        """Runs one cell in real time."""
        lab = plan.plan(cell)
        begin = time.perf_counter()
        result, extra = run.play(lab, cell.seed, self._version)
        wall_s = time.perf_counter() - begin
        result = dataclasses.replace(result, groups=[_timed(group) for group in result.groups])
        columns = metrics.columns(cell, result, 0, wall_s)
        limit_bytes = queues.fifo_limit_bytes(lab.measured_direction)
        arithmetic.check_live(columns, result, not cell.scenario.time.warm_up, limit_bytes)
        columns |= extra.columns
        columns["events"] = columns["receive_window_bytes"] = None
        apart = [] if result.groups else groups.rows(cell.scenario, result, lab.groups)
        row = Row(columns, groups=apart, flows=flows.columns(result, lab.groups))
        if not lab.sample_ns:
            return row
        until = cell.scenario.sample.until if cell.scenario.sample else None
        return dataclasses.replace(row, series=metrics.series(result, until))


def _timed(group: dict[str, Any]) -> dict[str, Any]:
    """A group of users with the times of its transfers by size."""
    times = completions.of_flows(group["transfers"])
    return {**group, "completions": [vars(each) for each in times]}


def _fingerprint() -> str:
    """A digest of the programs, so that results of other builds are told apart."""
    digest = hashlib.sha256()
    for program in _PROGRAMS:
        path = shutil.which(program, path=programs.search_path())
        digest.update(Path(path).read_bytes() if path else b"")
    return digest.hexdigest()[:_DIGITS]


def _refuse(why: str) -> UserError:
    return UserError(f"--backend live: {why}", Exit.SKIPPED)


def _check() -> None:
    """Exit 77 with the reason if live runs are not possible."""
    if sys.platform != "linux":
        raise _refuse("it needs Linux")
    if os.geteuid() != 0:
        raise _refuse("it makes network namespaces, which needs root; use sudo")
    for tool in _TOOLS:
        if shutil.which(tool) is None:
            raise _refuse(f"the command {tool} is missing (Debian: iproute2, util-linux, procps)")
    if not Path("/dev/net/tun").exists():
        raise _refuse("the kernel has no /dev/net/tun")
    for program in _PROGRAMS[:2]:
        programs.find(program)


def _stop_on_signals() -> None:
    """Ctrl-C and a plain kill take the lab down before the process ends.

    The kernel may give a signal to any thread, and Python's handlers wait for the main
    one, which sleeps until a run is over. So a separate thread receives signals as well.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    heard, tell = os.pipe()
    os.set_blocking(tell, False)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _stop)
    signal.set_wakeup_fd(tell, warn_on_full_buffer=False)
    threading.Thread(target=lambda: _end(os.read(heard, 1)[0]), daemon=True).start()


def _stop(number: int, _frame: FrameType | None) -> None:
    _end(number)
    raise KeyboardInterrupt


def _end(number: int) -> None:
    Session.close_all()
    if number != signal.SIGINT:
        os._exit(128 + number)


@functools.cache
def backend(version: int = 4) -> Live:
    """The live backend, after removing the remains of killed runs."""
    _check()
    try:
        stale.clean()
    except RuntimeError as error:
        raise _refuse(str(error)) from None
    _stop_on_signals()
    return Live(version)
