# SPDX-License-Identifier: GPL-2.0-only
"""Responsiveness and quality of outcome, against values by hand."""

import json
from pathlib import Path

import numpy as np
import polars
import pytest
from lab_support import SMALL, Run

from penstock import _native, columns
from penstock.plan.build import build
from penstock.plan.cells import Cell
from penstock.plan.network import Network, Wire
from penstock.plan.paths import Paths, round_trips_ns
from penstock.runs.backends import sim_network
from penstock.scenario.read import read

NONE = [0.0] * 101


def test_the_example_of_the_draft() -> None:
    # draft-ietf-ippm-qoo, section "Example": latency 50 and 75, loss 75.
    scores = [_native.need_met(*each) for each in ((200, 500, 350), (300, 600, 375), (1, 5, 2))]
    assert scores == pytest.approx([0.5, 0.75, 0.75])


@pytest.mark.parametrize(
    ("trip_ms", "wait_ms", "loss", "score"),
    [
        (20, 80, 0.1, 100),  # all at the optimum
        (20, 10, 0.0, 100),
        (20, 180, 0.0, 0),  # useless
        (20, 130, 0.0, 50),  # latency decides: 1 - 50 / 100
        (20, 130, 1.525, 25),  # loss decides: 1 - 1.425 / 1.9
        (900, 0, 9, 0),
    ],
)
def test_scores_by_hand(trip_ms: float, wait_ms: float, loss: float, score: float) -> None:
    # One packet of a hundred waits longer, and counts for nothing.
    waits_ms = [wait_ms] * 100 + [1e6]
    assert _native.qoo_percent(trip_ms, waits_ms, loss) == pytest.approx(score)


def test_round_trips_per_minute_by_hand() -> None:
    # 60 ms are 1,000 a minute and 30 ms 2,000.
    assert [_native.rpm(trip, NONE) for trip in (60, 30)] == pytest.approx([1000, 2000])
    # Uniform from 0 to 100: the least 95 % are uniform from 0 to 95.
    assert _native.rpm(12.5, [float(k) for k in range(101)]) == pytest.approx(1000)
    # An outlier among the longest 5 % counts for nothing.
    assert _native.rpm(20, [10.0] * 96 + [1e6] * 5) == pytest.approx(2000)


def test_a_distribution_has_all_percentiles() -> None:
    with pytest.raises(ValueError, match="3 percentiles, not 101"):
        _native.rpm(20, [1.0, 2.0, 3.0])


def test_a_run_has_them(penstock: Run, tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    usual = ("-m", "droptail", "--receivers", "auto", "--seeds", "1", "-o", tmp_path / "out")
    done = penstock("run", path, *usual, "-j")
    assert done.returncode == 0, done.stderr
    row = json.loads(done.stdout)

    delays = polars.read_parquet(tmp_path / "out" / "delays.parquet")["delay_ms"].to_list()
    assert len(delays) == 101
    # 1 + 20 + 1 ms in each direction, and 40 bytes over 100, 10 and 100 Mbit/s: 38.4 us.
    trip_ms = 2 * (22 + 0.0384)
    mean_ms = (sum(delays[1:95]) + (delays[0] + delays[95]) / 2) / 95
    assert row["rpm"] == pytest.approx(60_000 / (trip_ms + mean_ms), rel=1e-4)
    latency = min(max(1 - (trip_ms + delays[99] - 100) / 100, 0), 1)
    loss = min(max(1 - (row["loss_percent"] - 0.1) / 1.9, 0), 1)
    assert row["qoo_percent"] == pytest.approx(100 * min(latency, loss), abs=0.01)


@pytest.mark.parametrize(
    "name", ["link", "law/hosts", "law/long-path", "law/series", "hidden/step"]
)
def test_a_round_trip_is_that_of_a_handshake(name: str) -> None:
    """The simulator finds its routes itself."""
    scenario = read(name).scenario
    cell = Cell(scenario, "droptail", "safe", "auto", 1, 1)
    built = build(cell)
    links = _native.Links(1, 1)
    links.put(0, sim_network.make(built.network), built.measured)
    out, srtt = np.zeros((1, links.looks)), _native.FLOW_LOOKS.index("srtt_ns")
    for _ in range(20_000):
        links.step(1_000_000, out=out)
        srtt_ns = out[0, len(_native.LINK_LOOKS) + srtt]
        if srtt_ns:
            break
    # A SYN and its answer have options: some 20 bytes more.
    trips = round_trips_ns(built.network, built.measured)
    assert srtt_ns == pytest.approx(trips[0], rel=0.02)


def test_ways_have_the_fewest_links() -> None:
    # 0 - 1 - 2 - 3, and 0 - 3 beside: the ring's shorter side, and of two equal ones the first.
    pairs = [(0, 1), (1, 2), (2, 3), (3, 0)]
    wires = [Wire(a, b, 1_000_000) for x, y in pairs for a, b in ((x, y), (y, x))]
    paths = Paths(Network(1, nodes=["a", "b", "c", "d"], links=wires, traffic=[]))
    assert paths.way(0, 3) == [7]
    assert paths.way(0, 2) == [0, 2]
    assert paths.way(2, 0) == [3, 1]


def test_more_is_better() -> None:
    assert columns.BY_NAME["rpm"].better == columns.BY_NAME["qoo_percent"].better == "high"
