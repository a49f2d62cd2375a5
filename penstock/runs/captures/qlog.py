# SPDX-License-Identifier: GPL-2.0-only
"""Writes qlog 0.3 (draft-ietf-quic-qlog-main-schema), which qvis draws, from what senders see.

qlog is QUIC's. Of TCP it has: a packet number for each transmission, the data as a stream, an
ACK's newly acknowledged packets, and the receive window, as the gateway left it, as MAX_DATA.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from penstock.runs.captures.pcap import Segment, ahead

_NS_PER_MS: Final = 1e6
_TYPE: Final = "1RTT"
_SRTT_PART: Final = 8

Event = dict[str, Any]


def _ranges(numbers: Iterable[int]) -> list[list[int]]:
    found: list[list[int]] = []
    for number in sorted(numbers):
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return found


@dataclass
class _Sent:
    """A transmission: bytes `first` .. `end` of the connection, the SYN being byte 0."""

    number: int
    time_ns: int
    first: int
    end: int
    again: bool


@dataclass
class _Connection:
    """What a sender knows of its connection."""

    isn: int
    scale: int = 0
    sent: int = 0  # packets
    received: int = 0
    highest: int = 0
    acked: int = 0
    flying: dict[int, _Sent] = field(default_factory=dict)
    srtt_ms: float | None = None
    min_ms: float | None = None

    def _position(self, seq: int) -> int:
        return self.highest + ahead(seq, self.isn + self.highest)

    def send(self, s: Segment) -> Iterator[Event]:
        """A segment leaves: with it, what it repeats is known to be lost."""
        first = self._position(s.seq)
        end = first + s.payload_bytes + s.syn + s.fin
        again = end > first and first < self.highest
        if again:
            yield from self._lose(s.time_ns, first, end)
        number, self.sent = self.sent, self.sent + 1
        if end > first:
            self.flying[number] = _Sent(number, s.time_ns, first, end, again)
        self.highest = max(self.highest, end)
        data = {"frame_type": "stream", "stream_id": 0, "offset": max(first - 1, 0)}
        frames = [data | {"length": s.payload_bytes, "fin": s.fin}] if s.payload_bytes else []
        yield _event(s, "transport:packet_sent", number, frames or [{"frame_type": "ping"}])

    def _lose(self, time_ns: int, first: int, end: int) -> Iterator[Event]:
        for each in [one for one in self.flying.values() if one.first < end and one.end > first]:
            del self.flying[each.number]
            header = {"packet_type": _TYPE, "packet_number": each.number}
            yield {
                "time": time_ns / _NS_PER_MS,
                "name": "recovery:packet_lost",
                "data": {"header": header, "trigger": "reordering_threshold"},
            }

    def receive(self, s: Segment) -> Iterator[Event]:
        """A segment of the receiver arrives."""
        if s.syn and s.scale is not None:
            self.scale = s.scale
        number, self.received = self.received, self.received + 1
        frames: list[Event] = []
        fresh = self._acknowledge(s) if s.has_ack else []
        if fresh:
            ranges = _ranges(one.number for one in fresh)
            frames.append({"frame_type": "ack", "ack_delay": 0, "acked_ranges": ranges})
        window = s.window << (0 if s.syn else self.scale)
        frames.append({"frame_type": "max_data", "maximum": max(self.acked - 1, 0) + window})
        yield _event(s, "transport:packet_received", number, frames)
        if fresh:
            yield self._metrics(s.time_ns, fresh)

    def _acknowledge(self, s: Segment) -> list[_Sent]:
        self.acked = max(self.acked, self._position(s.ack))
        blocks = [(self._position(first), self._position(end)) for first, end in s.sack]
        fresh = [
            one
            for one in self.flying.values()
            if one.end <= self.acked
            or any(first <= one.first and one.end <= end for first, end in blocks)
        ]
        for one in fresh:
            del self.flying[one.number]
        return fresh

    def _metrics(self, time_ns: int, fresh: Sequence[_Sent]) -> Event:
        data: Event = {"bytes_in_flight": sum(one.end - one.first for one in self.flying.values())}
        newest = max(fresh, key=lambda one: one.number)
        if not newest.again:
            rtt = (time_ns - newest.time_ns) / _NS_PER_MS
            self.srtt_ms = rtt if self.srtt_ms is None else self.srtt_ms
            self.srtt_ms += (rtt - self.srtt_ms) / _SRTT_PART
            self.min_ms = rtt if self.min_ms is None else min(self.min_ms, rtt)
            data |= {"latest_rtt": rtt, "smoothed_rtt": self.srtt_ms, "min_rtt": self.min_ms}
        return {"time": time_ns / _NS_PER_MS, "name": "recovery:metrics_updated", "data": data}


def _event(s: Segment, name: str, number: int, frames: list[Event]) -> Event:
    header = {"packet_type": _TYPE, "packet_number": number}
    raw = {"length": s.packet_bytes, "payload_length": s.payload_bytes}
    data = {"header": header, "raw": raw, "frames": frames}
    return {"time": s.time_ns / _NS_PER_MS, "name": name, "data": data}


def events(segments: Iterable[Segment], port: int) -> list[Event]:
    """The events at the sender on that port, of its segments in their order of time."""
    connection: _Connection | None = None
    found: list[Event] = []
    for s in segments:
        if connection is None:
            connection = _Connection(s.seq if s.ports[0] == port else s.ack)
        step = connection.send if s.ports[0] == port else connection.receive
        found += step(s)
    return found


def windows(times_s: Sequence[float], cwnd_bytes: Sequence[int]) -> list[Event]:
    """The sampled congestion window of a sender, wherever it is another one."""
    name = "recovery:metrics_updated"
    return [
        {"time": round(time_s * 1e3, 6), "name": name, "data": {"congestion_window": cwnd}}
        for time_s, cwnd, before in zip(times_s, cwnd_bytes, [-1, *cwnd_bytes], strict=False)
        if cwnd != before
    ]


def write(path: Path, title: str, traces: Mapping[str, Sequence[Event]]) -> None:
    """A file with a trace of each connection, by its name."""
    document: dict[str, Any] = {
        "qlog_format": "JSON",
        "qlog_version": "0.3",
        "title": title,
        "traces": [
            {
                "title": name,
                "common_fields": {"ODCID": name, "time_format": "relative", "reference_time": 0},
                "vantage_point": {"name": name, "type": "client"},
                "events": sorted(found, key=lambda event: event["time"]),
            }
            for name, found in traces.items()
        ],
    }
    path.write_text(json.dumps(document), encoding="utf-8")
