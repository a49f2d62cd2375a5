# SPDX-License-Identifier: GPL-2.0-only
"""The queues of the live lab: HTB for the rate, and a FIFO or a kernel's own below it."""

from typing import Final

from penstock.live.plan import Direction
from penstock.live.session import Session

HANDLE: Final = "10:"  # of the queue that waits and drops, below HTB
_ETHERNET_BYTES: Final = 14
_IPV6_MORE_BYTES: Final = 20
_BURST_BYTES: Final = 3000  # two packets: HTB sends them together at most
_UNLIMITED_BYTES: Final = 16 << 20


def _overhead_bytes(way: Direction, version: int) -> int:
    """What HTB and the FIFO count a packet longer than the kernel's length of it.

    The kernel counts the Ethernet header, a scenario does not; and IPv6's longer
    header is not to change what the link carries.
    """
    return way.overhead_bytes - _ETHERNET_BYTES - (_IPV6_MORE_BYTES if version == 6 else 0)


def _fifo(way: Direction) -> str:
    if way.queue_bytes:
        return f"bfifo limit {way.queue_bytes}"
    if way.queue_packets:
        return f"pfifo limit {way.queue_packets}"
    return f"bfifo limit {_UNLIMITED_BYTES}"


def put(
    session: Session, space: str, device: str, way: Direction, version: int, own: str = ""
) -> None:
    """Shapes a device to its rate; `own` is a kernel's queueing discipline instead of a FIFO."""
    if not way.is_shaped:
        return
    rate, burst = f"{way.rate_bps}bit", f"{_BURST_BYTES}"
    session.run(
        ["tc", "-n", space, "-batch", "-"],
        f"qdisc replace dev {device} root handle 1: "
        f"stab overhead {_overhead_bytes(way, version)} linklayer ethernet htb default 1\n"
        f"class add dev {device} parent 1: classid 1:1 htb rate {rate} ceil {rate} "
        f"burst {burst} cburst {burst} quantum 1514\n"
        f"qdisc add dev {device} parent 1:1 handle {HANDLE} {own or _fifo(way)}\n",
    )
