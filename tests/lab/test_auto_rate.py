# SPDX-License-Identifier: GPL-2.0-only
"""A gateway that measures the link's rate, on links that are not what it would be told."""

import json
from pathlib import Path
from typing import Any

import pytest
from lab_support import Run

AUTO = ("--set", "gateway.left.rate=auto")


def _row(penstock: Run, case: str, method: str, *more: str) -> dict[str, Any]:
    options = ("--seeds", "1", "-j", "--workers", "1", *more)
    done = penstock("run", f"law/{case}", "-m", method, *options)
    assert done.returncode == 0, done.stderr
    row: dict[str, Any] = json.loads(done.stdout.splitlines()[0])
    return row


# `share` has no feedback from the queue: it is as good as the rate that it takes for the link's.
def test_a_capacity_that_doubles_is_found(penstock: Run) -> None:
    assert _row(penstock, "capacity-doubled", "share")["utilisation_percent"] < 65
    measured = _row(penstock, "capacity-doubled", "share", *AUTO)
    assert measured["utilisation_percent"] > 99
    assert measured["drops"] == 0


def test_a_rate_told_wrong_does_not_count(penstock: Run) -> None:
    assert _row(penstock, "rate-double", "share")["drops"] > 50
    for case in ("rate-half", "rate-double"):
        measured = _row(penstock, case, "share", *AUTO)
        assert measured["drops"] == 0
        assert measured["utilisation_percent"] > 99


# `quiet` is measured from its start, where an empty queue of 5 ms bounds the error:
# docs/papers/penstock.md.
@pytest.mark.parametrize(
    ("case", "utilisation"),
    [("capacity-halved", 98), ("capacity-doubled", 98), ("long-path", 98), ("quiet", 94)],
)
def test_penstock_needs_no_rate(penstock: Run, case: str, utilisation: float) -> None:
    measured = _row(penstock, case, "penstock", *AUTO)
    assert measured["drops"] == 0
    assert measured["utilisation_percent"] > utilisation


def test_on_lte_it_is_faster_than_codel_at_less_delay(penstock: Run, tmp_path: Path) -> None:
    trace = tmp_path / "lte.txt"
    assert penstock("trace", "lte", "-o", str(trace)).returncode == 0
    link = {"trace": str(trace), "rate": "12mbit", "queue": "200kB"}
    sets = [f"link.bottleneck.{key}={value}" for key, value in link.items()]
    sets += ["time.limit=40s", "gateway.left.rate=auto", "penstock.target_bytes=15000"]
    rows = {}
    for method in ("codel", "penstock"):
        mine = sets if method == "penstock" else sets[:-1]
        more = [part for one in mine for part in ("--set", one)]
        options = ("-m", method, "-n", "1", "--receivers", "auto", "-j", "--workers", "1")
        done = penstock("run", "live/grid", *options, *more)
        assert done.returncode == 0, done.stderr
        rows[method] = json.loads(done.stdout.splitlines()[0])
    assert rows["penstock"]["goodput_mbps"] > 1.3 * rows["codel"]["goodput_mbps"]
    assert rows["penstock"]["queue_delay_ms_p99"] < rows["codel"]["queue_delay_ms_p99"]


def test_any_other_rate_of_a_gateway_is_an_error(penstock: Run) -> None:
    done = penstock("run", "live/grid", "-m", "share", "--set", "gateway.left.rate=20mbit")
    assert done.returncode == 2
    assert done.stderr == "penstock: --set gateway.left.rate: '20mbit' is not one of 'auto'\n"
