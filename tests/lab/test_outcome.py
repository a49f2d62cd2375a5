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
from penstock.results import outcome
from penstock.results.outcome import Requirement
from penstock.runs.backends import sim_network
from penstock.scenario.read import read

DRAFT = Requirement({99: 200, 99.9: 300}, {99: 500, 99.9: 600}, 1, 5, least_mbps=4)


def test_the_example_of_the_draft() -> None:
    # draft-ietf-ippm-qoo, section "Example": latency 50 and 75, loss 75, throughput enough.
    assert outcome.qoo_percent(DRAFT, {99: 350, 99.9: 375}, 2, 28) == pytest.approx(50)


@pytest.mark.parametrize(
    ("latency_ms", "loss", "mbps", "score"),
    [
        ({99: 200, 99.9: 300}, 1, 4, 100),  # all at the optimum
        ({99: 100, 99.9: 600}, 0, 9, 0),  # one percentile is useless
        ({99: 100, 99.9: 200}, 4, 9, 25),  # loss decides: 1 - 3 / 4
        ({99: 100, 99.9: 200}, 0, 3.9, 0),  # not enough throughput
        ({99: 900, 99.9: 999}, 9, 9, 0),
    ],
)
def test_scores_by_hand(
    latency_ms: dict[float, float], loss: float, mbps: float, score: float
) -> None:
    assert outcome.qoo_percent(DRAFT, latency_ms, loss, mbps) == pytest.approx(score)


def test_trimmed_mean_by_hand() -> None:
    # Uniform from 0 to 100: the least 95 % are uniform from 0 to 95.
    assert outcome.trimmed_mean([float(k) for k in range(101)]) == pytest.approx(47.5)
    # An outlier among the longest 5 % counts for nothing.
    assert outcome.trimmed_mean([10.0] * 96 + [1e6] * 5) == pytest.approx(10)


def test_round_trips_per_minute_by_hand() -> None:
    # 60 ms are 1,000 a minute and 30 ms 2,000.
    assert outcome.rpm([60, 30]) == pytest.approx(1500)


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
