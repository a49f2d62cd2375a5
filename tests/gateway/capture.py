# SPDX-License-Identifier: GPL-2.0-only
"""What passes a device: TCP packets as they come in, before or behind the gateway."""

import socket
import struct
from dataclasses import dataclass

from packets import checksum
from spaces import inside

ETH_P_ALL = 3
SO_RCVBUFFORCE = 33
SO_TIMESTAMPNS = 35
SOL_PACKET = 263
PACKET_STATISTICS = 6
ROOM_BYTES = 1 << 28
SNAP_BYTES = 1 << 17


@dataclass(frozen=True)
class Packet:
    """A packet from its IP header on; what a router changes, hops and IP checksum, is 0."""

    at_ns: int
    hops: int
    rest: bytes
    tcp: int  # offset of the TCP header

    @property
    def window(self) -> int:
        """The window field."""
        return int.from_bytes(self.rest[self.tcp + 14 : self.tcp + 16], "big")

    @property
    def ports(self) -> tuple[int, int]:
        """From where to where."""
        source, target = struct.unpack_from("!HH", self.rest, self.tcp)
        return source, target

    @property
    def checksum_right(self) -> bool:
        """Whether the TCP checksum is that of a full computation."""
        addresses = self.rest[8:40] if self.tcp == 40 else self.rest[12:20]
        segment = self.rest[self.tcp :]
        return checksum(addresses + struct.pack("!II", len(segment), 6) + segment) == 0


def _read(frame: bytes, at_ns: int) -> Packet | None:
    """None if it is no TCP."""
    ip = bytearray(frame[14:])
    kind = frame[12:14]
    if kind == b"\x08\x00" and ip[9] == socket.IPPROTO_TCP:
        hops, offset = ip[8], (ip[0] & 15) * 4
        ip[8] = ip[10] = ip[11] = 0
    elif kind == b"\x86\xdd" and ip[6] == socket.IPPROTO_TCP:
        hops, offset = ip[7], 40
        ip[7] = 0
    else:
        return None
    return Packet(at_ns, hops, bytes(ip), offset)


class Tap:
    """Keeps what comes in by a device from now on."""

    def __init__(self, namespace: str, device: str) -> None:
        with inside(namespace):
            self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
        self.socket.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, ROOM_BYTES)
        self.socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.socket.bind((device, ETH_P_ALL))
        self.socket.setblocking(False)

    def packets(self) -> list[Packet]:
        """All TCP packets so far, in their order."""
        found = []
        while True:
            try:
                frame, extra, _, address = self.socket.recvmsg(SNAP_BYTES, 64)
            except BlockingIOError:
                break
            if address[2] == socket.PACKET_OUTGOING:
                continue
            seconds, ns = struct.unpack("qq", extra[0][2])
            if packet := _read(frame, seconds * 1_000_000_000 + ns):
                found.append(packet)
        lost = struct.unpack("II", self.socket.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8))[1]
        assert lost == 0, "the capture itself has lost packets"
        self.socket.close()
        return found
