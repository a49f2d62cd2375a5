# SPDX-License-Identifier: GPL-2.0-only
"""The queues of the live lab: HTB for the rate, and a FIFO or a kernel's own below it."""

from typing import Final

from penstock.errors import Exit, UserError
from penstock.plan.network import Gateway
from penstock.runs.live.plan import Direction
from penstock.runs.live.session import Session
from penstock.scenario import headers, params

HANDLE: Final = "10:"  # of the queue that waits and drops, below HTB
_FRAME_BYTES: Final = headers.ETHERNET_MTU_BYTES + headers.ETHERNET_BYTES
_BURST_BYTES: Final = 3000  # two packets: HTB sends them together at most
_UNKNOWN: Final = "qdisc kind is unknown"  # the kernel's own words
_UNLIMITED_BYTES: Final = 16 << 20
# Disciplines that Linux has too, and how tc calls their parameters, in microseconds.
_SHARED: Final = ("codel", "pie", "fq_codel")
_TC_NAME: Final = {
    "target_ns": "target",
    "codel.interval_ns": "interval",
    "fq_codel.interval_ns": "interval",
    "pie.interval_ns": "tupdate",
    "quantum_bytes": "quantum",
    "queues": "flows",
}


def _overhead_bytes(way: Direction, version: int) -> int:
    """What HTB and the FIFO count a packet longer than the kernel's length of it.

    The kernel counts the Ethernet header, a scenario does not; and IPv6's longer
    header is not to change what the link carries.
    """
    return way.overhead_bytes - headers.ETHERNET_BYTES - headers.beyond_ipv4_bytes(version)


def is_below_law(spec: Gateway) -> bool:
    """Whether the kernel's own qdisc is used below a window law."""
    return spec.discipline in _SHARED and spec.law != params.NO_LAW


def _tc_options(spec: Gateway) -> str:
    """The parameters of a discipline that Linux also has, in tc's format."""
    if spec.discipline.startswith(params.KERNEL):
        return " ecn" if spec.signal == "ecn" else ""
    words = [
        f" {_TC_NAME[name]} {f'{value // 1000}us' if name.endswith('_ns') else value}"
        for name, value in spec.params.items()
        if name in _TC_NAME
    ]
    return "".join(words) + (" ecn" if spec.signal == "ecn" else " noecn")


def _has_fifo(way: Direction) -> bool:
    spec = way.gateway
    return not spec or not (spec.discipline.startswith(params.KERNEL) or is_below_law(spec))


def fifo_limit_bytes(way: Direction) -> int:
    """Bytes that a queue can hold; 0 where the kernel's own has another limit, or none is set."""
    return way.queue_bytes if _has_fifo(way) else 0


def _leaf(way: Direction) -> str:
    spec = way.gateway
    if spec is None or _has_fifo(way):
        return _fifo(way)
    if not way.queue_limit_bytes:
        raise ValueError(f"{spec.discipline} needs a queue limit")
    frame_bytes = way.mtu_bytes + headers.ETHERNET_BYTES
    packets = way.queue_packets or max(1, way.queue_bytes // frame_bytes)
    kind = spec.discipline.removeprefix(params.KERNEL)
    if kind == "red":  # `adaptive`: thresholds and probability as tc-red(8) sets them itself
        thresholds = f"avpkt 1000 bandwidth {way.rate_bps}bit adaptive"
        return f"red limit {way.queue_limit_bytes} {thresholds}" + _tc_options(spec)
    if kind == "cake":  # marks what speaks ECN without being asked
        return "cake unlimited"
    if kind == "dualpi2":  # likewise
        return f"dualpi2 limit {packets}"
    return f"{kind} limit {packets}" + _tc_options(spec)


def _fifo(way: Direction) -> str:
    if way.queue_bytes:
        return f"bfifo limit {way.queue_bytes}"
    if way.queue_packets:
        return f"pfifo limit {way.queue_packets}"
    return f"bfifo limit {_UNLIMITED_BYTES}"


def _stab(way: Direction, version: int, offloads: bool) -> str:
    """How HTB is to count packets. With a size table it counts the headers of joined segments
    once, so with offloads it counts what the kernel does, Ethernet headers included.
    """
    if offloads:
        return ""
    return f"stab overhead {_overhead_bytes(way, version)} linklayer ethernet "


def _class(device: str, rate_bps: int) -> str:
    """The class of HTB that has a device's rate."""
    return (
        f"dev {device} parent 1: classid 1:1 htb rate {rate_bps}bit ceil {rate_bps}bit "
        f"burst {_BURST_BYTES} cburst {_BURST_BYTES} quantum {_FRAME_BYTES}"
    )


def change_rate(session: Session, space: str, device: str, rate_bps: int) -> None:
    """Another rate for a device; what waits in its queue leaves at that rate."""
    session.run(["tc", "-n", space, "-batch", "-"], f"class change {_class(device, rate_bps)}\n")


def put(
    session: Session, space: str, device: str, way: Direction, version: int, offloads: bool
) -> None:
    """Shapes a device to its rate, with a FIFO or the kernel's own queue; exit 77 without it."""
    if not way.is_shaped:
        return
    leaf, stab = _leaf(way), _stab(way, version, offloads)
    lines = (
        f"qdisc replace dev {device} root handle 1: "
        f"{stab}htb default 1\n"
        f"class add {_class(device, way.rate_bps)}\n"
        f"qdisc add dev {device} parent 1:1 handle {HANDLE} {leaf}\n"
    )
    _batch(session, space, lines, leaf.split()[0])


def put_fq(session: Session, space: str, device: str, way: Direction) -> None:
    """fq at a device's root, which holds packets until their time; exit 77 without it."""
    if way.is_shaped:
        raise ValueError(
            "pace-acks needs fq at the root of the device by which ACKs leave, and that link has a "
            "rate of its own; give it 1gbit or more, and no queue"
        )
    _batch(session, space, f"qdisc replace dev {device} root fq\n", "fq")


def _batch(session: Session, space: str, lines: str, kind: str) -> None:
    """Commands of tc's that a kernel without `kind` refuses: exit 77."""
    try:
        session.run(["tc", "-n", space, "-batch", "-"], lines)
    except RuntimeError as error:
        if _UNKNOWN not in str(error):
            raise
        raise UserError(f"this kernel has no queueing discipline {kind}", Exit.SKIPPED) from None
