# SPDX-License-Identifier: GPL-2.0-only
"""UDP from many answered ports of one pair of hosts, above the link's rate, beside downloads."""

import itertools
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from socket import AF_INET, SOCK_DGRAM, socket

from gateway_lab import Lab
from loads import acked_bytes, connections, flooding, goodput_mbps, streaming, until
from patience import timed
from spaces import inside

from penstock.runs.live.busy import BusyError

RATE_MBPS = 20
FLOOD_BPS = 30_000_000
STREAMS = 4
PORTS = 512
ALL_BYTES = 1_000_000
SECONDS = 2
PAYLOAD = bytes(1200)
IP_BYTES = len(PAYLOAD) + 28
BURST = 8
SETTLE_S = 6  # that nothing slows the flood down is known after four seconds


@contextmanager
def answered(lab: Lab, count: int) -> Iterator[list[socket]]:
    """The server's ends of so many UDP flows, each of which the client has answered."""
    with ExitStack() as stack:
        ends: list[list[socket]] = []
        for space in (lab.server, lab.client):
            with inside(space):
                found = [stack.enter_context(socket(AF_INET, SOCK_DGRAM)) for _ in range(count)]
            for one in found:
                one.bind((lab.address(space), 0))
            ends.append(found)
        for near, far in zip(*ends, strict=True):
            near.connect(far.getsockname())
            far.connect(near.getsockname())
            near.send(b"?")
            far.send(b"!")
        yield ends[0]


def from_each(ends: list[socket]) -> Callable[[], int]:
    """Sends a burst, from each port in turn."""
    turn = itertools.cycle(ends)

    def send() -> int:
        for end in itertools.islice(turn, BURST):
            end.send(PAYLOAD)
        return BURST * IP_BYTES

    return send


@timed()
def test_many_ports_of_a_pair_leave_the_downloads_more_than_half(
    lab: Lab, record: Callable[..., None]
) -> None:
    lab.tool("attach", lab.device, "--rate", f"{RATE_MBPS}mbit", "--buffer", "97k")
    with connections(lab, STREAMS) as pairs, answered(lab, PORTS) as ends, streaming(*pairs):
        until(lambda: sum(acked_bytes(near) for near, _ in pairs) > ALL_BYTES)
        with flooding(from_each(ends), FLOOD_BPS) as sent_bps:
            time.sleep(SETTLE_S)
            tcp_mbps = goodput_mbps(SECONDS, *(near for near, _ in pairs))
            flood_mbps = sent_bps() / 1e6
    if flood_mbps < 1.2 * RATE_MBPS:
        raise BusyError("the flood was slow")
    record(flood_mbps=flood_mbps, tcp_mbps=tcp_mbps)
    # One of five shares is the pair's. Before this is known, it has half of the link and a share.
    assert tcp_mbps > 0.55 * RATE_MBPS
