# SPDX-License-Identifier: GPL-2.0-only
"""Pings and segments without data above the link's rate, beside downloads."""

import socket
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from gateway_lab import Lab
from loads import acked_bytes, connections, flooding, goodput_mbps, streaming, until
from packets import checksum
from patience import timed
from spaces import inside

from penstock.runs.live.busy import BusyError

RATE_MBPS = 20
FLOOD_BPS = 30_000_000
STREAMS = 4
ALL_BYTES = 1_000_000
SECONDS = 2
BURST = 20
IP_HEADER_BYTES = 20


def ping(size: int) -> bytes:
    """An echo request of so many bytes of IP."""
    body = b"\x08\0\0\0" + bytes(size - 24)
    return body[:2] + struct.pack(">H", checksum(body)) + body[4:]


def reset(size: int) -> bytes:
    """A RST without data to a port that nobody knows, with as many options as there may be."""
    return struct.pack(">HHIIHHHH", 9, 9, 1, 0, 0xF004, 0, 0, 0) + b"\x01" * (min(size, 80) - 40)


@contextmanager
def raw_packets(lab: Lab, protocol: int, packet: bytes) -> Iterator[Callable[[], int]]:
    """Sends a burst from the server to the client."""
    with inside(lab.server):
        raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, protocol)
    with raw:
        raw.connect((lab.address(lab.client), 0))

        def send() -> int:
            for _ in range(BURST):
                raw.send(packet)
            return BURST * (len(packet) + IP_HEADER_BYTES)

        yield send


@pytest.mark.parametrize(
    ("protocol", "packet"),
    [(socket.IPPROTO_ICMP, ping(1400)), (socket.IPPROTO_TCP, reset(80))],
    ids=["pings", "resets"],
)
@timed()
def test_a_flood_without_data_has_a_share_at_most(
    lab: Lab, record: Callable[..., None], protocol: int, packet: bytes
) -> None:
    lab.tool("attach", lab.device, "--rate", f"{RATE_MBPS}mbit", "--buffer", "97k")
    with (
        connections(lab, STREAMS) as pairs,
        raw_packets(lab, protocol, packet) as send,
        streaming(*pairs),
    ):
        until(lambda: sum(acked_bytes(near) for near, _ in pairs) > ALL_BYTES)
        with flooding(send, FLOOD_BPS) as sent_bps:
            time.sleep(0.5)
            tcp_mbps = goodput_mbps(SECONDS, *(near for near, _ in pairs))
            flood_mbps = sent_bps() / 1e6
    if flood_mbps < RATE_MBPS:
        raise BusyError("the flood was slow")
    record(flood_mbps=flood_mbps, tcp_mbps=tcp_mbps)
    # A sixteenth of the link and a fifth of the rest is the flood's, and 1.3 of that a bound.
    assert tcp_mbps > 0.55 * RATE_MBPS
