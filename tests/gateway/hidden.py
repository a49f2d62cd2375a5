# SPDX-License-Identifier: GPL-2.0-only
"""What penstock-gw knows of a bottleneck further down, and the delays of what passes it."""

import socket
import struct
import threading
import time
from contextlib import suppress

from gateway_lab import Lab
from spaces import inside

AUTO = ("--rate", "auto", "--source", "passive")
PROBES_EACH_S = 0.01
PROBE_PORT = 7777
SO_TIMESTAMPNS = 35


def passive(lab: Lab) -> dict[str, object]:
    """What `status` says of the bottleneck."""
    found = lab.status()["passive"]
    assert isinstance(found, dict)
    return found


def mbps(lab: Lab) -> float:
    """The rate, 0 while it is not known."""
    found = passive(lab)["rate_bps"]
    assert isinstance(found, int)
    return found * 1e-6


def found_after_s(lab: Lab, mbit: int, begun_s: float) -> float:
    """Seconds until the rate is within a fifth of it, for three looks in turn."""
    right, since_s = 0, 0.0
    while right < 3:
        since_s = since_s if right else time.monotonic()
        right = right + 1 if 0.8 * mbit < mbps(lab) < 1.2 * mbit else 0
        assert time.monotonic() - begun_s < 20, f"{mbps(lab)} Mbit/s where {mbit} are right"
        time.sleep(0.05)
    return since_s - begun_s


def probed_ms(lab: Lab, seconds: float) -> list[float]:
    """The delays of datagrams from the gateway to the client, by the kernel's time of arrival."""
    with inside(lab.gateway):
        sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    with inside(lab.client):
        receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        receiver.bind((lab.address(lab.client), PROBE_PORT))
    receiver.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    receiver.settimeout(1)
    found: list[float] = []

    def receive() -> None:
        with suppress(TimeoutError):
            while True:
                sent, more, _, _ = receiver.recvmsg(64, 256)
                s, ns = struct.unpack("qq", more[0][2][:16])
                found.append((s * 10**9 + ns - int(sent)) * 1e-6)

    thread = threading.Thread(target=receive)
    thread.start()
    end_s = time.monotonic() + seconds
    while time.monotonic() < end_s:
        sender.sendto(str(time.time_ns()).encode(), (lab.address(lab.client), PROBE_PORT))
        time.sleep(PROBES_EACH_S)
    thread.join()
    sender.close()
    receiver.close()
    return sorted(found)
