# SPDX-License-Identifier: GPL-2.0-only
"""Others read our captures: tshark without a complaint, dpkt to the same fields."""

import os
import shutil
import struct
import subprocess
from pathlib import Path

import dpkt
import pytest
from scapy.layers.inet import IP, TCP
from scapy.utils import PcapReader

from penstock import _native

SIM_TESTS = Path(__file__).resolve().parents[3] / "build/sanitized/sim_tests"
CHECKSUMS = [
    option
    for protocol in ("ip", "tcp", "udp")
    for option in ("-o", f"{protocol}.check_checksum:TRUE")
]
GOOD = "1"  # of tshark's <protocol>.checksum.status


def fields(pcap: Path, *names: str) -> list[list[str]]:
    """tshark's view of each packet."""
    if not shutil.which("tshark"):
        pytest.skip("tshark is not installed")
    wanted = [option for name in names for option in ("-e", name)]
    done = subprocess.run(
        ["tshark", "-r", str(pcap), *CHECKSUMS, "-T", "fields", *wanted],
        capture_output=True,
        text=True,
        check=True,
    )
    return [line.split("\t") for line in done.stdout.splitlines()]


def complaints(pcap: Path) -> list[list[str]]:
    """Packets that are malformed or carry a wrong checksum."""
    rows = fields(
        pcap,
        "frame.number",
        "_ws.malformed",
        "ip.checksum.status",
        "tcp.checksum.status",
        "udp.checksum.status",
    )
    assert rows
    return [row for row in rows if row[1] or row[2] != GOOD or row[3] + row[4] != GOOD]


