# SPDX-License-Identifier: GPL-2.0-only
"""The ns-3 module, built with its test suite and examples; skipped with the reason without ns-3."""

import fcntl
import subprocess
import sys
from pathlib import Path

import pytest

from penstock.runs.backends import ns3_runner

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).parent))  # for ns3_ends.py


@pytest.fixture(scope="session")
def module(runner: Path) -> Path:
    """A build of the whole module, kept in this checkout; one worker builds, others wait."""
    build = ROOT / "build" / "ns3"
    build.mkdir(parents=True, exist_ok=True)
    configure = ns3_runner.configure(build, tests=True)
    targets = ["penstock-tests", "penstock-dumbbell", "penstock-freeze"]
    with (build / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for command in (configure, [configure[0], "--build", str(build), "--target", *targets]):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    return build
