# SPDX-License-Identifier: GPL-2.0-only
"""Headers between hosts and routers, read back from captures by scapy and by tshark."""

import shutil
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from scapy.layers.inet import IP, TCP
from scapy.utils import PcapReader

from penstock import _native

MSS = 1400
SIZE = 3_000_000
EXPERIMENT = 253  # RFC 6994
RATE_STEP = 8  # 40 kbit/s * 2^8, what the sender of Quick-Start asks for by default


def capture(
    folder: Path, sender: str, discipline: str, law: str = "none", **params: int
) -> tuple[Path, Path]:
    """What leaves on both ways of a bottleneck with this discipline and law."""
    network = _native.Network(1)
    left, right = network.node("left"), network.node("right")
    link = network.link(left, right, rate_bps=20_000_000, delay_ns=10_000_000, queue_bytes=60_000)
    back = network.link(right, left, rate_bps=20_000_000, delay_ns=10_000_000)
    network.gateway(
        link, discipline=discipline, law=law, signal="drop", mode="literal", params=params
    )
    network.tcp(
        left,
        right,
        start_ns=0,
        size_bytes=SIZE,
        sender={"method": sender, "mss_bytes": MSS},
        receiver={"buffer_bytes": 500_000},
    )
    paths = folder / "forward.pcap", folder / "back.pcap"
    for number, path in zip((link, back), paths, strict=True):
        network.pcap(number, str(path))
    assert network.run(60_000_000_000).all_done
    return paths


def packets(pcap: Path) -> list[Any]:
    """As scapy reads them, each as long as its header says."""
    with PcapReader(str(pcap)) as reader:
        found = list(reader)
    assert all(len(packet) == packet[IP].len for packet in found)
    return found


def experiments(pcap: Path, identifier: bytes) -> Iterator[tuple[Any, bytes]]:
    """Packets with an option of that identifier, and its value."""
    for packet in packets(pcap):
        for kind, value in packet[TCP].options:
            if kind == EXPERIMENT and value[:2] == identifier:
                yield packet, value[2:]


def tshark(pcap: Path, *names: str) -> list[list[str]]:
    """Fields of each packet; no packet is malformed or has a wrong checksum."""
    if not shutil.which("tshark"):
        pytest.skip("tshark is not installed (tools/install-test-deps does it)")
    every = ("_ws.malformed", "ip.checksum.status", "tcp.checksum.status", *names)
    checks = ("-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE")
    wanted = [option for name in every for option in ("-e", name)]
    done = subprocess.run(
        ["tshark", "-r", str(pcap), *checks, "-T", "fields", *wanted],
        capture_output=True,
        text=True,
        check=True,
    )
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert rows
    assert all(row[:3] == ["", "1", "1"] for row in rows)
    return [row[3:] for row in rows]


def test_fxcp_has_the_header_of_xcp(tmp_path: Path) -> None:
    forward, back = capture(tmp_path, "xcp_sender", "fxcp")
    data = [struct.unpack("!IIi", value) for _, value in experiments(forward, b"XC")]
    acks = list(experiments(back, b"XC"))[1:]  # without the SYN-ACK
    returned = [struct.unpack("!i", value)[0] for _, value in acks]
    assert len(data) > SIZE // MSS
    assert sum(returned) == sum(delta for _, _, delta in data)
    identifiers = tshark(forward, "tcp.options.experimental.exid")
    assert sum(row == ["0x5843"] for row in identifiers) == len(data)
    tshark(back)


def test_etcp_is_told_by_the_windows_alone(tmp_path: Path) -> None:
    forward, back = capture(tmp_path, "etcp_3", "droptail", "fewa")
    for pcap in (forward, back):
        assert not list(experiments(pcap, b"XC"))
        kinds = {kind for packet in packets(pcap) for kind, _ in packet[TCP].options}
        assert kinds <= {"MSS", "SAckOK", "Timestamp", "NOP", "WScale", "SAck"}
    # The link that ACKs take is before the router: their windows are the receiver's there.
    fields = [packet[TCP].window for packet in packets(back)]
    scale = dict(packets(back)[0][TCP].options)["WScale"]
    assert max(fields[1:]) << scale <= 500_000
    assert [int(row[0]) for row in tshark(back, "tcp.window_size_value")] == fields


