# SPDX-License-Identifier: GPL-2.0-only
"""The simulator gives the same bytes, whichever compiler has built it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from penstock import _native
from penstock.scenario import params

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
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
        pytest.skip(
            "build/clang holds no module (run_tests.py builds it where clang-14 is installed)"
        )
    return str(FOREIGN[0])


def printed(program: str, *arguments: str) -> str:
    """What a program of this folder prints."""
    command = [sys.executable, str(HERE / program), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout


def rows(native: str, *arguments: str) -> list[str]:
    """The rows of a run as they are printed, without the time that the machine took."""
    text = printed("with_native.py", native, "run", *arguments, "--workers", "1", "-j")
    return re.sub(r', "wall_s": [0-9.e-]+', "", text).splitlines()


@pytest.mark.parametrize("run", RUNS, ids=" ".join)
def test_rows_are_the_same(foreign: str, run: tuple[str, ...]) -> None:
    methods = list(params.methods())
    arguments = [*run, "-m", ",".join(methods), "--seeds", "1"]
    ours = rows(_native.__file__, *arguments)
    assert len(ours) >= len(methods)
    assert rows(foreign, *arguments) == ours


def test_decisions_are_the_same(foreign: str) -> None:
    ours = printed("decisions.py", _native.__file__)
    assert len(ours.splitlines()) == len(params.methods())
    assert printed("decisions.py", foreign) == ours
