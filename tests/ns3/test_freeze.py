# SPDX-License-Identifier: GPL-2.0-only
"""Freeze-TCP in ns-3, beside the simulator's scenario of the same cells and files."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lab"))

from test_mobility import CELLS, FREEZE

pytestmark = pytest.mark.nightly


def in_ns3(module, freeze):
    """The slower file's seconds, and the timeouts and segments sent again of both."""
    command = [str(module / "penstock-freeze"), f"--freeze={freeze}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = re.findall(r"([\d.]+) s, (\d+) timeouts, (\d+) segments again\n", done.stdout)
    assert len(found) == 2, done.stdout
    seconds, timeouts, again = zip(*found, strict=True)
    return max(map(float, seconds)), sum(map(int, timeouts)), sum(map(int, again))


def in_the_simulator(folder):
    """The same by the value of mobility.freeze."""
    file = folder / "cells.toml"
    file.write_text(CELLS)
    command = [sys.executable, "-m", "penstock", "run", str(file), *FREEZE, "-j"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    names = ("transfer_s_max", "timeouts", "retransmissions")
    return {row["mobility.freeze"]: tuple(row[name] for name in names) for row in rows}


def test_a_frozen_sender_loses_nothing_in_ns3_either(module, tmp_path):
    ours = in_the_simulator(tmp_path)
    for freeze in ("false", "true"):
        seconds, timeouts, again = in_ns3(module, freeze)
        assert seconds == pytest.approx(ours[freeze][0], rel=0.1)
        assert (timeouts > 0, again > 0) == (freeze == "false", freeze == "false")
        assert (ours[freeze][1] > 0, ours[freeze][2] > 0) == (timeouts > 0, again > 0)
