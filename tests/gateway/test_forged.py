# SPDX-License-Identifier: GPL-2.0-only
"""R35 on live traffic: packets of somebody else for a running connection, which goes on."""

import json
import random
import socket
import struct
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from capture import Tap
from gateway_lab import Lab
from loads import acked_bytes, connections, goodput_mbps, granted_bytes, streaming, until
from packets import checksum
from spaces import inside

RATE_MBPS = 20
TIMES = 100
MUCH_BYTES = 1_000_000  # the link takes 0.4 s for it
EVERY_S = 0.01
SYN, ACK, RST = 0x02, 0x10, 0x04
MSS = 1448
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
        options: bytes = b"",
    ) -> None:
        """One segment; `wrong` is added to its checksum, `options` are whole words."""
        ends = [("10.9.1.2", 6000), ("10.9.2.2", self.port)]
        (source, near), (target, far) = reversed(ends) if of_sender else ends
        addresses = socket.inet_aton(source) + socket.inet_aton(target)
        ports = (near, far, seq % 2**32, number % 2**32, (5 + len(options) // 4) << 4, flags, 500)
        segment = SEGMENT.pack(*ports, 0, 0) + options + data
        total = checksum(addresses + struct.pack("!II", len(segment), 6) + segment)
        segment = SEGMENT.pack(*ports, (total + wrong) % 2**16, 0) + options + data
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


def handshake(
    forger: Forger, rng: random.Random, scale: int, *, sender_opens: bool, data: int
) -> None:
    """A whole one, of numbers that have nothing to do with the flow's, and `data` acknowledged."""
    options = struct.pack("!BBHBBBB", 2, 4, MSS, 1, 3, 3, scale)
    opener, answer = rng.randrange(2**32), rng.randrange(2**32)
    forger.send(opener, 0, SYN, of_sender=sender_opens, options=options)
    forger.send(answer, opener + 1, SYN | ACK, of_sender=not sender_opens, options=options)
    forger.send(opener + 1, answer + 1, of_sender=sender_opens)
    if data:
        seq, number = (opener, answer) if sender_opens else (answer, opener)
        forger.send(seq + 1, number + 1, data=bytes(data), of_sender=True)
        forger.send(number + 1, seq + 1 + data)


def handshakes(
    forger: Forger, scale: int, *, sender_opens: bool = False, data: int = 0
) -> Iterator[None]:
    """One after the other."""
    rng = random.Random(1)
    while True:
        handshake(forger, rng, scale, sender_opens=sender_opens, data=data)
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
    lab: Lab,
    forge: Callable[[Forger], Iterator[None]],
    counter: str,
    each: int,
    record: Callable[..., None],
) -> None:
    lab.tool("attach", lab.device, "--rate", f"{RATE_MBPS}mbit", "--buffer", "97k")
    with connections(lab, 1) as [(near, far)], streaming((near, far)):
        until(lambda: acked_bytes(near) > MUCH_BYTES)
        alone_mbps = goodput_mbps(1, near)
        forger, before = Forger(lab, near), lab.status()
        acked, begun = acked_bytes(near), time.monotonic()
        steps = goes_on(near, forge(forger))
        mbps = (acked_bytes(near) - acked) * 8e-6 / (time.monotonic() - begun)
        record(alone_mbps=alone_mbps, mbps=mbps)
        until(lambda: value(lab.status(), counter) - value(before, counter) >= steps * each)
        after = lab.status()
    assert value(after, "acks_rewritten") > value(before, "acks_rewritten")
    assert value(after, counter) == value(before, counter) + steps * each, "none came so far"


@pytest.mark.parametrize("sender_opens", [False, True])
@pytest.mark.parametrize("data", [0, 1000])
@pytest.mark.parametrize("scale", [0, 14])
def test_a_forged_handshake_replaces_no_flow(
    lab: Lab, scale: int, data: int, sender_opens: bool
) -> None:
    """Three packets without a number of the flow's, and data in their own, acknowledged."""
    lab.tool("attach", lab.device, "--rate", f"{RATE_MBPS}mbit", "--buffer", "97k")
    with connections(lab, 1) as [(near, far)], streaming((near, far)):
        until(lambda: acked_bytes(near) > MUCH_BYTES)
        [before] = json.loads(lab.tool("flows", "-j", lab.device))["flows"]
        forging = handshakes(Forger(lab, near), scale, sender_opens=sender_opens, data=data)
        goes_on(near, forging)
        until(lambda: granted_bytes(near) > 2 * MSS)
        known = json.loads(lab.tool("flows", "-j", lab.device))["flows"]
    [own] = [f for f in known if f["contender"] == 0]
    assert own["scale"] == before["scale"] != scale
    assert own["acks"] > before["acks"] + TIMES
    assert own["sent_bytes"] > before["sent_bytes"] + MUCH_BYTES // 2
    assert own["bypass"] == ""
    assert len(known) > 1, "no handshake was completed"


@pytest.mark.parametrize("pause_s", [0, 0.005, 0.03])
def test_an_application_that_sends_little_is_not_misread(lab: Lab, pause_s: float) -> None:
    """It never uses half of its window, beside a flow for which all windows are reduced."""
    lab.tool("attach", lab.device, "--rate", f"{RATE_MBPS}mbit", "--buffer", "97k")
    with connections(lab, 2) as [(bulk, bulk_far), (near, far)], streaming((bulk, bulk_far)):
        until(lambda: acked_bytes(bulk) > MUCH_BYTES)
        handshake(Forger(lab, near), random.Random(1), 14, sender_opens=True, data=0)
        for _ in range(100):
            near.sendall(bytes(100))
            assert len(far.recv(100, socket.MSG_WAITALL)) == 100
            far.sendall(b"more")
            assert len(near.recv(4, socket.MSG_WAITALL)) == 4
            time.sleep(pause_s)
        known = json.loads(lab.tool("flows", "-j", lab.device))["flows"]
        port = str(near.getsockname()[1])
    chats = [f for f in known if port in json.dumps(f)]
    assert len(chats) > 1, "nobody contests"
    [own] = [f for f in chats if f["contender"] == 0]
    assert own["rewritten"] > 50
    assert own["bypass"] == ""
