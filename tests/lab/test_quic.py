# SPDX-License-Identifier: GPL-2.0-only
"""Groups of QUIC connections on their way from the scenario to the columns."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
from aioquic.buffer import Buffer
from aioquic.quic.packet import pull_ack_frame
from lab_support import long_path

from penstock.plan.build import build
from penstock.plan.cells import Cell
from penstock.plan.network import Tcp
from penstock.results.row import Row
from penstock.runs.backends import sim
from penstock.runs.captures import pcap, qlog_quic

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


def test_a_receiver_may_open(tmp_path: Path) -> None:
    by_receiver = ("tcp.bulk.opened_by", "receiver")
    opened, sent = (sim.backend().run(load(tmp_path, QUIC, *sets)) for sets in ([by_receiver], []))
    assert opened.columns["unfinished"] == 0
    assert opened.columns["transfer_s"] != sent.columns["transfer_s"]


def test_a_run_gives_the_same_each_time(tmp_path: Path) -> None:
    cell = load(tmp_path, QUIC)
    first, second = (sim.backend().run(cell) for _ in range(2))
    timed = {"wall_s"}
    assert all(first.columns[name] == second.columns[name] for name in first.columns.keys() - timed)
    assert first.groups == second.groups


def named(events: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    return [event["data"] for event in events if event["name"] == name]


@pytest.fixture(params=["", "ecn = true\n"])
def told(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[list[Any], Row]:
    """The traces of a flow of QUIC and one of TCP, and their row."""
    other = '\n[tcp.other]\nfrom = "senders"\nto = "receivers"\nsize = "100kB"\n'
    traffic = TRAFFIC.partition("[tcp.pages]")[0] + request.param + other
    cell = long_path(tmp_path, traffic, QUIC)
    row = sim.backend().run(dataclasses.replace(cell, qlog_dir=str(tmp_path)))
    [file] = tmp_path.glob("*.qlog")
    return json.loads(file.read_text())["traces"], row


def test_qlog_has_the_connections_of_both_protocols(told: tuple[list[Any], Row]) -> None:
    traces, row = told
    assert [trace["title"] for trace in traces] == ["flow 1", "flow 2"]
    events = traces[0]["events"]
    times = [event["time"] for event in events]
    assert times == sorted(times)
    sent = named(events, "transport:packet_sent")
    assert [packet["header"]["packet_number"] for packet in sent] == list(range(len(sent)))
    assert sent[0]["header"]["packet_type"] == "initial"
    data = [packet["frames"][0] for packet in sent if packet["frames"][0]["frame_type"] == "stream"]
    assert {frame["offset"] + frame["length"] for frame in data if frame["fin"]} == {5_000_000}
    repeated = len(data) - len({frame["offset"] for frame in data})
    lost = named(events, "recovery:packet_lost")
    assert row.columns["drops"] > 0
    assert len(lost) >= repeated > 0
    assert named(events, "connectivity:spin_bit_updated")


def test_qlog_acknowledges_or_loses_all_that_quic_sent(told: tuple[list[Any], Row]) -> None:
    events = told[0][0]["events"]
    received = [one["frames"][0] for one in named(events, "transport:packet_received")]
    acks = [frame for frame in received if frame["frame_type"] == "ack"]
    acked = {
        n for ack in acks for first, last in ack["acked_ranges"] for n in range(first, last + 1)
    }
    lost = {one["header"]["packet_number"] for one in named(events, "recovery:packet_lost")}
    sent = named(events, "transport:packet_sent")
    numbers = {one["header"]["packet_number"] for one in sent if "stream" in str(one["frames"])}
    assert numbers <= acked | lost
    assert not acked & lost
    assert max(ack["ack_delay"] for ack in acks) <= 25


def test_its_acks_are_those_that_another_parser_reads(tmp_path: Path) -> None:
    cell = load(tmp_path, QUIC, ("tcp.bulk.ecn", "true"))
    sim.backend().run(dataclasses.replace(cell, pcap_dir=str(tmp_path)))
    [file] = tmp_path.glob("*back.pcap")
    seen = 0
    for time_ns, packet in pcap.packets(file):
        datagram = pcap.datagram(time_ns, packet)
        if datagram is None or datagram.payload[0] & 0x80:
            continue
        buffer = Buffer(data=datagram.payload[13:])
        kind = buffer.pull_uint_var()
        ranges, _ = pull_ack_frame(buffer)
        [frame] = qlog_quic.frames(datagram.payload)
        assert frame["acked_ranges"] == [[each.start, each.stop - 1] for each in ranges]
        if kind == 0x03:
            counts = {name: buffer.pull_uint_var() for name in ("ect0", "ect1", "ce")}
            assert counts.items() <= frame.items()
        assert buffer.tell() + 13 + 16 == len(datagram.payload)  # and the AEAD's tag
        seen += len(ranges) > 1
    assert seen
