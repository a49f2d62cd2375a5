# SPDX-License-Identifier: GPL-2.0-only
"""XCP beside TCP on the way from the shipped scenario to the results."""

from pathlib import Path

import polars as pl
import pytest
from lab_support import Run, head, network

SHORT = ("--seeds", "1", "-n", "4", "--set", "time.limit=60s", "--set", "time.warm_up=30s")
TWO = (
    head("Two sorts of senders", receivers="4MB", methods=["droptail", "xcp_tcp"])
    + f"""\

{network("100kB")}
[tcp.xcp]
from = "senders"
to = "receivers"
size = "2MB"
congestion = "xcp_sender"

[tcp.classic]
from = "senders"
to = "receivers"
size = "2MB"
congestion = "newreno"
"""
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "two.toml"
    path.write_text(TWO)
    return path


def test_two_queues_give_both_kinds_the_same_and_one_gives_tcp_all(
    tmp_path: Path, penstock: Run
) -> None:
    done = penstock("run", "traffic/xcp-beside-tcp", *SHORT, "-o", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    flows = pl.read_parquet(tmp_path / "out" / "flows.parquet")
    means = flows.group_by("method", "group").agg(pl.col("goodput_mbps").mean())
    rate = {(row["method"], row["group"]): row["goodput_mbps"] for row in means.to_dicts()}
    ratio = rate["xcp_tcp", "xcp"] / rate["xcp_tcp", "newreno"]
    assert 0.87 < ratio < 1.15
    assert rate["xcp_tcp", "xcp"] > 5
    assert rate["xcp_beside", "xcp"] < 0.05 * rate["xcp_beside", "newreno"]


def test_a_router_with_weights_is_one_of_xcp(file: Path, penstock: Run) -> None:
    """XCP's sender gets feedback there, and loses nothing."""
    folder = file.parent / "out"
    done = penstock("run", file, "-o", folder)
    assert done.returncode == 0, done.stderr
    flows = pl.read_parquet(folder / "flows.parquet").filter(group="xcp")
    again = flows.group_by("method").agg(pl.col("retransmissions").sum())
    by_method = {row["method"]: row["retransmissions"] for row in again.to_dicts()}
    assert by_method["xcp_tcp"] == 0 < by_method["droptail"]


def test_ns3_has_one_queue(file: Path, penstock: Run) -> None:
    sets = ("--set", "tcp.xcp.congestion=newreno")
    done = penstock("run", file, "-m", "xcp_tcp", "--backend", "ns3", *sets)
    assert done.returncode == 69
    assert "xcp_tcp needs several queues, and ns-3 has none like it" in done.stderr
