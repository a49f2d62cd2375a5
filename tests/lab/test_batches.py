# SPDX-License-Identifier: GPL-2.0-only
"""A task of a cluster takes several small cells; a lost one is run again cell by cell."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import pytest
from lab_support import Run, rows

from penstock.runs import workers
from penstock.runs.workers import Failure, Pool


class Scheduler(Executor):
    """Runs each task at once; one that has the cell `fatal` takes down its worker."""

    def __init__(self, fatal: int) -> None:
        self.tasks: list[list[int]] = []
        self._fatal = fatal

    def submit(self, call: Callable[..., Any], *arguments: Any, **_: Any) -> Future[Any]:
        cells = arguments[-1]
        self.tasks.append(cells)
        future: Future[Any] = Future()
        if self._fatal in cells:
            future.set_exception(RuntimeError("worker\nkilled"))
        else:
            future.set_result(call(*arguments))
        return future


class Cluster:
    """A cluster of that scheduler."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler

    def executor(self) -> Executor:
        return self._scheduler


def play(
    monkeypatch: pytest.MonkeyPatch, cells: int, cell_s: float, fatal: int = -1
) -> tuple[dict[int, Any], list[list[int]]]:
    """Outcomes by cell, and the tasks that were handed out."""
    scheduler = Scheduler(fatal)
    monkeypatch.setattr(workers, "_run", lambda _, cell: f"row {cell}")

    def timed(backend: str, _: str, batch: list[int]) -> tuple[list[Any], float]:
        return [workers._run(backend, cell) for cell in batch], cell_s * len(batch)

    monkeypatch.setattr(workers, "_run_all", timed)
    pool = Pool("sim", 2, Cluster(scheduler))
    found = list(pool.run(list(range(cells))))
    assert sorted(index for index, _ in found) == list(range(cells))
    return dict(found), scheduler.tasks


def test_small_cells_share_a_task(monkeypatch: pytest.MonkeyPatch) -> None:
    found, tasks = play(monkeypatch, 1000, cell_s=0.004)
    assert [found[cell] for cell in range(1000)] == [f"row {cell}" for cell in range(1000)]
    assert max(map(len, tasks)) == 50  # 0.2 s
    assert len(tasks[0]) == len(tasks[-1]) == 1  # nothing is known yet; all workers end together
    assert len(tasks) < 100


def test_long_cells_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    _, tasks = play(monkeypatch, 50, cell_s=0.15)
    assert {len(task) for task in tasks} == {1}


def test_a_cell_that_takes_down_workers_costs_itself_only(monkeypatch: pytest.MonkeyPatch) -> None:
    found, tasks = play(monkeypatch, 1000, cell_s=0.004, fatal=500)
    assert found.pop(500) == Failure("lost with its workers: worker killed")
    assert set(found.values()) == {f"row {cell}" for cell in range(1000) if cell != 500}
    assert [task for task in tasks if 500 in task][-1] == [500]


@pytest.mark.parametrize("name", ["penstock", "numpy"])
def test_workers_take_no_module_from_the_working_directory(
    penstock: Run, small: Path, tmp_path: Path, name: str
) -> None:
    """numpy: of an editable install, Python finds penstock before it looks at any path."""
    folder = tmp_path / name
    folder.mkdir()
    (folder / "__init__.py").write_text("raise SystemExit('taken from the working directory')\n")
    done = penstock("run", small, "--workers", "2", "-j")
    assert done.returncode == 0, done.stderr
    assert rows(done.stdout) == rows(penstock("run", small, "--workers", "1", "-j").stdout)
