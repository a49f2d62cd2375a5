# SPDX-License-Identifier: GPL-2.0-only
"""Runs cells on a pool; a failed cell is a result, a dead worker ends the run."""

import os
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    ThreadPoolExecutor,
    wait,
)
from dataclasses import dataclass
from typing import Final

from penstock.errors import UserError
from penstock.plan.cells import Cell
from penstock.results.row import Row
from penstock.runs import backends, interrupts
from penstock.runs.cluster import Cluster, other_build

_AHEAD: Final = 4  # batches handed out per worker, so that none waits for the next
# A task of a cluster costs some milliseconds, more than a small cell: one task takes several.
_BATCH_S: Final = 0.2
_BATCH_MOST: Final = 100


@dataclass(frozen=True)
class Failure:
    """A cell that could not be run, and why."""

    message: str


Outcome = Row | Failure
Batch = tuple[list[Outcome], float]  # what came of its cells, and the seconds that they took


def default_workers() -> int:
    """One worker for each processor that this process may use."""
    return len(os.sched_getaffinity(0))


def _run(backend: str, cell: Cell) -> Outcome:
    try:
        return backends.get(backend).run(cell)
    except (RuntimeError, ValueError, MemoryError) as error:
        return Failure(str(error) or type(error).__name__)
    except OSError as error:
        parts = (error.filename, error.strerror or error)
        return Failure(": ".join(str(part) for part in parts if part))


def _run_all(backend: str, engine: str, cells: Sequence[Cell]) -> Batch:
    """Runs a batch of cells, if the build here is `engine`: a cluster's workers come and go."""
    began = time.perf_counter()
    here = backends.get(backend).engine
    if here != engine:
        return [Failure(other_build(here, engine))] * len(cells), 0.0
    return [_run(backend, cell) for cell in cells], time.perf_counter() - began


def _may_have_no_children() -> bool:
    """Whether this is the worker of a multiprocessing.Pool; a thread serves, as the simulator
    releases the GIL. Such a worker has the module loaded, which others need not wait for.
    """
    loaded = sys.modules.get("multiprocessing.process")
    return loaded is not None and bool(loaded.current_process().daemon)


def _lost(error: BaseException) -> Failure:
    """A cell that took down several workers of a cluster has failed."""
    return Failure(f"lost with its workers: {' '.join(str(error).split())}")


class Pool:
    """Workers that stay for the batches of one campaign, until close() or kill().

    A single worker is a thread, unless the backend needs a process.
    """

    def __init__(self, backend: str, workers: int, cluster: Cluster | None = None) -> None:
        self._backend = backend
        self._engine = backends.get(backend).engine
        self._workers = workers
        self._cluster = cluster
        self._executor: Executor | None = None
        self._cell_s: float | None = None  # what a cell took, in the latest batch

    def close(self) -> None:
        """Waits until all workers have ended, those that are still starting too."""
        if self._executor is None:
            return
        interrupts.let_wake()
        try:
            self._executor.shutdown(wait=True)
            self._executor = None
        finally:
            self.kill()  # only after Ctrl-C is anything left

    def kill(self) -> None:
        """Ends all workers at once; only a thread stays until its cell is done."""
        if self._executor is not None and self._cluster is not None:
            self._cluster.drop(self._executor)
            self._executor = None
        if self._executor is not None:
            if isinstance(self._executor, ThreadPoolExecutor):
                self._executor.shutdown(wait=False, cancel_futures=True)
            else:
                from penstock.runs import processes

                processes.kill(self._executor)
            self._executor = None

    def run(self, cells: Sequence[Cell]) -> Iterator[tuple[int, Outcome]]:
        """Yields (index of the cell, outcome) as cells finish, in any order."""
        try:
            yield from self._drive(cells)
        except BrokenExecutor:
            raise UserError(
                "a worker process died (out of memory?); finished cells are kept with -o: repeat "
                "the command to continue, with fewer --workers"
            ) from None

    def _needs_process(self) -> bool:
        return getattr(backends.get(self._backend), "needs_process", False)

    def _submit(self, cells: Sequence[Cell]) -> Future[Batch]:
        if self._executor is not None:
            return self._executor.submit(_run_all, self._backend, self._engine, cells)
        if self._cluster is not None:
            self._executor = self._cluster.executor()
            return self._executor.submit(_run_all, self._backend, self._engine, cells)
        if _may_have_no_children() or (self._workers == 1 and not self._needs_process()):
            self._executor = ThreadPoolExecutor(self._workers)
            return self._executor.submit(_run_all, self._backend, self._engine, cells)
        from penstock.runs import processes

        with processes.starting():
            self._executor = processes.executor(self._workers)
            return self._executor.submit(_run_all, self._backend, self._engine, cells)

    def _batch_size(self, left: int) -> int:
        """How many cells the next task takes; fewer towards the end, for all workers to share."""
        if self._cluster is None or self._cell_s is None:
            return 1
        fitting = int(_BATCH_S / max(self._cell_s, _BATCH_S / _BATCH_MOST))
        return max(1, min(fitting, left // (2 * self._workers)))

    def _drive(self, cells: Sequence[Cell]) -> Iterator[tuple[int, Outcome]]:
        todo = deque(range(len(cells)))
        alone: deque[int] = deque()  # cells of a batch that took down several workers
        running: dict[Future[Batch], list[int]] = {}
        while todo or alone or running:
            while len(running) < self._workers * _AHEAD and (todo or alone):
                size = 1 if alone else self._batch_size(len(todo))
                batch = [(alone or todo).popleft() for _ in range(size)]
                running[self._submit([cells[index] for index in batch])] = batch
            interrupts.let_wake()
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                batch = running.pop(future)
                error = future.exception() if self._cluster is not None else None
                if error is not None and len(batch) > 1:
                    alone.extend(batch)
                elif error is not None:
                    yield batch[0], _lost(error)
                else:
                    outcomes, seconds = future.result()
                    self._cell_s = seconds / len(batch)
                    yield from zip(batch, outcomes, strict=True)
