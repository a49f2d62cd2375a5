# SPDX-License-Identifier: GPL-2.0-only
"""Reads the pcap files of the simulator (sim/net/pcap.h): nanoseconds, raw IPv4."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

FIRST_PORT: Final = 10_000  # of flow 0 at its sender; sim/net/capture.cpp
UDP_HEADERS_BYTES: Final = 28  # with that of IPv4
_HEADER_BYTES: Final = 24
_RECORD: Final = struct.Struct("<IIII")
_NS: Final = 10**9
_TCP, _UDP = 6, 17
_HALF: Final = 1 << 31
_WORD: Final = 1 << 32
_FIN, _SYN, _ACK = 1, 2, 16
_END, _NOTHING, _SCALE, _SACK = 0, 1, 3, 5


def ahead(a: int, b: int) -> int:
    """How far sequence number `a` is ahead of `b`."""
    return (a - b + _HALF) % _WORD - _HALF


@dataclass(frozen=True)
class Segment:
    """A TCP segment. Sequence numbers are those of the wire."""

    time_ns: int
    ports: tuple[int, int]
    seq: int
    ack: int
    flags: int
    window: int
    payload_bytes: int
    packet_bytes: int
    scale: int | None
    sack: tuple[tuple[int, int], ...]

    @property
    def syn(self) -> bool:
        """It opens."""
        return bool(self.flags & _SYN)

    @property
    def fin(self) -> bool:
        """It ends."""
        return bool(self.flags & _FIN)

    @property
    def has_ack(self) -> bool:
        """It acknowledges."""
        return bool(self.flags & _ACK)


def packets(path: Path) -> Iterator[tuple[int, bytes]]:
    """Time in ns and bytes of each packet."""
    data = path.read_bytes()
    at = _HEADER_BYTES
    while at < len(data):
        seconds, ns, size, _ = _RECORD.unpack_from(data, at)
        at += _RECORD.size
        yield seconds * _NS + ns, data[at : at + size]
        at += size


def datagram_ports(packet: bytes) -> tuple[int, int] | None:
    """The ports of the UDP datagram in a packet, if it is one."""
    if packet[9] != _UDP:
        return None
    source, sink = struct.unpack_from("!HH", packet, (packet[0] & 15) * 4)
    return source, sink


@dataclass(frozen=True)
class Datagram:
    """A UDP datagram."""

    time_ns: int
    ports: tuple[int, int]
    packet_bytes: int
    payload: bytes


def datagram(time_ns: int, packet: bytes) -> Datagram | None:
    """The UDP datagram in a packet, if it is one."""
    ports = datagram_ports(packet)
    return ports and Datagram(time_ns, ports, len(packet), packet[UDP_HEADERS_BYTES:])


def mark(packet: bytes) -> bytes:
    """What no router changes of a TCP header: ports, numbers, flags and options."""
    tcp = packet[(packet[0] & 15) * 4 :]
    return tcp[:14] + tcp[20 : (tcp[12] >> 4) * 4]


def _options(header: bytes) -> Iterator[tuple[int, bytes]]:
    at = 20
    while at < len(header) and header[at] != _END:
        if header[at] == _NOTHING:
            at += 1
            continue
        size = header[at + 1]
        yield header[at], header[at + 2 : at + size]
        at += size


def segment(time_ns: int, packet: bytes) -> Segment | None:
    """The TCP segment in a packet, if it is one."""
    if packet[9] != _TCP:
        return None
    tcp = packet[(packet[0] & 15) * 4 :]
    source, sink, seq, ack, length, flags, window = struct.unpack_from("!HHIIBBH", tcp)
    header = tcp[: (length >> 4) * 4]
    scale: int | None = None
    sack: tuple[tuple[int, int], ...] = ()
    for kind, value in _options(header):
        if kind == _SCALE:
            scale = value[0]
        if kind == _SACK:
            ends = struct.unpack(f"!{len(value) // 4}I", value)
            sack = tuple(zip(ends[::2], ends[1::2], strict=True))
    payload = len(tcp) - len(header)
    sizes = (window, payload, len(packet))
    return Segment(time_ns, (source, sink), seq, ack, flags, *sizes, scale, sack)
