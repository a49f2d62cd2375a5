# SPDX-License-Identifier: GPL-2.0-only
"""What a gateway did to each packet, by those before and behind it: only windows, by R1 to R5."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from capture import Packet

FIN, SYN, RST, ACK = 1, 2, 4, 16
WINDOW_AND_CHECKSUM = range(14, 18)
MOST_SCALE = 14
WSCALE = 3
HALF = 1 << 31
AROUND = 1 << 32

Flow = tuple[bytes, bytes]


def changed_bytes(before: Packet, behind: Packet) -> set[int]:
    """Offsets in the TCP header, negative before it."""
    assert len(before.rest) == len(behind.rest)
    both = enumerate(zip(before.rest, behind.rest, strict=True))
    return {at - before.tcp for at, (one, other) in both if one != other}


@dataclass(frozen=True)
class Segment:
    """The fields of a packet that the rules speak of."""

    source: bytes
    target: bytes
    sequence: int
    acknowledged: int
    flags: int
    scale: int | None
    length: int  # of the sequence space

    @classmethod
    def of(cls, packet: Packet) -> "Segment":
        """Reads them."""
        ip, tcp = packet.rest[: packet.tcp], packet.rest[packet.tcp :]
        middle = 12 if ip[0] >> 4 == 4 else 8
        half = (len(ip) - middle) // 2 if ip[0] >> 4 == 6 else 4
        head = (tcp[12] >> 4) * 4
        flags = tcp[13]
        return cls(
            source=ip[middle : middle + half] + tcp[:2],
            target=ip[middle + half : middle + 2 * half] + tcp[2:4],
            sequence=int.from_bytes(tcp[4:8], "big"),
            acknowledged=int.from_bytes(tcp[8:12], "big"),
            flags=flags,
            scale=_scale(tcp[20:head]),
            length=len(tcp) - head + bool(flags & SYN) + bool(flags & FIN),
        )


def _scale(options: bytes) -> int | None:
    """The shift of a window scale option."""
    while options and options[0]:
        if options[0] == 1:
            options = options[1:]
        elif len(options) < 2 or not 2 <= options[1] <= len(options):
            return None
        elif options[0] == WSCALE and options[1] == 3:
            return min(options[2], MOST_SCALE)
        else:
            options = options[options[1] :]
    return None


def is_before(one: int, other: int) -> bool:
    """Sequence numbers, RFC 9293 section 3.4."""
    return (one - other) % AROUND >= HALF


@dataclass
class Judge:
    """Takes the packets of both directions in the order of their coming."""

    scales: dict[Flow, int | None] = field(default_factory=dict)
    ends: dict[Flow, int] = field(default_factory=dict)
    newest: dict[Flow, tuple[int, int]] = field(default_factory=dict)  # ACK number, window
    rewritten: int = 0

    def _see(self, segment: Segment) -> None:
        flow = (segment.source, segment.target)
        end = (segment.sequence + segment.length) % AROUND
        if segment.flags & SYN:
            self.scales[flow] = segment.scale
            self.ends[flow] = end
        elif flow not in self.ends or is_before(self.ends[flow], end):
            self.ends[flow] = end

    def _shift(self, segment: Segment) -> int | None:
        """How far this packet's window is shifted; None where a handshake was not seen."""
        flow = (segment.source, segment.target)
        if segment.flags & SYN:
            return 0
        both = [self.scales.get(each, -1) for each in (flow, flow[::-1])]
        if -1 in both:
            return None
        return 0 if None in both else both[0]

    def faults(self, before: Packet, behind: Packet) -> Iterator[str]:
        """What is wrong with a packet that came out."""
        segment = Segment.of(before)
        changed = changed_bytes(before, behind)
        if not changed <= set(WINDOW_AND_CHECKSUM):
            yield f"bytes {sorted(changed - set(WINDOW_AND_CHECKSUM))} of the header changed"
        if not behind.checksum_right and before.checksum_right:
            yield "wrong checksum"
        if before.window != behind.window:
            self.rewritten += 1
            yield from self._window_faults(segment, before.window, behind.window)
        if segment.flags & ACK:
            flow = (segment.source, segment.target)
            self.newest[flow] = (segment.acknowledged, behind.window)
        self._see(segment)

    def _window_faults(self, segment: Segment, offered: int, left: int) -> Iterator[str]:
        if left > offered:
            yield f"R1: window {left}, and the receiver offered {offered}"
        if offered == 0:
            yield "R5: a zero window changed"
        if left == 0:
            yield "R4: a window became zero"
        if segment.flags & RST or not segment.flags & ACK:
            yield "the window of a packet without ACK, or with RST, changed"
        shift = self._shift(segment)
        if shift is None:
            yield "R8: a window of unknown scale changed"
            return
        sent = self.ends.get((segment.target, segment.source))
        edge = (segment.acknowledged + (left << shift)) % AROUND
        if sent is not None and is_before(edge, sent):
            whole = (segment.acknowledged + (offered << shift)) % AROUND
            # R9: a duplicate repeats its field.
            flow = (segment.source, segment.target)
            repeated = self.newest.get(flow) == (segment.acknowledged, left)
            if not repeated and not is_before(whole, sent):
                yield f"R2: the edge is {(sent - edge) % AROUND} bytes left of data that was seen"


def judge(
    directions: Sequence[tuple[Sequence[Packet], Sequence[Packet]]],
) -> tuple[list[str], int]:
    """Faults in the packets (before, behind) of each direction, and how many were rewritten."""
    one = Judge()
    faults = [
        f"{len(before)} packets came and {len(behind)} left"
        for before, behind in directions
        if len(before) != len(behind)
    ]
    if faults:
        return faults, 0
    pairs = [pair for before, behind in directions for pair in zip(before, behind, strict=True)]
    for before, behind in sorted(pairs, key=lambda pair: pair[0].at_ns):
        faults += one.faults(before, behind)
    return faults, one.rewritten
