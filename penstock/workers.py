# SPDX-License-Identifier: GPL-2.0-only
"""Runs cells on a pool; a failed cell is a result, a dead worker ends the run."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing.connection import wait as wait_for
from typing import Final

from penstock import backends
from penstock.backends import Row
from penstock.cells import Cell
from penstock.errors import UserError

_AHEAD: Final = 4  # cells handed out per worker, so that none waits for the next


@dataclass(frozen=True)
class Failure:
    """A cell that could not be run, and why."""

    message: str


Outcome = Row | Failure


def default_workers() -> int:
    """One worker for each processor that this process may use."""
    return len(os.sched_getaffinity(0))


def _run(backend: str, cell: Cell) -> Outcome:
    try:
        return backends.get(backend).run(cell)
    except (RuntimeError, ValueError, MemoryError) as error:
        return Failure(str(error) or type(error).__name__)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait_for([parent.sentinel])
    os._exit(1)


def _start_worker() -> None:
    """Leaves Ctrl-C to the parent, and ends when the parent is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _executor(workers: int) -> Executor:
    if workers == 1:
        return ThreadPoolExecutor(1)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["penstock.backends.sim"])
    return ProcessPoolExecutor(workers, mp_context=context, initializer=_start_worker)


def _abandon(executor: Executor) -> None:
    executor.shutdown(wait=False, cancel_futures=True)
    for child in multiprocessing.active_children():
        child.terminate()


class Pool:
    """Workers that stay for the batches of one campaign."""

    def __init__(self, backend: str, workers: int) -> None:
        self._backend = backend
        self._workers = workers
        self._executor: Executor | None = None

    def run(self, cells: Sequence[Cell]) -> Iterator[tuple[int, Outcome]]:
        """Yields (index of the cell, outcome) as cells finish, in any order."""
        if not cells:
            return
        executor = self._executor = self._executor or _executor(self._workers)
        try:
            yield from self._drive(executor, cells)
        except BrokenProcessPool:
            raise UserError(
                "a worker process died (out of memory?); finished cells are kept with -o: repeat "
                "the command to continue, with fewer --workers"
            ) from None
        except BaseException:
            _abandon(executor)
            raise

    def _drive(self, executor: Executor, cells: Sequence[Cell]) -> Iterator[tuple[int, Outcome]]:
        todo = iter(enumerate(cells))
        running: dict[Future[Outcome], int] = {}
        while True:
            while len(running) < self._workers * _AHEAD and (item := next(todo, None)):
                running[executor.submit(_run, self._backend, item[1])] = item[0]
            if not running:
                return
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                yield running.pop(future), future.result()
