# SPDX-License-Identifier: GPL-2.0-only
"""The end of a command: no traceback, nothing left running, whenever it comes."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from forked import PATIENCE_S
from lab_support import Run, alive, command, descendants, start, status, until, wait_for_cells

from penstock.errors import Exit

LONG = ["--seeds", "60", "-n", "20", "-o", "out"]
# One cell that nobody has seen end.
ENDLESS = ["-m", "droptail", "--receivers", "65535", "--set", "tcp.bulk.size=1000GB", "-o", "out"]
ENDLESS += ["--set", "sample.interval=1000s", "--set", "link.bottleneck.rate=100mbit"]
_LOADED_S = 1.2  # of processor time, three times what a process takes until it computes
MODULES = ["penstock.errors", "typer", "pydantic", "numpy", "penstock._native"]


def wait_for_gone(pids: Sequence[str], seconds: float) -> None:
    """Returns when none of the processes runs any more."""
    end = time.monotonic() + seconds
    while left := [pid for pid in pids if alive(pid)]:
        assert time.monotonic() < end, [status(pid) for pid in left]
        time.sleep(0.02)


def wait_for_engine(running: subprocess.Popen[str], workers: int) -> list[str]:
    """Returns the processes of a run once that many threads of it have computed for a while."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        pids = [str(running.pid), *descendants(running.pid)]
        if sum(cpu_seconds(pid) > _LOADED_S for pid in pids) >= workers:
            return pids
        time.sleep(0.1)
    raise AssertionError("no cell got under way")


def cpu_seconds(pid: str) -> float:
    """The processor time that a process has used."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def ended(running: subprocess.Popen[str], seconds: float) -> str:
    """What an interrupted command said, if it ended as it should."""
    _, complaint = running.communicate(timeout=seconds)
    assert running.returncode == Exit.INTERRUPTED, complaint
    assert "Traceback" not in complaint
    assert "Exception" not in complaint
    assert "Warning" not in complaint
    return complaint


@pytest.mark.parametrize("count", range(4))
@pytest.mark.parametrize("verb", ["run", "capacity"])
def test_a_pool_that_is_done_says_nothing(
    penstock: Run, small: Path, verb: str, count: int
) -> None:
    arguments = ["-m", "droptail", "--receivers", "65535", "--seeds", "2", "--workers", "2"]
    if verb == "capacity":
        arguments += ["--levels", "1", "--most", "2"]
    if count % 2:
        arguments += ["-o", "out"]
    done = penstock(verb, small, *arguments)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("workers", ["1", "2"])
def test_interrupted_keeps_what_is_finished(small: Path, tmp_path: Path, workers: str) -> None:
    running = start(tmp_path, "run", str(small), *LONG, "--workers", workers)
    wait_for_cells(tmp_path / "out", 2)
    pids = descendants(running.pid)
    os.killpg(running.pid, signal.SIGINT)
    complaint = ended(running, PATIENCE_S)
    assert complaint.count("\n") == 1
    assert "repeat the command to continue" in complaint
    assert len(list((tmp_path / "out" / "cells").glob("*.json"))) >= 2
    wait_for_gone(pids, PATIENCE_S)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("twice", [False, True])
def test_interrupted_within_the_engine(
    small: Path, tmp_path: Path, workers: int, twice: bool
) -> None:
    running = start(tmp_path, "run", str(small), *ENDLESS, "--workers", str(workers))
    pids = wait_for_engine(running, workers)
    os.killpg(running.pid, signal.SIGINT)
    if twice:
        running.send_signal(signal.SIGINT)
    ended(running, PATIENCE_S)
    wait_for_gone(pids, PATIENCE_S)


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("seconds", [0.0, 0.1, 0.3, 0.6, 1.0])
def test_interrupted_while_workers_start(
    small: Path, tmp_path: Path, workers: str, seconds: float
) -> None:
    running = start(tmp_path, "run", str(small), *LONG, "--workers", workers)
    wait_for_cells(tmp_path / "out", 0)
    while not (tmp_path / "out" / ".lock").exists():
        time.sleep(0.001)
    time.sleep(seconds)
    pids = descendants(running.pid)
    os.killpg(running.pid, signal.SIGINT)
    complaint = ended(running, PATIENCE_S)
    assert complaint.count("\n") == 1
    assert "penstock: interrupted" in complaint
    wait_for_gone(pids, PATIENCE_S)


ORPHAN = """
from concurrent.futures import BrokenExecutor
from multiprocessing import resource_tracker, synchronize

import _multiprocessing
from penstock.runs import processes

forget = lambda name: resource_tracker.unregister(name, "semaphore")
synchronize.SemLock._cleanup = staticmethod(forget)
with processes.starting():
    workers = processes.executor(2)
    _multiprocessing.sem_unlink(workers._call_queue._rlock._semlock.name)
    task = workers.submit(int)
try:
    task.result()
except BrokenExecutor:
    print("the worker died")
"""


def test_a_worker_whose_run_has_ended_says_nothing() -> None:
    """The run's semaphores are gone before the worker has opened them."""
    done = subprocess.run(
        [sys.executable, "-c", ORPHAN], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "the worker died\n", "")


