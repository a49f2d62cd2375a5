# SPDX-License-Identifier: GPL-2.0-only
"""A machine that does not keep time makes a live test skipped, and never red or green."""

import subprocess
import sys
import time
from pathlib import Path

import live_support
import patience
import pytest
from live_support import ended, environment

from penstock.runs.live.busy import SAID, BusyError

TESTS = """
import time

import patience
import pytest

from penstock.runs.live.busy import BusyError

tried = {"always": 0, "once": 0, "setup": 0, "wrong": 0}

def busy(name, until):
    tried[name] += 1
    if tried[name] <= until:
        raise BusyError("packets left late")

@pytest.fixture
def folder(tmp_path):
    (tmp_path / "new").mkdir()  # fails if a try starts from what another left

def test_always(folder):
    busy("always", 99)

def test_now_and_then(folder):
    busy("once", patience.TRIES - 1)

@pytest.fixture
def slow():
    busy("setup", 1)

def test_in_a_fixture(slow):
    pass

def test_that_is_wrong():
    tried["wrong"] += 1
    assert not tried["wrong"]

def test_counts():
    assert tried == {"always": patience.TRIES, "once": patience.TRIES, "setup": 2, "wrong": 1}
"""


def test_it_is_tried_again_and_skipped_in_the_end(tmp_path: Path) -> None:
    """But a test that fails for another reason fails at once."""
    path = tmp_path / "test_one.py"
    path.write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-p", "patience", "-p", "no:cacheprovider", "-rfs"]
    own = {**environment(), "PYTHONPATH": str(Path(patience.__file__).parent)}
    done = subprocess.run(
        [*command, "-c", "/dev/null", str(path)],
        capture_output=True,
        text=True,
        check=False,
        env=own,
        cwd=tmp_path,
    )
    assert "1 failed, 3 passed, 1 skipped" in done.stdout, done.stdout + done.stderr
    assert f"packets left late; {SAID} ({patience.TRIES} times)" in done.stdout
    assert "FAILED test_one.py::test_that_is_wrong" in done.stdout


LATE = """
import sys
from penstock.runs.live import run
run._LATE_P99_US = -1
from penstock import cli
sys.argv[0] = "penstock"
cli.main()
"""


@pytest.mark.usefixtures("machine")
def test_a_run_of_one_cell_that_is_late_is_busy(
    scenario: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a whole run says it, whose exit code is that of any failure."""
    monkeypatch.setattr(live_support, "PENSTOCK", [sys.executable, "-c", LATE])
    with pytest.raises(BusyError, match=f"packets left late by more than .* {SAID}"):
        ended(scenario, "--set", "time.limit=2s")


def late_by_60_ms() -> None:
    with patience.timed():
        time.sleep(0.05)  # long enough for the witness to look
        raise AssertionError("60 ms")


def test_a_wrong_time_is_the_machines_if_that_was_late(monkeypatch: pytest.MonkeyPatch) -> None:
    for late_s, error in ((0.0, BusyError), (9.0, AssertionError)):
        monkeypatch.setattr(patience, "_LATE_ONCE_S", late_s)
        monkeypatch.setattr(patience, "_LATE_OFTEN_S", late_s)
        with pytest.raises(error, match="60 ms"):
            late_by_60_ms()
