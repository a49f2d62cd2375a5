# SPDX-License-Identifier: GPL-2.0-only
"""Fixtures of the live lab's tests."""

import fcntl
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import live_support
from patience import pytest_runtest_makereport, pytest_runtest_protocol

__all__ = ["pytest_runtest_makereport", "pytest_runtest_protocol"]


@pytest.fixture
def programs() -> None:
    """The programs of the live lab."""
    for name in ("penstock-link", "penstock-load"):
        if live_support.find(name) is None:
            pytest.skip(f"{name} is not installed")


@pytest.fixture
def machine(programs: None) -> Iterator[None]:
    """The whole machine: root, and no other live test at the same time."""
    if os.geteuid() != 0:
        pytest.skip("live tests make network namespaces: not root")
    if not Path("/dev/net/tun").exists():
        pytest.skip("the kernel has no /dev/net/tun")
    path = Path(tempfile.gettempdir()) / "penstock-live-tests.lock"
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture
def gateway(machine: None) -> None:
    """penstock-gw, and a kernel that it works with."""
    if live_support.find("penstock-gw") is None:
        pytest.skip("penstock-gw is not built")
    if not Path("/sys/kernel/btf/vmlinux").exists():
        pytest.skip("the kernel has no BTF")


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    """A scenario of three seconds."""
    path = tmp_path / "live.toml"
    path.write_text(live_support.SCENARIO)
    return path