def test_a_worker_that_the_machine_refuses_says_why() -> None:
    program = "import penstock.runs.worker_server; raise OSError(24, 'Too many open files')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    says = "penstock: a worker cannot start: Too many open files; try fewer --workers\n"
    assert done.stderr == says


@pytest.mark.parametrize("module", MODULES)
def test_interrupted_while_it_loads(small: Path, tmp_path: Path, module: str) -> None:
    running = start(tmp_path, "run", str(small), *LONG, python=("-X", "importtime"))
    assert running.stderr is not None
    for line in running.stderr:
        if line.rstrip().endswith(f" {module}"):
            break
    os.killpg(running.pid, signal.SIGINT)
    rest = [line for line in ended(running, PATIENCE_S).splitlines() if "import time:" not in line]
    assert rest == ["penstock: interrupted"]


LISTING = """
import os, signal, sys
import penstock.__main__ as command
from penstock.scenario import read
sys.argv = ["penstock", "list"]
read.shipped = lambda: os.kill(os.getpid(), signal.SIGINT)
command.main()
"""


# As pydantic does where the exception comes in a serializer of ours.
TRANSLATED = """
def shipped():
    try:
        os.kill(os.getpid(), signal.SIGINT)
    except KeyboardInterrupt as error:
        raise ValueError("a callback failed") from error
read.shipped = shipped
"""


# As dataclasses does, when a module with one is loaded.
IN_A_STRING = """
read.shipped = lambda: exec("os.kill(os.getpid(), signal.SIGINT)")
"""

# As typer makes the command of its functions, before it provides for Ctrl-C itself.
BEFORE_IT_RUNS = """
import typer.main
typer.main.get_command = lambda _: os.kill(os.getpid(), signal.SIGINT)
"""

# As it opens its output.
BEFORE_ANYTHING = """
from penstock.cli import stdio
stdio.prepare = lambda: os.kill(os.getpid(), signal.SIGINT)
"""


@pytest.mark.parametrize(
    "shipped",
    ["", TRANSLATED, IN_A_STRING, BEFORE_IT_RUNS, BEFORE_ANYTHING],
    ids=["plain", "translated", "in a string", "before it runs", "before anything"],
)
def test_interrupted_without_a_run(tmp_path: Path, shipped: str) -> None:
    program = LISTING.replace("command.main()", shipped + "command.main()")
    (tmp_path / "listing.py").write_text(program)
    done = subprocess.run(
        [sys.executable, "-m", "listing"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (Exit.INTERRUPTED, "penstock: interrupted\n")


RUNNING = """
import os, signal
from penstock.runs.campaign import Campaign
from penstock.results.store import Store
def interrupt(*_):
    os.kill(os.getpid(), signal.SIGINT)
def fail(*_):
    try:
        interrupt()
    except KeyboardInterrupt:
        pass
    raise ValueError("a callback failed")
def swallow(*_):  # as Python does where the exception comes in a finalizer
    try:
        interrupt()
    except KeyboardInterrupt:
        pass
"""
ANYWHERE = {
    "starting": "Campaign.run = interrupt",
    "storing": "Store.save = interrupt",
    "translated": "Store.save = fail",
    "swallowed": "Store.save = swallow",
    "between runs": "from penstock.runs import rounds; rounds.joined = interrupt",
    "finishing": "Store.finish = interrupt",
    "closing": "from penstock.runs.workers import Pool; Pool.close = interrupt",
    "asking": "Store.keep_search = interrupt",
}


CASES = [(place, ["run"], "out") for place in ANYWHERE if place != "asking"]
CASES += [
    ("starting", ["demo"], "out"),
    *((place, ["capacity"], "out") for place in ("starting", "storing", "translated", "closing")),
    ("asking", ["capacity"], "out"),
    *((place, ["recommend"], "out") for place in ("storing", "between runs", "finishing")),
    *((place, ["agree", "--quick"], "out/small.toml/sim") for place in ("storing", "finishing")),
]


@pytest.mark.parametrize(
    ("place", "verb", "folder"), CASES, ids=[f"{verb[0]}, {place}" for place, verb, _ in CASES]
)
def test_interrupted_anywhere(
    small: Path, tmp_path: Path, place: str, verb: list[str], folder: str
) -> None:
    what = [] if verb == ["demo"] else [small.name]
    done = command(
        *(*verb, *what, "--workers", "1", "-o", "out"),
        cwd=tmp_path,
        first=RUNNING + ANYWHERE[place],
    )
    says = f"penstock: interrupted; finished runs are in {folder}: repeat the command to continue"
    assert (done.returncode, done.stderr.splitlines()[-1]) == (Exit.INTERRUPTED, says)
    assert "Traceback" not in done.stderr
    assert verb == ["demo"] or done.stderr.count("\n") <= 2  # a note on receivers may precede


def test_no_worker_outlives_a_killed_run(small: Path, tmp_path: Path) -> None:
    running = start(tmp_path, "run", str(small), *LONG, "--workers", "2")
    wait_for_cells(tmp_path / "out", 3)
    until(lambda: len(descendants(running.pid)) >= 4)  # a server, a tracker and two workers
    pids = descendants(running.pid)
    running.kill()
    running.communicate()
    wait_for_gone(pids, PATIENCE_S)
