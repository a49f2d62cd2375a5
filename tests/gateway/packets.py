# SPDX-License-Identifier: GPL-2.0-only
"""Packets byte by byte, for the parser's fuzz corpus and the tests of the gateway."""

import struct
import sys
from pathlib import Path

MAC = bytes(6) + b"\x02\x00\x00\x00\x00\x01"


def checksum(data: bytes) -> int:
    """The Internet checksum, RFC 1071."""
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def tcp(options: bytes = b"", payload: bytes = b"", flags: int = 0x10, window: int = 500) -> bytes:
    """A TCP segment without its checksum; options are padded."""
    options += b"\0" * (-len(options) % 4)
    head = struct.pack(
        "!HHIIBBHHH", 40000, 80, 1, 1, (5 + len(options) // 4) << 4, flags, window, 0, 0
    )
    return head + options + payload


def ipv4(payload: bytes, protocol: int = 6, options: bytes = b"", fragment: int = 0) -> bytes:
    """An IPv4 packet."""
    ihl = 5 + len(options) // 4
    head = struct.pack(
        "!BBHHHBBH4s4s",
        0x40 | ihl,
        0,
        ihl * 4 + len(payload),
        1,
        fragment,
        64,
        protocol,
        0,
        b"\x0a\0\0\1",
        b"\x0a\0\0\2",
    )
    head += options
    return head[:10] + struct.pack("!H", checksum(head)) + head[12:] + payload


def ipv6(payload: bytes, following: int = 6) -> bytes:
    """An IPv6 packet."""
    head = struct.pack("!IHBB", 6 << 28, len(payload), following, 64)
    return head + bytes(15) + b"\1" + bytes(15) + b"\2" + payload


def ether(kind: int, payload: bytes, *tags: int) -> bytes:
    """An Ethernet frame with VLAN tags."""
    frame = MAC
    for tag in tags:
        frame += struct.pack("!HH", 0x8100, tag)
    return frame + struct.pack("!H", kind) + payload


def corpus() -> dict[str, bytes]:
    """One packet of each kind that the parser tells apart."""
    syn = tcp(bytes.fromhex("020405b40402080a000000010000000001030307"), flags=2)
    md5 = tcp(b"\x13\x12" + bytes(16), flags=2)
    hop = struct.pack("!BB6x", 6, 0)
    return {
        "ack4": ether(0x0800, ipv4(tcp())),
        "syn4": ether(0x0800, ipv4(syn)),
        "md5": ether(0x0800, ipv4(md5)),
        "data4": ether(0x0800, ipv4(tcp(payload=b"x" * 100))),
        "options4": ether(0x0800, ipv4(tcp(), options=b"\x94\x04\0\0")),
        "fragment4": ether(0x0800, ipv4(tcp(), fragment=0x2000)),
        "udp4": ether(0x0800, ipv4(bytes(8), protocol=17)),
        "ack6": ether(0x86DD, ipv6(tcp())),
        "hop6": ether(0x86DD, ipv6(hop + tcp(), following=0)),
        "fragment6": ether(0x86DD, ipv6(struct.pack("!BBHI", 6, 0, 1, 7) + tcp(), following=44)),
        "vlan": ether(0x0800, ipv4(tcp()), 5),
        "qinq": ether(0x86DD, ipv6(tcp()), 5, 6),
        "pppoe": ether(0x8864, struct.pack("!BBHHH", 0x11, 0, 1, 42, 0x0021) + ipv4(tcp())),
        "raw4": ipv4(tcp()),
        "raw6": ipv6(tcp()),
        "arp": ether(0x0806, bytes(28)),
    }


def main() -> None:
    """Writes the corpus into the folder that is named."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, packet in corpus().items():
        (folder / name).write_bytes(bytes([not name.startswith("raw"), 0]) + packet)


if __name__ == "__main__":
    main()
