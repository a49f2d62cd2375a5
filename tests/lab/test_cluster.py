# SPDX-License-Identifier: GPL-2.0-only
"""Cells on a cluster: the same rows as alone; a lost worker costs nothing but time."""

import logging
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from contextlib import suppress
from pathlib import Path
from typing import Any

import distributed
import pytest
from forked import PATIENCE_S
from lab_support import Run, alone, descendants, rows, start, wait_for_cells

from penstock.errors import Exit
from penstock.runs import workers
from penstock.runs.cluster import Cluster


@pytest.fixture(scope="module")
def cluster() -> Iterator[tuple[str, int]]:
    """A cluster of two workers: its address and the process."""
    command = [sys.executable, "-m", "penstock", "cluster", "--workers", "2", "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, process_group=0
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address.startswith("tcp://127.0.0.1:")
        yield address, process.pid
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == Exit.INTERRUPTED


def test_rows_are_those_of_one_machine(
    penstock: Run, small: Path, tmp_path: Path, cluster: tuple[str, int]
) -> None:
    alone = penstock("run", small, "-j", "--workers", "1")
    there = penstock("run", small, "-j", "--cluster", cluster[0], "-o", "out")
    assert there.returncode == 0, there.stderr
    assert rows(there.stdout) == rows(alone.stdout)
    assert len(list((tmp_path / "out" / "cells").iterdir())) == 8


def test_a_lost_worker_costs_its_cell_only(
    penstock: Run, small: Path, tmp_path: Path, cluster: tuple[str, int]
) -> None:
    many = ["run", str(small), "-n", "20", "--seeds", "6", "-j"]
    alone = penstock(*many)
    process = subprocess.Popen(
        [sys.executable, "-m", "penstock", *many, "--cluster", cluster[0]],
        stdout=subprocess.PIPE, text=True, cwd=tmp_path,
    )  # fmt: skip
    assert process.stdout is not None
    first = process.stdout.readline()
    with distributed.Client(cluster[0], timeout=PATIENCE_S, set_as_default=False) as client:
        pids = list(client.run(os.getpid).values())
    assert set(map(str, pids)) <= set(descendants(cluster[1]))
    os.kill(pids[0], signal.SIGKILL)
    rest = process.stdout.read()
    assert process.wait(PATIENCE_S) == 0
    process.stdout.close()
    assert rows(first + rest) == rows(alone.stdout)


@pytest.mark.parametrize("twice", [False, True])
def test_interrupted_while_workers_of_a_cluster_run(
    small: Path, tmp_path: Path, cluster: tuple[str, int], twice: bool
) -> None:
    """The command ends, and its workers stay for others."""
    many = ["-n", "20", "--seeds", "60", "--cluster", cluster[0], "-o", "out"]
    running = start(tmp_path, "run", str(small), *many)
    wait_for_cells(tmp_path / "out", 2)
    os.killpg(running.pid, signal.SIGINT)
    if twice:
        with suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGINT)
    _, complaint = running.communicate(timeout=PATIENCE_S)
    assert running.returncode == Exit.INTERRUPTED, (running.returncode, complaint)
    assert "Traceback" not in complaint


class Complaining(Executor):
    """Says what tornado may say when a call is dropped whose result is on its way."""

    def submit(self, *_: Any, **__: Any) -> Future[Any]:
        return Future()

    def shutdown(self, *_: Any, **__: Any) -> None:
        logging.getLogger("tornado.application").error("Traceback")


def test_no_library_complains_of_what_is_dropped(
    cluster: tuple[str, int], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, logger in logging.root.manager.loggerDict.items():
        if name.startswith(("distributed", "tornado", "asyncio")):
            monkeypatch.setattr(logger, "level", getattr(logger, "level", 0), raising=False)
    there = Cluster(cluster[0])
    monkeypatch.setattr(there, "executor", Complaining)
    pool = workers.Pool("sim", 1, there)
    pool._submit([])
    pool.kill()
    there.close()
    assert not caplog.records


class Freed:
    """Finds, when it is freed, that what it needs is gone."""

    def __del__(self) -> None:
        raise RuntimeError("gone")


@pytest.mark.parametrize(("module", "said"), [("distributed.client", False), ("tests", True)])
def test_what_is_freed_after_it_was_dropped_is_not_complained_of(
    cluster: tuple[str, int],
    monkeypatch: pytest.MonkeyPatch,
    module: str,
    said: bool,
) -> None:
    """But of all else, as the caller's own program says it."""
    complained: list[str] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda what: complained.append(str(what.exc_value)))
    monkeypatch.setattr(Freed.__del__, "__module__", module)
    there = Cluster(cluster[0])
    there.close()
    Freed()
    assert complained == ["gone"] * said


def test_a_worker_of_another_build_gives_no_rows(tmp_path: Path, cluster: tuple[str, int]) -> None:
    """One that comes after the campaign has asked which builds there are."""
    there = Cluster(cluster[0])
    pool = workers.Pool("sim", 1, there)
    pool._engine = "sim of yesterday"
    ((_, outcome),) = pool.run([alone(tmp_path, "cubic")])
    assert isinstance(outcome, workers.Failure)
    assert "here is sim of yesterday; install the same build" in outcome.message
    pool.close()
    there.close()


def test_mistakes(penstock: Run, small: Path) -> None:
    for address, code, hint in (
        ("tcp://127.0.0.1:9", Exit.BACKEND_MISSING, "no scheduler answers"),
        ("nowhere", Exit.USAGE, "write tcp://HOST:PORT"),
        ("ftp://x:1", Exit.USAGE, "write tcp://HOST:PORT"),
    ):
        done = penstock("run", small, "--cluster", address)
        assert (done.returncode, done.stdout) == (code, ""), done.stderr
        assert f"--cluster {address}: {hint}" in done.stderr
        assert done.stderr.count("\n") == 1