def test_fba_returns_a_rate_and_a_round_trip(tmp_path: Path) -> None:
    forward, back = capture(tmp_path, "fba_sender", "csfq")
    data = [
        struct.unpack("!III", value)
        for p, value in experiments(forward, b"FB")
        if len(p[TCP].payload)
    ]
    assert len(data) >= SIZE // MSS
    assert all(20_000 <= rtt < 200_000 for _, rtt, _ in data[10:])
    # kbit/s: what a link of 20 Mbit/s can have allowed a single flow.
    assert all(0 < rate <= 21_000 for _, _, rate in data[10:])
    for pcap in (forward, back):
        identifiers = {row[0] for row in tshark(pcap, "tcp.options.experimental.exid")}
        assert "0x4642" in identifiers


def test_csfq_labels_the_octet_that_ecn_had(tmp_path: Path) -> None:
    forward, _ = capture(tmp_path, "newreno", "csfq")
    labels = {packet[IP].tos for packet in packets(forward)}
    assert len(labels) > 3  # a rate in 4m4e, which changes
    assert {int(row[0], 16) for row in tshark(forward, "ip.dsfield")} == labels


def test_antiecn_returns_its_bit(tmp_path: Path) -> None:
    forward, back = capture(tmp_path, "antiecn_sender", "antiecn")
    bits = {struct.unpack("!III", value)[2] for p, value in experiments(forward, b"AE")}
    assert bits == {0, 1}  # a link that is idle, then full
    returned = {struct.unpack("!I", value)[0] for _, value in list(experiments(back, b"AE"))[1:]}
    assert returned == {0, 1}
    assert "0x4145" in {row[0] for row in tshark(forward, "tcp.options.experimental.exid")}


def test_quick_start_is_laid_out_as_its_rfc_has_it(tmp_path: Path) -> None:
    forward, back = capture(tmp_path, "quick_start_sender", "quick_start")
    (request,) = (packet for packet in packets(forward) if packet[IP].options)
    assert request[TCP].flags == "S"
    kind, length, rate, ttl, nonce = struct.unpack("!BBBBI", bytes(request[IP])[20:28])
    assert (kind, length, rate) == (25, 8, RATE_STEP)
    assert ttl == request[IP].ttl  # every queue took part
    assert nonce & 3 == 0  # reserved
    answer = packets(back)[0]
    assert answer[TCP].flags == "SA"
    (value,) = (value for kind, value in answer[TCP].options if kind == 27)
    assert value == struct.pack("!BBI", RATE_STEP, 0, nonce)  # rate, TTL difference, nonce
    rows = tshark(forward, "ip.opt.qs_rate", "ip.opt.qs_ttl", "ip.opt.qs_unused")
    assert rows[0][:2] == [str(RATE_STEP), str(ttl)]
    assert tshark(back, "tcp.options.qs.rate")[0] == [str(RATE_STEP)]


def test_quick_start_shows_what_was_approved(tmp_path: Path) -> None:
    low, high = tmp_path / "low", tmp_path / "high"
    rates, nonces = [], []
    for folder, threshold in ((high, 58_982), (low, 3_000)):
        folder.mkdir()
        forward, _ = capture(folder, "quick_start_sender", "quick_start", threshold_q16=threshold)
        header = bytes(packets(forward)[0][IP])
        rates.append(header[22])
        nonces.append(struct.unpack("!I", header[24:28])[0] >> 2)
    # 20 Mbit/s * 3000 / 65536 = 0.9 Mbit/s leave 40 kbit/s * 2^4; steps 8 to 5 lose their nonce.
    assert rates == [RATE_STEP, 4]
    assert nonces[0] ^ nonces[1] < 1 << 16
    assert (nonces[0] ^ nonces[1]) % (1 << 8) == 0
    assert nonces[0] != nonces[1]
