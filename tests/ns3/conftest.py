# SPDX-License-Identifier: GPL-2.0-only
"""The ns-3 module, built with its test suite and example; skipped with the reason without ns-3."""

import subprocess
from pathlib import Path

import pytest

from penstock.backends import ns3_runner
from penstock.errors import UserError


@pytest.fixture(scope="session")
def runner() -> Path:
    """The runner of the ns-3 backend, compiled if need be."""
    try:
        return ns3_runner.path()
    except UserError as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="session")
def module(runner: Path) -> Path:
    """A build of the whole module, kept beside the runner."""
    build = ns3_runner.folder() / "tests"
    configure = ns3_runner.configure(build, tests=True)
    subprocess.run(configure, check=True, capture_output=True)
    targets = ["penstock-tests", "penstock-dumbbell"]
    done = subprocess.run(
        [configure[0], "--build", str(build), "--target", *targets],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    return build
