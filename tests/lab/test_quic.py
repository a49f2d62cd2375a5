# SPDX-License-Identifier: GPL-2.0-only
"""Groups of QUIC connections on their way from the scenario to the columns."""

import dataclasses
import json
from pathlib import Path

from lab_support import long_path

from penstock.plan.build import build
from penstock.plan.cells import Cell
from penstock.plan.network import Tcp
from penstock.runs.backends import sim

TRAFFIC = """
[tcp.bulk]
from = "senders"
to = "receivers"
size = "5MB"
congestion = "newreno"

[tcp.pages]
from = "senders"
to = "receivers"
count = 2

[tcp.pages.traffic]
kind = "web"
transfers = 5
reading = "100ms"
size = "30kB"
"""
QUIC = ("tcp.bulk.quic", "true")


def load(tmp_path: Path, *sets: tuple[str, str]) -> Cell:
    return long_path(tmp_path, TRAFFIC, *sets)


def delay_ns(cell: Cell) -> int:
    flow = next(one for one in build(cell).network.traffic if isinstance(one, Tcp))
    delay = flow.receiver.fields()["delayed_ack_ns"]
    assert isinstance(delay, int)
    return delay


def test_its_acks_wait_for_25_ms_unless_the_scenario_says_otherwise(tmp_path: Path) -> None:
    assert delay_ns(load(tmp_path)) == 40_000_000
    assert delay_ns(load(tmp_path, QUIC)) == 25_000_000
    told = load(tmp_path, QUIC, ("tcp.bulk.delayed_ack_timeout", "40ms"))
    assert delay_ns(told) == 40_000_000


def test_files_and_pages_of_quic_have_the_columns_of_tcp(tmp_path: Path) -> None:
    cell = load(tmp_path, QUIC, ("tcp.pages.quic", "true"))
    row = sim.backend().run(cell)
    assert row.columns["unfinished"] == 0
    assert isinstance(row.columns["transfer_s"], float)
    assert row.columns["tcp_loss_percent"] is None  # all packets are UDP's
    assert isinstance(row.columns["udp_loss_percent"], float)
    assert row.columns["rewritten_acks"] == 0
    assert {group["group"]: group["transfers"] for group in row.groups}["pages"] == 10


def test_a_run_gives_the_same_each_time(tmp_path: Path) -> None:
    cell = load(tmp_path, QUIC)
    first, second = (sim.backend().run(cell) for _ in range(2))
    timed = {"wall_s"}
    assert all(first.columns[name] == second.columns[name] for name in first.columns.keys() - timed)
    assert first.groups == second.groups


def test_qlog_has_the_connections_of_tcp_alone(tmp_path: Path) -> None:
    other = '\n[tcp.other]\nfrom = "senders"\nto = "receivers"\nsize = "100kB"\n'
    cell = long_path(tmp_path, TRAFFIC.partition("[tcp.pages]")[0] + other, QUIC)
    sim.backend().run(dataclasses.replace(cell, qlog_dir=str(tmp_path)))
    [file] = tmp_path.glob("*.qlog")
    assert [trace["title"] for trace in json.loads(file.read_text())["traces"]] == ["flow 2"]
