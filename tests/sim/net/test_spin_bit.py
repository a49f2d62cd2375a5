# SPDX-License-Identifier: GPL-2.0-only
"""What an observer on the path sees of QUIC: a spin bit that turns once in a round trip."""

from itertools import pairwise
from pathlib import Path

import dpkt
from scapy.layers.inet import IP, UDP

from penstock import _native

RTT_S = 0.04
LONG_HEADER, FIXED, SPIN = 0x80, 0x40, 0x20


def capture(path: Path) -> list[tuple[float, dpkt.ip.IP]]:
    """The packets of a QUIC flow whose window stays far below what the link carries."""
    network = _native.Network(1)
    left, right = network.node("left"), network.node("right")
    rate_bps, delay_ns = 1_000_000_000, int(RTT_S / 2 * 1e9)
    forward = network.link(left, right, rate_bps=rate_bps, delay_ns=delay_ns)
    network.link(right, left, rate_bps=rate_bps, delay_ns=delay_ns)
    sender = {"method": "newreno", "quic": True, "initial_ssthresh_segments": 10}
    network.tcp(left, right, start_ns=0, size_bytes=500_000, sender=sender, receiver={})
    network.pcap(forward, str(path))
    assert network.run(10**11).all_done
    with path.open("rb") as file:
        return [(at, dpkt.ip.IP(data)) for at, data in dpkt.pcap.Reader(file)]


def test_the_spin_bit_turns_once_in_a_round_trip(tmp_path: Path) -> None:
    packets = capture(tmp_path / "quic.pcap")
    first, *rest = [(at, packet.data.data[0]) for at, packet in packets]
    assert first[1] & (LONG_HEADER | FIXED) == LONG_HEADER | FIXED  # an Initial
    assert all(byte & (LONG_HEADER | FIXED) == FIXED for _, byte in rest)
    turns = [at for (_, before), (at, now) in pairwise(rest) if (before ^ now) & SPIN]
    assert len(turns) > 10
    assert all(RTT_S <= later - at < 1.05 * RTT_S for at, later in pairwise(turns))


def test_its_datagrams_have_right_checksums(tmp_path: Path) -> None:
    for _, packet in capture(tmp_path / "quic.pcap"):
        seen = IP(bytes(packet))
        given = seen[UDP].chksum
        del seen[UDP].chksum
        assert IP(bytes(seen))[UDP].chksum == given
