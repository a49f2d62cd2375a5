# SPDX-License-Identifier: GPL-2.0-only
"""The lab of penstock-gw's tests, or the reason why there is none."""

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from controls import Controls, controls_of
from feeds import Feed
from gateway_lab import TOOL, Lab
from patience import pytest_runtest_makereport, pytest_runtest_protocol

__all__ = ["pytest_runtest_makereport", "pytest_runtest_protocol"]

Record = Callable[..., None]


@pytest.fixture
def record(request: pytest.FixtureRequest) -> Record:
    """Adds what a test measured to the file PENSTOCK_MEASURED, a line of JSON each."""

    def write(**values: float) -> None:
        if path := os.environ.get("PENSTOCK_MEASURED"):
            with Path(path).open("a") as file:
                file.write(json.dumps({"test": request.node.nodeid, **values}) + "\n")

    return write


@pytest.fixture
def feed(tmp_path: Path) -> Feed:
    """OpenWrt's packages."""
    return Feed(tmp_path)


@pytest.fixture
def lab() -> Iterator[Lab]:
    """A fresh lab; skips where there cannot be one."""
    if os.geteuid():
        pytest.skip("network namespaces need root")
    if not TOOL.exists():
        pytest.skip("penstock-gw is not built: clang, bpftool or libbpf is missing")
    if not shutil.which("tc"):
        pytest.skip("tc(8) is not installed")
    one = Lab()
    try:
        one.up()
    except AssertionError as error:
        one.down()
        pytest.skip(f"no network namespaces here: {error}")
    yield one
    one.down()


@pytest.fixture
def controls(lab: Lab) -> Iterator[Controls]:
    """None of the tool's congestion controls is loaded before, none after."""
    with controls_of(lab) as one:
        yield one
