# SPDX-License-Identifier: GPL-2.0-only
"""More flows than segments: what ACKs that are delayed make of it (scenarios/law)."""

import json
import statistics
from typing import Any

import pytest
from lab_support import Run


def _row(penstock: Run, *more: str, name: str = "beyond-served") -> dict[str, Any]:
    options = ("-m", "penstock", "--seeds", "1", "-j", "--workers", "1")
    done = penstock("run", f"law/{name}", *options, *more)
    assert done.returncode == 0, done.stderr
    row: dict[str, Any] = json.loads(done.stdout.splitlines()[0])
    return row


def _means(penstock: Run, *command: str) -> dict[str, float]:
    done = penstock("run", *command)
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return {
        column: statistics.fmean(row[column] for row in rows)
        for column in ("drops", "timeouts", "utilisation_percent")
    }


@pytest.mark.parametrize("flows", ["330", "400"])
def test_twice_as_many_flows_as_segments_lose_hardly_anything(penstock: Run, flows: str) -> None:
    row = _row(penstock, "-n", flows)
    assert row["loss_percent"] <= 0.1
    assert row["jain"] > 0.9
    assert row["utilisation_percent"] > 99


def test_ten_times_as_many_keep_the_queue_off_its_limit(penstock: Run) -> None:
    row = _row(penstock, "--set", "time.limit=40s", name="beyond-grid")
    assert row["loss_percent"] <= 0.1
    assert row["jain"] >= 0.9
    assert row["utilisation_percent"] >= 98


def test_without_it_the_queue_overflows(penstock: Run) -> None:
    row = _row(penstock, "-n", "400", "--set", "gateway.r1.beyond=none")
    assert row["loss_percent"] > 5


def test_where_flows_fit_only_those_that_open_wait(penstock: Run) -> None:
    rows = [
        _row(penstock, "-n", "60", "--set", f"gateway.r1.beyond={beyond}")
        for beyond in ("none", "pace-acks")
    ]
    assert rows[1]["goodput_mbps"] == pytest.approx(rows[0]["goodput_mbps"], rel=0.002)
    assert rows[1]["drops"] == 0


# Each seed of pages has 12 or 13 drops, so it takes several to see a change.
@pytest.mark.parametrize(("name", "drops", "timeouts"), [("arrivals", 0, 0), ("pages", 12.8, 10.8)])
def test_first_flights_that_wait_find_room(
    penstock: Run, name: str, drops: float, timeouts: float
) -> None:
    options = ("-m", "penstock", "--seeds", "5", "-j", "--workers", "1")
    none, paced = (
        _means(penstock, f"law/{name}", *options, "--set", f"gateway.left.beyond={beyond}")
        for beyond in ("none", "pace-acks")
    )
    assert paced["drops"] <= drops < none["drops"]
    assert paced["timeouts"] <= timeouts < none["timeouts"]
    assert paced["utilisation_percent"] > none["utilisation_percent"] - 1
