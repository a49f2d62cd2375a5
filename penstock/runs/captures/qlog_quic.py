# SPDX-License-Identifier: GPL-2.0-only
"""qlog 0.3 of QUIC's connections, from captures, which have packets before their protection."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from penstock.runs.captures.pcap import Datagram
from penstock.runs.captures.qlog import Event

_NS_PER_MS: Final = 1e6
_INITIAL, _SPIN = 0x80, 0x20
_FRAMES_AT: Final = 13  # after the first byte, a connection ID of 8 and a number of 4
_TAG_BYTES: Final = 16
_PING, _ACK, _ACK_WITH_COUNTS, _STREAM = 0x01, 0x02, 0x03, 0x08
_STREAM_FIN, _STREAM_OFFSET = 0x01, 0x04
_US_PER_DELAY: Final = 8  # ack_delay_exponent 3
_PACKET_THRESHOLD: Final = 3  # RFC 9002 section 6.1.1


class _Reader:
    """Variable-length integers, RFC 9000 section 16."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = _FRAMES_AT

    def next(self) -> int:
        size = 1 << (self.data[self.at] >> 6)
        value = int.from_bytes(self.data[self.at : self.at + size], "big")
        self.at += size
        return value & (1 << (8 * size - 2)) - 1


def _ack(read: _Reader, *, counts: bool) -> Event:
    largest, delay, more, first = (read.next() for _ in range(4))
    ranges = [[largest - first, largest]]
    for _ in range(more):
        end = ranges[-1][0] - read.next() - 2
        ranges.append([end - read.next(), end])
    frame: Event = {
        "frame_type": "ack",
        "ack_delay": delay * _US_PER_DELAY / 1e3,
        "acked_ranges": ranges[::-1],
    }
    return frame | {name: read.next() for name in ("ect0", "ect1", "ce") if counts}


def frames(payload: bytes) -> list[Event]:
    """The frames of a packet."""
    if payload[0] & _INITIAL:
        return [{"frame_type": "crypto", "offset": 0, "length": 0}]
    read = _Reader(payload)
    kind = read.next()
    if kind == _PING:
        return [{"frame_type": "ping"}]
    if kind in (_ACK, _ACK_WITH_COUNTS):
        return [_ack(read, counts=kind == _ACK_WITH_COUNTS)]
    if not kind & _STREAM:
        raise ValueError(f"a QUIC frame of type {kind}")
    stream = read.next()
    offset = read.next() if kind & _STREAM_OFFSET else 0
    length = len(payload) - _TAG_BYTES - read.at
    data = {"frame_type": "stream", "stream_id": stream, "offset": offset, "length": length}
    return [data | {"fin": bool(kind & _STREAM_FIN)}]


@dataclass
class _Sent:
    number: int
    time_ns: int
    first: int
    end: int
    bytes: int


@dataclass
class _Connection:
    """What a sender knows of its connection."""

    sent: int = 0
    received: int = 0
    largest_acked: int = -1
    spin: bool = False
    flying: dict[int, _Sent] = field(default_factory=dict)

    def send(self, d: Datagram) -> Iterator[Event]:
        """A packet leaves; what it repeats of packets before an acknowledged one was lost."""
        [frame] = frames(d.payload)
        number, self.sent = self.sent, self.sent + 1
        first = frame.get("offset", 0)
        end = first + frame.get("length", 0) + frame.get("fin", False)
        again = [one for one in self.flying.values() if one.first < end and one.end > first]
        overdue = [one for one in again if one.number < self.largest_acked]
        yield from self._lose(d.time_ns, overdue, "time_threshold")
        if not d.payload[0] & _INITIAL:
            self.flying[number] = _Sent(number, d.time_ns, first, end, len(d.payload))
            yield from self._turn(d)
        yield _event(d, "transport:packet_sent", number, frame)

    def _turn(self, d: Datagram) -> Iterator[Event]:
        spin = bool(d.payload[0] & _SPIN)
        if spin != self.spin:
            name, self.spin = "connectivity:spin_bit_updated", spin
            yield {"time": d.time_ns / _NS_PER_MS, "name": name, "data": {"state": spin}}

    def _lose(self, time_ns: int, lost: Iterable[_Sent], trigger: str) -> Iterator[Event]:
        for one in lost:
            del self.flying[one.number]
            header = {"packet_type": "1RTT", "packet_number": one.number}
            data = {"header": header, "trigger": trigger}
            yield {"time": time_ns / _NS_PER_MS, "name": "recovery:packet_lost", "data": data}

    def receive(self, d: Datagram) -> Iterator[Event]:
        """A packet of the receiver arrives."""
        [frame] = frames(d.payload)
        number, self.received = self.received, self.received + 1
        yield _event(d, "transport:packet_received", number, frame)
        if frame["frame_type"] != "ack":
            return
        fresh = self._acknowledge(frame["acked_ranges"])
        if not fresh:
            return
        newest = fresh[-1]
        sampled = newest.number == frame["acked_ranges"][-1][1]
        self.largest_acked = max(self.largest_acked, newest.number)
        late = self.largest_acked - _PACKET_THRESHOLD
        lost = [one for one in self.flying.values() if one.number <= late]
        yield from self._lose(d.time_ns, lost, "reordering_threshold")
        data: Event = {"bytes_in_flight": sum(one.bytes for one in self.flying.values())}
        if sampled:
            data["latest_rtt"] = (d.time_ns - newest.time_ns) / _NS_PER_MS
        name = "recovery:metrics_updated"
        yield {"time": d.time_ns / _NS_PER_MS, "name": name, "data": data}

    def _acknowledge(self, ranges: Sequence[Sequence[int]]) -> list[_Sent]:
        numbers = [n for first, last in ranges for n in range(first, last + 1)]
        return [self.flying.pop(number) for number in numbers if number in self.flying]


def _event(d: Datagram, name: str, number: int, frame: Event) -> Event:
    kind = "initial" if d.payload[0] & _INITIAL else "1RTT"
    header = {"packet_type": kind, "packet_number": number}
    raw = {"length": d.packet_bytes, "payload_length": len(d.payload)}
    data: dict[str, Any] = {"header": header, "raw": raw, "frames": [frame]}
    return {"time": d.time_ns / _NS_PER_MS, "name": name, "data": data}


def events(datagrams: Iterable[Datagram], port: int) -> list[Event]:
    """The events at the sender on that port, of its packets in their order of time."""
    connection = _Connection()
    found: list[Event] = []
    for d in datagrams:
        found += connection.send(d) if d.ports[0] == port else connection.receive(d)
    return found
