# SPDX-License-Identifier: GPL-2.0-only
"""Writes pcapng (draft-ietf-opsawg-pcapng): several captures in one file, an interface for each."""

import heapq
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from penstock.runs.captures import pcap

_SECTION, _INTERFACE, _PACKET = 0x0A0D0D0A, 1, 6
_BYTE_ORDER: Final = 0x1A2B3C4D
_RAW_IP: Final = 101
_SNAP_BYTES: Final = 65535
_NAME, _RESOLUTION, _APPLICATION = 2, 9, 4
_TEN_TO_THE_MINUS: Final = bytes([9])  # the unit of its times: ns


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)


def _option(code: int, value: bytes) -> bytes:
    return struct.pack("<HH", code, len(value)) + _padded(value)


def _block(kind: int, body: bytes) -> bytes:
    size = len(body) + 12
    return struct.pack("<II", kind, size) + body + struct.pack("<I", size)


def _section(application: str) -> bytes:
    options = _option(_APPLICATION, application.encode()) + bytes(4)
    return _block(_SECTION, struct.pack("<IHHq", _BYTE_ORDER, 1, 0, -1) + options)


def _interface(name: str) -> bytes:
    options = _option(_NAME, name.encode()) + _option(_RESOLUTION, _TEN_TO_THE_MINUS) + bytes(4)
    return _block(_INTERFACE, struct.pack("<HHI", _RAW_IP, 0, _SNAP_BYTES) + options)


def _packet(time_ns: int, interface: int, data: bytes) -> bytes:
    head = struct.pack(
        "<IIIII", interface, time_ns >> 32, time_ns & 0xFFFFFFFF, len(data), len(data)
    )
    return _block(_PACKET, head + _padded(data))


def _numbered(number: int, file: Path) -> Iterator[tuple[int, int, bytes]]:
    for time_ns, data in pcap.packets(file):
        yield time_ns, number, data


def write(path: Path, captures: Mapping[str, Path], application: str) -> None:
    """The packets of all captures in their order; the names are those of the interfaces."""
    sources = [_numbered(number, file) for number, file in enumerate(captures.values())]
    with path.open("wb") as out:
        out.write(_section(application))
        for name in captures:
            out.write(_interface(name))
        for time_ns, number, data in heapq.merge(*sources, key=lambda each: each[:2]):
            out.write(_packet(time_ns, number, data))
