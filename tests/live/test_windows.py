# SPDX-License-Identifier: GPL-2.0-only
"""Receivers that autotune: the running kernel's windows over time are the simulator's."""

import os
import re
import subprocess
from pathlib import Path

import polars
import pytest
from live_support import PENSTOCK, SCENARIO, environment

FROM = (6, 18)  # has the rule that rcvbuf_slow_start is
TAP_RATIO = 170  # of 256: a segment takes 2176 bytes of memory from a TAP device
# NewReno's slow start is the same here and in Linux, and no queue ends it.
GROWING = (
    SCENARIO.replace("flows = [4]", "flows = [1]")
    .replace(
        'rate = "20mbit"\ndelay = "10ms"\nqueue = "60kB"',
        'rate = "40mbit"\ndelay = "50ms"\nqueue = "20MB"',
    )
    .replace(
        'size = "1500kB"\nstart = "0s..100ms"', 'size = "1GB"\nstart = "0s"\ncongestion = "newreno"'
    )
    .replace(
        'limit = "30s"', 'limit = "5s"\n\n[sample]\ninterval = "10ms"\nflows = 1\nuntil = "5s"'
    )
)
HOSTS = ("--set", "tcp.bulk.window_max=32MiB")
RULE = (f"tcp.bulk.scaling_ratio={TAP_RATIO}", "tcp.bulk.rcvbuf_slow_start=true")


def windows(scenario: Path, folder: Path, *options: str) -> dict[float, int]:
    """What the sender knows of the receiver's window, by time."""
    command = [*PENSTOCK, "run", scenario, *HOSTS, *options, "-o", folder]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    series = polars.read_parquet(folder / "series.parquet")
    return {
        round(time, 2): own[0]
        for time, own in zip(series["time_s"], series["send_window_bytes"], strict=True)
    }


def mean(found: dict[float, int]) -> float:
    """Over the time in which the window grows to its maximum, and half a second of that."""
    grown = [window for time, window in found.items() if 1 <= time <= 4.5]
    return sum(grown) / len(grown)


@pytest.mark.usefixtures("machine")
def test_windows_grow_as_those_of_the_running_kernel(tmp_path: Path) -> None:
    release = tuple(int(each) for each in re.findall(r"\d+", os.uname().release)[:2])
    if release < FROM:
        pytest.skip(f"Linux {release[0]}.{release[1]} has the rule of linux-6")
    scenario = tmp_path / "growing.toml"
    scenario.write_text(GROWING)
    rule = [word for each in RULE for word in ("--set", each)]
    ours = windows(scenario, tmp_path / "sim", *rule)
    theirs = windows(scenario, tmp_path / "live", "--backend", "live")
    older = windows(scenario, tmp_path / "older", "--set", f"tcp.bulk.scaling_ratio={TAP_RATIO}")
    # Which segments a measured round trip begins and ends with differs from run to run, and with
    # them when a window takes its next step, a round trip earlier or later.
    assert mean(ours) == pytest.approx(mean(theirs), rel=0.1)
    assert mean(older) < mean(theirs) / 2, "the rule of linux-6"
    assert ours[4.9] == pytest.approx(theirs[4.9], rel=0.01), "the largest window"
    assert ours[0.1] == theirs[0.1] or ours[0.2] == theirs[0.2], "the first window"