@pytest.fixture(scope="module")
def every_kind(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A capture with every option and kind of packet, by the C++ test."""
    if not SIM_TESTS.exists():
        pytest.skip("the C++ tests are not built (make test does it)")
    pcap = tmp_path_factory.mktemp("pcap") / "every-kind.pcap"
    subprocess.run(
        [str(SIM_TESTS), "--gtest_filter=Pcap.WritesPacketsOfEveryKind"],
        env={**os.environ, "PENSTOCK_TEST_PCAP": str(pcap)},
        capture_output=True,
        check=True,
    )
    return pcap


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a lossy bottleneck with a gateway sends: SYN, data, retransmissions, UDP."""
    pcap = tmp_path_factory.mktemp("pcap") / "run.pcap"
    network = _native.Network(1)
    left, right = network.node("left"), network.node("right")
    link = network.link(
        left, right, rate_bps=10_000_000, delay_ns=10_000_000, queue_bytes=20_000, loss_ratio=0.02
    )
    network.link(right, left, rate_bps=10_000_000, delay_ns=10_000_000)
    network.gateway(link, discipline="droptail", law="ewt", signal="drop", mode="safe")
    network.tcp(left, right, start_ns=0, size_bytes=300_000, sender={}, receiver={})
    network.udp(left, right, start_ns=0, stop_ns=0, rate_bps=1_000_000, payload_bytes=700)
    network.pcap(link, str(pcap))
    assert network.run(60_000_000_000).all_done
    return pcap


def test_tshark_finds_nothing_wrong_with_every_kind(every_kind: Path) -> None:
    assert complaints(every_kind) == []


def test_tshark_finds_nothing_wrong_with_a_run(run: Path) -> None:
    assert complaints(run) == []


def test_a_wrong_checksum_would_be_found(run: Path, tmp_path: Path) -> None:
    data = bytearray(run.read_bytes())
    data[24 + 16 + 20 + 16] ^= 0xFF  # the first packet's TCP checksum
    broken = tmp_path / "broken.pcap"
    broken.write_bytes(data)
    assert [row[0] for row in complaints(broken)] == ["1"]


def test_tshark_reads_the_options(every_kind: Path) -> None:
    rows = fields(
        every_kind, "tcp.options.mss_val", "tcp.options.wscale.shift", "tcp.options.timestamp.tsval"
    )
    assert rows[0] == ["1448", "7", "11"]


def test_tshark_sees_a_receiver_open(tmp_path: Path) -> None:
    """SYN, SYN-ACK, and a final ACK with the scaled window, of 200 kB, that asks for data."""
    network = _native.Network(1)
    left, right = network.node("left"), network.node("right")
    ends: dict[str, int] = {"rate_bps": 10_000_000, "delay_ns": 10_000_000}
    links = {"forward": network.link(left, right, queue_bytes=50_000, **ends)}
    links["back"] = network.link(right, left, **ends)
    network.gateway(links["forward"], discipline="droptail", law="none", signal="drop", mode="safe")
    receiver = {"opens": True, "buffer_bytes": 200_000}
    network.tcp(left, right, start_ns=0, size_bytes=20_000, sender={}, receiver=receiver)
    for name, link in links.items():
        network.pcap(link, str(tmp_path / name))
    assert network.run(60_000_000_000).all_done
    names = ("tcp.flags.syn", "tcp.flags.ack", "tcp.len", "tcp.window_size_value", "tcp.seq_raw")
    names += ("tcp.ack_raw", "tcp.options.wscale.shift", "frame.time_epoch")
    back, forward = (fields(tmp_path / name, *names) for name in ("back", "forward"))
    syn, third = back[:2]
    syn_ack, *data = forward
    assert [row[:3] for row in (syn, syn_ack, third)] == [
        ["1", "0", "0"],
        ["1", "1", "0"],
        ["0", "1", "0"],
    ]
    assert int(syn_ack[5]) == int(syn[4]) + 1 == int(third[4])
    assert int(third[5]) == int(syn_ack[4]) + 1 == int(data[0][4])
    assert (syn[6], syn_ack[6]) == ("2", "7")
    assert int(third[3]) << 2 == 200_000
    assert [row[2] for row in data[:10]] == ["1448"] * 10
    times = [float(row[7]) for row in (syn, syn_ack, third, data[0])]
    assert times == sorted(times)
    assert complaints(tmp_path / "forward") == complaints(tmp_path / "back") == []


@pytest.fixture(scope="module")
def xcp(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What an XCP router sends on: SYN and data with its header."""
    folder = tmp_path_factory.mktemp("xcp")
    network = _native.Network(1)
    left, right = network.node("left"), network.node("right")
    ends: dict[str, int] = {"rate_bps": 10_000_000, "delay_ns": 10_000_000}
    link = network.link(left, right, queue_bytes=50_000, **ends)
    back = network.link(right, left, **ends)
    network.gateway(link, discipline="xcp", law="none", signal="drop", mode="safe")
    sender = {"method": "xcp_sender", "mss_bytes": 1400}
    network.tcp(left, right, start_ns=0, size_bytes=3_000_000, sender=sender, receiver={})
    network.pcap(link, str(folder / "forward.pcap"))
    network.pcap(back, str(folder / "back.pcap"))
    assert network.run(60_000_000_000).all_done
    return folder


def headers(pcap: Path) -> list[tuple[int, bytes]]:
    """Payload length and XCP's option of each packet that has one, as scapy reads them."""
    found = []
    with PcapReader(str(pcap)) as packets:
        for packet in packets:
            for kind, value in packet[TCP].options:
                if kind == 253 and value[:2] == b"XC":
                    found.append((len(packet[TCP].payload), value[2:]))
            assert len(packet) == packet[IP].len
    return found


def test_scapy_reads_the_header_of_xcp(xcp: Path) -> None:
    data = [struct.unpack("!IIi", value) for payload, value in headers(xcp / "forward.pcap")]
    assert len(data) >= 3_000_000 // 1400
    assert data[0] == (0, 0, 0)  # the SYN
    assert all(cwnd % 1400 == 0 and 20_000 <= rtt < 200_000 for cwnd, rtt, _ in data[1:])
    granted = sum(delta for _, _, delta in data)
    assert max(delta for _, _, delta in data) < 1 << 20  # nobody got all that was asked for
    returned = [struct.unpack("!i", value)[0] for payload, value in headers(xcp / "back.pcap")[1:]]
    assert sum(returned) == granted
    assert complaints(xcp / "forward.pcap") == complaints(xcp / "back.pcap") == []


def test_dpkt_reads_the_same_run(run: Path) -> None:
    tcp, udp, last_s = 0, 0, 0.0
    with run.open("rb") as file:
        for time_s, frame in dpkt.pcap.Reader(file):
            packet = dpkt.ip.IP(frame)
            assert len(frame) == packet.len
            assert float(time_s) >= last_s
            last_s = float(time_s)
            tcp += packet.p == dpkt.ip.IP_PROTO_TCP
            udp += packet.p == dpkt.ip.IP_PROTO_UDP
    assert tcp > 300_000 // 1448
    assert udp > 10
