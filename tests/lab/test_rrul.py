# SPDX-License-Identifier: GPL-2.0-only
"""flent's rrul_be in the simulator: what an upload does to downloads, and what cures it."""

import json

from lab_support import Run


def _use(penstock: Run, method: str, *options: str) -> float:
    done = penstock(
        "run",
        "live/rrul-be",
        "-m",
        method,
        "--seeds",
        "1",
        "--set",
        "time.limit=20s",
        "-j",
        *options,
    )
    assert done.returncode == 0, done.stderr
    row = json.loads(done.stdout)
    assert {group["group"] for group in row["groups"]} == {"bulk", "up"}
    return float(row["utilisation_percent"])


def test_a_long_queue_upstream_costs_downloads(penstock: Run) -> None:
    assert _use(penstock, "droptail") < 85
    assert _use(penstock, "fq_codel") > 98
    # Why not all of it: docs/papers/penstock-target.md.
    assert _use(penstock, "penstock") > 75
    assert _use(penstock, "penstock", "--set", "method.penstock.target_ns=15ms") > 97
