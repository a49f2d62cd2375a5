# SPDX-License-Identifier: GPL-2.0-only
"""The network's side: segments of a script, and those of the simulator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from penstock import _native
from penstock.runs.packetdrill.script import ACCECN, Options, Packet

_BITS: Final = {
    **{"F": 0x01, "S": 0x02, "R": 0x04, "P": 0x08, ".": 0x10},
    **{"A": 0x20, "E": 0x40, "W": 0x80},  # AE here, which TCP has elsewhere; URG is not claimed
}
_PSH: Final = _BITS["P"]
_FIN: Final = _BITS["F"]
_ECN: Final = {"noecn": 0, "": 0, "ect1": 1, "ect0": 2, "ce": 3}
_SEQ: Final = 1 << 32


def flag_bits(flags: str) -> int:
    """The flag octet of a script's letters."""
    bits = 0
    for letter in flags:
        bits |= _BITS[letter]
    return bits


def flag_letters(bits: int) -> str:
    """The letters of a flag octet, in the order of the scripts."""
    return "".join(letter for letter in "SFRPEWA." if bits & _BITS[letter]) or "-"


@dataclass
class Clock:
    """Of the timestamps option: which of ours stands for which of the script."""

    sent: dict[int, int] = field(default_factory=dict)  # a script's value, ours
    last_us: int = 0
    first: tuple[int, int] | None = None  # the first of each

    def hear(self, script: int, ours_us: int) -> None:
        """A segment has left."""
        self.sent[script] = self.last_us = ours_us
        if self.first is None:
            self.first = (script, ours_us)

    def echo(self, script: int) -> int:
        """What a segment of the peer must echo."""
        return self.sent.get(script, self.last_us)

    def error_us(self, script: int, ours_us: int, tick_us: int) -> int:
        """How far ours is from the script's, counted from the first."""
        if self.first is None or tick_us == 0:
            return 0
        return abs((ours_us - self.first[1]) - (script - self.first[0]) * tick_us)


def arriving(packet: Packet, clock: Clock) -> _native.HostSegment:
    """A script's segment for the simulator."""
    s = _native.HostSegment()
    s.seq = packet.seq
    s.ack = packet.ack or 0
    s.flags = flag_bits(packet.flags)
    s.ecn = _ECN[packet.ecn]
    s.window = packet.window or 0
    s.payload_bytes = packet.payload_bytes
    options = packet.options or Options()
    s.mss_bytes = options.mss_bytes
    s.scale = options.scale
    s.sack_permitted = options.sack_permitted
    s.sack = list(options.sack[:3])
    if options.timestamps is not None:
        value, echo = options.timestamps
        s.timestamps = (value, clock.echo(echo) if s.flags & _BITS["."] else 0)
    if options.accecn is not None:
        s.accecn = (options.accecn[0], list(options.accecn[1]))
    return s


@dataclass
class Left:
    """What has left in place of one segment of a script: one or several in a row."""

    segments: list[_native.HostSegment]

    @property
    def first(self) -> _native.HostSegment:
        """Its header is that of all."""
        return self.segments[0]

    @property
    def payload_bytes(self) -> int:
        """Of all."""
        return sum(each.payload_bytes for each in self.segments)

    @property
    def flags(self) -> int:
        """PSH and FIN are of the last."""
        bits = 0
        for each in self.segments:
            bits |= each.flags
        return bits

    def continues(self, s: _native.HostSegment) -> bool:
        """Whether `s` could have been part of the same offloaded segment."""
        last, loose = self.segments[-1], _PSH | _FIN | _BITS["W"]
        return (
            s.seq == (last.seq + last.payload_bytes) % _SEQ
            and s.payload_bytes > 0
            and not last.flags & _FIN
            and s.flags & ~loose == last.flags & ~loose
            and s.ack == last.ack
        )


def text(s: _native.HostSegment, payload_bytes: int | None = None, flags: int | None = None) -> str:
    """A segment in the script's language."""
    size = s.payload_bytes if payload_bytes is None else payload_bytes
    bits = s.flags if flags is None else flags
    end = (s.seq + size) % _SEQ
    parts = [f"{flag_letters(bits)} {s.seq}:{end}({size})"]
    if bits & _BITS["."]:
        parts.append(f"ack {s.ack}")
    return " ".join([*parts, *_written(_options_of(s))])


def _written(options: Options) -> Sequence[str]:
    parts = []
    if options.mss_bytes is not None:
        parts.append(f"mss {options.mss_bytes}")
    if options.sack_permitted:
        parts.append("sackOK")
    if options.timestamps is not None:
        parts.append("TS val {} ecr {}".format(*options.timestamps))
    if options.scale is not None:
        parts.append(f"wscale {options.scale}")
    if options.accecn is not None:
        kind, counters = options.accecn
        names = ACCECN[kind]
        parts.append(" ".join(["ECN", *map("{} {}".format, names, counters)]))
    if options.sack:
        parts.append("sack " + " ".join(f"{start}:{end}" for start, end in options.sack))
    return [f"<{','.join(parts)}>"] if parts else []


def _options_of(s: _native.HostSegment) -> Options:
    accecn = None if s.accecn is None else (s.accecn[0], tuple(s.accecn[1]))
    return Options(s.mss_bytes, s.scale, s.sack_permitted, s.timestamps, tuple(s.sack), accecn)


def difference(packet: Packet, left: Left, clock: Clock, tick_us: int, tolerance_us: int) -> str:
    """What differs between a script's segment and what has left; "" if nothing does.

    PSH is not compared: it shows how a host batches. The order and padding of options neither.
    """
    first, expected = left.first, flag_bits(packet.flags)
    loose = _PSH if len(left.segments) == 1 else _PSH | _BITS["W"]
    if (left.flags ^ expected) & ~loose:
        return f"flags {flag_letters(left.flags)}"
    if first.seq != packet.seq or left.payload_bytes != packet.payload_bytes:
        size = left.payload_bytes
        return f"sequence numbers {first.seq}:{(first.seq + size) % _SEQ}({size})"
    if packet.ack is not None and first.ack != packet.ack:
        return f"ack {first.ack}"
    if packet.window is not None and first.window != packet.window:
        return f"win {first.window}"
    ect = packet.ecn == "ect01" and first.ecn in (1, 2)
    if packet.ecn and not ect and first.ecn != _ECN.get(packet.ecn, -1):
        return f"ECN codepoint {first.ecn}"
    if packet.options is None:
        return ""
    return _options_differ(packet.options, _options_of(first), clock, tick_us, tolerance_us)


def _options_differ(
    expected: Options, actual: Options, clock: Clock, tick_us: int, tolerance_us: int
) -> str:
    given = ("mss_bytes", "scale", "sack_permitted", "sack", "accecn")
    if any(getattr(expected, name) != getattr(actual, name) for name in given):
        return f"options {''.join(_written(actual)) or 'none'}"
    if expected.timestamps is None or actual.timestamps is None:
        same = expected.timestamps == actual.timestamps
        return "" if same else f"options {''.join(_written(actual)) or 'none'}"
    value, echo = actual.timestamps
    if echo != expected.timestamps[1]:
        return f"TS ecr {echo}"
    late = clock.error_us(expected.timestamps[0], value, tick_us)
    if late > tolerance_us:
        return f"TS val {late} us off"
    clock.hear(expected.timestamps[0], value)
    return ""
