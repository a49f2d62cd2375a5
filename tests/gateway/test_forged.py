# SPDX-License-Identifier: GPL-2.0-only
"""R35 on live traffic: packets of somebody else for a running connection, which goes on."""

import socket
import struct
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from capture import Tap
from gateway_lab import Lab
from loads import acked_bytes, connections, streaming, until
from packets import checksum
from spaces import inside

RATE_MBPS = 20
TIMES = 100
MUCH_BYTES = 1_000_000  # the link takes 0.4 s for it
EVERY_S = 0.01
ACK, RST = 0x10, 0x04
SEGMENT = struct.Struct("!HHIIBBHHH")


class Forger:
    """Sends segments with the addresses and ports of either end, by that end's way."""

    def __init__(self, lab: Lab, near: socket.socket) -> None:
        self.lab, self.near, self.port = lab, near, near.getsockname()[1]

    def numbers(self) -> tuple[int, int]:
        """The newest data's sequence and ACK number."""
        tap, before = Tap(self.lab.client, "c0"), acked_bytes(self.near)
        until(lambda: acked_bytes(self.near) > before + 10_000)
        last = max((p for p in tap.packets() if len(p.rest) > 500), key=lambda p: p.at_ns)
        seq, number = struct.unpack_from("!II", last.rest, last.tcp + 4)
        return seq, number

    def send(
        self,
        seq: int,
        number: int,
        flags: int = ACK,
        *,
        data: bytes = b"",
        of_sender: bool = False,
        wrong: int = 0,
    ) -> None:
        """One segment; `wrong` is added to its checksum."""
        ends = [("10.9.1.2", 6000), ("10.9.2.2", self.port)]
        (source, near), (target, far) = reversed(ends) if of_sender else ends
        addresses = socket.inet_aton(source) + socket.inet_aton(target)
        ports = (near, far, seq % 2**32, number % 2**32, 5 << 4, flags, 500)
        segment = SEGMENT.pack(*ports, 0, 0) + data
        total = checksum(addresses + struct.pack("!II", len(segment), 6) + segment)
        segment = SEGMENT.pack(*ports, (total + wrong) % 2**16, 0) + data
        host = self.lab.server if of_sender else self.lab.client
        with inside(host), socket.socket(socket.AF_INET, socket.SOCK_RAW, 255) as raw:
            head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(segment), 0, 0, 64, 6, 0)
            raw.sendto(head + addresses + segment, (target, 0))


def blind_acks(forger: Forger) -> Iterator[None]:
    """Two arbitrary numbers, one of which is ahead of the flow's own."""
    while True:
        forger.send(1, 12345)
        forger.send(1, 12345 + 2**31)
        yield


def resets(forger: Forger) -> Iterator[None]:
    """Outside of either end's window."""
    seq, number = forger.numbers()
    while True:
        forger.send(number + 2**30, 0, RST)
        forger.send(seq + 2**30, 0, RST, of_sender=True)
        yield


def data_ahead(forger: Forger) -> Iterator[None]:
    """Far beyond every window."""
    seq, number = forger.numbers()
    while True:
        forger.send(seq + 2**30, number, data=bytes(1000), of_sender=True)
        yield


def damaged(forger: Forger) -> Iterator[None]:
    """ACKs of what was not sent, with a wrong checksum."""
    seq, number = forger.numbers()
    while True:
        forger.send(number, seq + 2**16, wrong=1)
        yield


def goes_on(near: socket.socket, doing: Iterator[None]) -> int:
    """The steps that were done, with a pause after each, until TIMES and much data arrived."""
    steps, end = 0, acked_bytes(near) + MUCH_BYTES
    deadline = time.monotonic() + 60
    while steps < TIMES or acked_bytes(near) < end:
        assert time.monotonic() < deadline, "the flow stands still"
        next(doing)
        time.sleep(EVERY_S)
        steps += 1
    return steps


def value(status: dict[str, Any], path: str) -> int:
    """One number of `status -j`; counters that are 0 may be left out."""
    *folders, name = path.split(".")
    for folder in folders:
        status = status[folder]
    return int(status.get(name, 0))


@pytest.mark.parametrize(
    ("forge", "counter", "each"),
    [
        (blind_acks, "acks_by.unseen", 1),
        (resets, "bypassed.reset", 1),
        (data_ahead, "beyond_bytes", 1000),
        (damaged, "bypassed.damaged", 1),
    ],
)
def test_a_running_flow_goes_on(
    lab: Lab, forge: Callable[[Forger], Iterator[None]], counter: str, each: int
) -> None:
    lab.tool("attach", lab.device, "--rate", f"{RATE_MBPS}mbit", "--buffer", "97k")
    with connections(lab, 1) as [(near, far)], streaming((near, far)):
        until(lambda: acked_bytes(near) > MUCH_BYTES)
        forger, before = Forger(lab, near), lab.status()
        steps = goes_on(near, forge(forger))
        until(lambda: value(lab.status(), counter) - value(before, counter) >= steps * each)
        after = lab.status()
    assert value(after, "acks_rewritten") > value(before, "acks_rewritten")
    assert value(after, counter) == value(before, counter) + steps * each, "none came so far"
