# SPDX-License-Identifier: GPL-2.0-only
"""The simulator gives the same bytes, whichever compiler has built it."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WITH_NATIVE = Path(__file__).with_name("with_native.py")
FOREIGN = sorted((ROOT / "build" / "clang").glob("_native*.so"))
RUNS = (
    ("ewt-2019/scenario-1", "-n", "8", "--set", "tcp.file.size=500kB"),
    ("ewt-2019/scenario-2", "-n", "4", "--mode", "safe"),
    (
        *("ewt-2019/scenario-1", "-n", "4", "--set", "tcp.file.size=500kB"),
        *("--set", "tcp.file.congestion=newreno", "--set", "tcp.file.sack=false"),
    ),
)


@pytest.fixture(scope="module")
def foreign() -> str:
    """The extension that clang has built."""
    if not FOREIGN:
        pytest.skip("clang++-14 is not installed: no second build of the simulator")
    return str(FOREIGN[0])


def penstock(*arguments: str, native: str = "") -> str:
    """What the command prints; with another build of the simulator if `native` names one."""
    program = [str(WITH_NATIVE), native] if native else ["-m", "penstock"]
    command = [sys.executable, *program, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout


def methods() -> list[str]:
    """The names of all gateway methods."""
    rows = [json.loads(line) for line in penstock("methods", "-j").splitlines()]
    return [row["name"] for row in rows if row["kind"] == "gateway"]


def rows(*arguments: str, native: str = "") -> list[str]:
    """The rows of a run as they are printed, without the time that the machine took."""
    text = penstock("run", *arguments, "--workers", "1", "-j", native=native)
    return re.sub(r', "wall_s": [0-9.e-]+', "", text).splitlines()


@pytest.mark.parametrize("run", RUNS, ids=" ".join)
def test_rows_are_the_same(foreign: str, run: tuple[str, ...]) -> None:
    arguments = [*run, "-m", ",".join(methods()), "--seeds", "1"]
    ours = rows(*arguments)
    assert len(ours) >= len(methods())
    assert rows(*arguments, native=foreign) == ours


def test_decisions_are_the_same(foreign: str) -> None:
    for method in methods():
        arguments = ["explain", method, "--queue", "50000", "--window", "60000", "-j"]
        ours = penstock(*arguments)
        assert penstock(*arguments, native=foreign) == ours, method
